import Foundation
import TestSupport
import Testing

/// What commands print, to the last character: `Tests/Fixtures/texts` has files, commands, and what a person reads.
///
/// `=== file NAME` begins a file; `=== run NAME STATUS` a command with its exit status, and `=== run NAME STATUS 60` one in
/// a terminal of so many columns. Of several commands the last is the one that is meant. Under it stands all that it
/// prints, first to standard output. Of a story the digest is left out, of a page its style, and of a run that is
/// `masked`, as a forecast's, all digits are zeros.
@Suite struct WholeTextTests {
  struct Run: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int32
    let columns: String?
    let isMasked: Bool
    /// The files that stand before it.
    let files: [(name: String, text: String)]
    var commands: [[String]] = []
    var text = ""

    var testDescription: String { name }
  }

  static let runs: [Run] = {
    let folder = Fixtures.root.appending(path: "Tests/Fixtures/texts")
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    return names.flatMap { name in
      read((try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? "")
    }
  }()

  private static func read(_ text: String) -> [Run] {
    var files: [(name: String, text: String)] = []
    var runs: [Run] = []
    var isFile = true
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("=== file ") {
        files.append((words[2], ""))
        isFile = true
      } else if line.hasPrefix("=== run ") {
        let mode = words.count > 4 ? words[4] : nil
        runs.append(
          Run(
            name: words[2], status: Int32(words[3]) ?? -1, columns: mode == "masked" ? nil : mode,
            isMasked: mode == "masked", files: files))
        isFile = false
      } else if isFile {
        files[files.count - 1].text += line + "\n"
      } else if line.hasPrefix("$ linkspan ") {
        runs[runs.count - 1].commands.append(Array(words.dropFirst(2)))
      } else {
        runs[runs.count - 1].text += line + "\n"
      }
    }
    return runs
  }

  @Test(arguments: runs) func isWhatAPersonReads(run: Run) throws {
    let tool = try Tool()
    for file in run.files { try tool.write(file.text, to: file.name) }
    for command in run.commands.dropLast() { _ = try tool.run(command) }
    let command = try #require(run.commands.last)
    let outcome = try tool.run(command, environment: run.columns.map { ["COLUMNS": $0] } ?? [:])
    #expect(outcome.status == run.status)
    var text = (outcome.output + outcome.errors).replacing(/digest [0-9a-f]{16}/, with: "digest …")
      .replacing(/sha256-[^']*/, with: "sha256-…")
      .replacing(/(?s)<style>.*?<\/style>/, with: "<style></style>")
    if run.isMasked { text.replace(/[0-9]/, with: "0") }
    #expect(text == run.text)
  }

  @Test func everyRunHasACommandAndAText() {
    #expect(Self.runs.count > 50)
    #expect(Set(Self.runs.map(\.name)).count == Self.runs.count)
    for run in Self.runs { #expect(!run.commands.isEmpty && !run.text.isEmpty, "\(run.name)") }
  }
}
