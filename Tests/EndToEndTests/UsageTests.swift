import Foundation
import TestSupport
import Testing

@Suite struct UsageTests {
  @Test(arguments: [["--help"], ["help"], [], ["check", "--help"], ["help", "match"], ["--version"]])
  func helpIsAnAnswer(words: [String]) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("linkspan "))
    #expect(outcome.errors == "")
  }

  static let wrongWords: [(words: [String], message: String)] = [
    (
      ["chekc"],
      "linkspan: error: there is no command 'chekc'. Did you mean 'check'?\n  Run 'linkspan --help' for the list.\n"
    ),
    (
      ["check"],
      "linkspan check: error: SITE… is missing.\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' tells more.\n"
    ),
    (
      ["check", "x", "--jsno"],
      "linkspan check: error: there is no flag '--jsno'. Did you mean '--json'?\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' tells more.\n"
    ),
    (
      ["check", "x", "--host"],
      "linkspan check: error: '--host' wants HOST behind it.\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' tells more.\n"
    ),
    (["check", "nowhere/file"], "linkspan check: error: there is no file or folder 'nowhere/file'.\n"),
    (
      ["check", "/proc/self/mem"],
      "linkspan check: error: '/proc/self/mem' cannot be read: Input/output error.\n"
    ),
    (
      ["match", "https://example.com/", "--file", "/"],
      "linkspan match: error: '/' is a folder, and a file is wanted.\n"
    ),
    (
      ["rules", "aasa.unreachible"],
      "linkspan rules: error: there is no rule 'aasa.unreachible'. Did you mean 'aasa.unreachable'?\n"
        + "  Usage: linkspan rules [RULE…] [flags]; 'linkspan rules --help' tells more.\n"
    ),
    (
      ["serve", "x", "--color", "blue"],
      "linkspan serve: error: 'blue' is no colour setting.\n  Write --color auto, always or never.\n"
    ),
  ]

  @Test(arguments: wrongWords)
  func wrongWordsSayWhatAndWhatToDo(words: [String], message: String) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors == message)
  }

  @Test func colourIsForTerminalsOrWhoAsks() throws {
    let tool = try Tool()
    try tool.write("{]", to: "f")
    let plain = try tool.run("check", "f").output
    let coloured = try tool.run("check", "f", "--color", "always").output
    #expect(!plain.contains("\u{1B}") && coloured.contains("\u{1B}"))
  }

  @Test func aClosedPipeIsAQuietSuccess() throws {
    let tool = try Tool()
    let line = #"{"id":1,"file":"{}","url":"https://example.com/"}"#
    try tool.write(String(repeating: line + "\n", count: 5000), to: "lines")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c", "{ '\(Tool.binary.path)' match --batch lines; echo $? >&2; } 2>status | head -n 1 >first",
    ]
    process.currentDirectoryURL = tool.folder
    try process.run()
    process.waitUntilExit()
    let status = try String(contentsOf: tool.folder.appending(path: "status"), encoding: .utf8)
    #expect(status == "0\n")
  }
  /// An answer that nobody can read back is none.
  @Test(arguments: [["--version"], ["--help"], ["rules"]])
  func aFullDeviceIsNoSuccess(words: [String]) throws {
    let tool = try Tool()
    defer { withExtendedLifetime(tool) {} }
    let process = tool.process(words)
    let errors = Pipe()
    process.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(text.hasPrefix("linkspan: error: the answer cannot be written: No space left on device.\n"))
  }

  @Test func aReaderWhoLeavesIsNoFailure() throws {
    let tool = try Tool()
    defer { withExtendedLifetime(tool) {} }
    let process = tool.process(["rules", "--markdown"])
    let (output, errors) = (Pipe(), Pipe())
    try output.fileHandleForReading.close()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.isEmpty)
  }
}
