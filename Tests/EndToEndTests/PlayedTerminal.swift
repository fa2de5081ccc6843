import Foundation

/// A terminal that `script` of Debian's bsdutils plays.
enum PlayedTerminal {
  static let program = "/usr/bin/script"

  static let isMissing =
    "no terminal can be played here: it takes /usr/bin/script (Debian: bsdutils) and /dev/pts"

  /// Whether one can be played: there may be no pseudo-terminals, as in a bare chroot.
  static let isThere: Bool = {
    guard FileManager.default.isExecutableFile(atPath: program) else { return false }
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--quiet", "--return", "--command", "true", "/dev/null"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}
