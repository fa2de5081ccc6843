import Foundation

/// The other party of a signature: openssl, with an authority, an intermediate and some certificates of its own.
final class SigningAuthority: Sendable {
  static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let absence: String = "openssl is not on this machine (Debian: package openssl)"

  /// Made once; every test works on a copy.
  static let shared = Result { try SigningAuthority() }

  private let folder: URL

  private init() throws {
    let tool = try Tool()
    func openssl(_ line: String) throws { _ = try tool.openssl(line) }
    for root in ["root", "other"] {
      try openssl(
        "req -x509 -newkey rsa:2048 -nodes -keyout \(root).key -out \(root).pem -subj /CN=\(root) -days 90")
    }
    try openssl("genrsa -out between.key 2048")
    try openssl("genrsa -out rsa.key 2048")
    try openssl("ecparam -name prime256v1 -genkey -noout -out p256.key")
    try openssl("ecparam -name secp384r1 -genkey -out p384.key")
    func issue(
      _ name: String, key: String, by issuer: String, days: Int, _ extensions: String,
      digest: String = "sha256"
    ) throws {
      try tool.write(extensions, to: "\(name).ext")
      try openssl("req -new -key \(key).key -subj /CN=\(name).example.com -out \(name).csr")
      try openssl(
        "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key -CAcreateserial -days \(days) -\(digest) "
          + "-extfile \(name).ext -out \(name).pem")
    }
    try issue("between", key: "between", by: "root", days: 90, "basicConstraints=critical,CA:true\n")
    let leaf = "subjectAltName=DNS:example.com\nkeyUsage=digitalSignature\n"
    for key in ["rsa", "p256", "p384"] { try issue(key, key: key, by: "between", days: 60, leaf) }
    try issue("server", key: "rsa", by: "between", days: 60, leaf + "extendedKeyUsage=serverAuth\n")
    try issue("client", key: "rsa", by: "between", days: 60, leaf + "extendedKeyUsage=clientAuth\n")
    try issue("short", key: "rsa", by: "between", days: 20, leaf)
    try issue("weak", key: "rsa", by: "between", days: 60, leaf, digest: "sha1")
    try issue("past", key: "rsa", by: "between", days: -1, leaf)
    for name in ["rsa", "p256", "p384"] {
      for (form, flag) in [("new", ""), ("old", "-legacy ")] {
        try openssl(
          "pkcs12 -export \(flag)-in \(name).pem -inkey \(name).key -certfile between.pem "
            + "-passout pass:\(Self.passphrase) -out \(name)-\(form).p12")
      }
    }
    folder = FileManager.default.temporaryDirectory.appending(path: "linkspan-authority-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: tool.folder, to: folder)
    // The tests of this process are all there is to need it.
    let path = folder.path
    Self.removed.path = path
    atexit { try? FileManager.default.removeItem(atPath: SigningAuthority.removed.path) }
  }

  /// Appears nowhere else, so that a search of an output for it means something.
  static let passphrase = "kfWq7-Geheim-82"

  /// Written once, before the process registers its end.
  private final class Removed: @unchecked Sendable { var path = "" }
  private static let removed = Removed()

  /// A tool whose folder has all files of the authority, and the association file `file`.
  static func tool() throws -> Tool {
    let tool = try Tool()
    let source = try shared.get().folder
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) where !name.hasPrefix(".") {
      try FileManager.default.copyItem(
        at: source.appending(path: name), to: tool.folder.appending(path: name))
    }
    try tool.write(file, to: "file")
    return tool
  }

  static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"*"}]}]}}"#
}

extension Tool {
  /// Runs openssl in the folder; arguments are parted by blanks.
  ///
  /// - Throws: What it said, when it did not succeed.
  @discardableResult
  func openssl(_ line: String) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: SigningAuthority.path ?? "/usr/bin/openssl")
    process.arguments = line.split(separator: " ").map(String.init)
    process.currentDirectoryURL = folder
    let names = ["out", "err"].map { folder.appending(path: ".openssl-\($0)-\(UUID().uuidString)") }
    for name in names { try Data().write(to: name) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: names[0])
    process.standardError = try FileHandle(forWritingTo: names[1])
    try process.run()
    process.waitUntilExit()
    let outcome = Outcome(
      status: process.terminationStatus, output: try String(contentsOf: names[0], encoding: .utf8),
      errors: try String(contentsOf: names[1], encoding: .utf8))
    guard outcome.status == 0 else { throw PeerFailure(text: "openssl \(line): \(outcome.errors)") }
    return outcome
  }

  struct PeerFailure: Error { var text: String }

  func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

  func put(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.appending(path: name))
  }

  /// The names of the problems that `verify --json` finds.
  func problems(_ file: String, _ flags: String...) throws -> [String] {
    let outcome = try run(["verify", file, "--json"] + (flags.isEmpty ? ["--ca", "root.pem"] : flags))
    let problems = try outcome.json()["problems"] as? [[String: Any]] ?? []
    return problems.compactMap { $0["problem"] as? String }
  }
}
