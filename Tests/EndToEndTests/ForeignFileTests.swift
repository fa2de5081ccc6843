import Foundation
import TestSupport
import Testing

/// `--fix` changes association files, statement lists and entitlements, and no byte of anything else.
@Suite struct ForeignFileTests {
  static func folder() throws -> Tool {
    let tool = try Tool()
    for file in ForeignFiles.all { try tool.write(file.text, to: file.name) }
    return tool
  }

  @Test func thereAreFiftyKinds() {
    #expect(Set(ForeignFiles.all.map(\.name)).count >= 50)
  }

  @Test func fixRefusesEachAndSaysWhatItSeemsToBe() throws {
    let tool = try Self.folder()
    let before = try FolderContent(tool.folder)
    for file in ForeignFiles.all {
      let outcome = try tool.run("check", file.name, "--fix")
      #expect(outcome.status == 2, "\(file.name): \(outcome.output)")
      #expect(outcome.output == "", "\(file.name)")
      #expect(
        outcome.errors.contains("Nothing was changed.\n  It seems to be "), "\(file.name): \(outcome.errors)")
    }
    #expect(try FolderContent(tool.folder) == before)
  }

  /// The row of the issue: what 'init' has written is 4,060 bytes, and was left with 75.
  @Test func aConfigurationOfOursStaysWhole() throws {
    let tool = try Tool()
    #expect(try tool.run("init", "c.json5").status == 0)
    let before = try FolderContent(tool.folder)
    let outcome = try tool.run("check", "c.json5", "--fix")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "linkspan check: error: 'c.json5' is not plainly an association file: it has the top-level key 'sites', which "
          + "is not a service. Nothing was changed.\n  It seems to be a configuration of linkspan. "),
      "\(outcome.errors)")
    #expect(try FolderContent(tool.folder) == before)
  }

  /// Beside a file that is mended, too: a foreign one among the operands leaves all as they are.
  @Test func aForeignOperandKeepsEveryFileAsItIs() throws {
    let tool = try Tool()
    try tool.write(FixCommandTests.broken, to: "file")
    try tool.write(ForeignFiles.all[0].text, to: "tsconfig.json")
    let before = try FolderContent(tool.folder)
    #expect(try tool.run("check", "file", "tsconfig.json", "--fix").status == 2)
    #expect(try FolderContent(tool.folder) == before)
  }

  @Test func anAppIsOnlyRead() throws {
    let tool = try Self.folder()
    try tool.write(CheckTests.good, to: "site/example.com/.well-known/apple-app-site-association")
    let before = try FolderContent(tool.folder)
    for file in ForeignFiles.lists + ForeignFiles.json.prefix(6) {
      _ = try tool.run("check", "site", "--app", file.name, "--fix")
    }
    #expect(try FolderContent(tool.folder) == before)
  }

  /// Most commands have no such flag, and say so; none takes the files for something to mend.
  @Test func noCommandChangesAFileWithFix() throws {
    let tool = try Self.folder()
    let names = ForeignFiles.all.map(\.name)
    let before = try FolderContent(tool.folder)
    for command in try CommandHelp.leaves(tool) {
      let outcome = try tool.run(command.words + names + ["--fix"])
      #expect(outcome.status == 2, "\(command.words)")
    }
    #expect(try FolderContent(tool.folder) == before)
  }
}
