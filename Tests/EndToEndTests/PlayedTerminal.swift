import Foundation
import TestSupport

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

  /// Runs the program on a terminal of its own, where somebody types.
  ///
  /// - Returns: Its exit status, and what the terminal shows.
  static func run(_ tool: Tool, _ words: [String], typing input: String) throws -> (
    status: Int32, text: String
  ) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    let command = ([Tool.binary.path] + words).map { "'\($0)'" }.joined(separator: " ")
    process.arguments = ["--quiet", "--return", "--command", command, "/dev/null"]
    process.currentDirectoryURL = tool.folder
    process.environment = Tool.environment.merging(["TERM": "dumb", "SHELL": "/bin/sh"]) { $1 }
    let (typed, shown) = (Pipe(), Pipe())
    process.standardInput = typed
    process.standardOutput = shown
    process.standardError = shown
    try process.run()
    try typed.fileHandleForWriting.send(input)
    let text = String(decoding: shown.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try typed.fileHandleForWriting.close()
    return (process.terminationStatus, text)
  }
}
