import Foundation
import TestSupport
import Testing

@Suite struct ManualTests {
  @Test func initWritesAConfigurationThatIsRead() throws {
    let tool = try Tool()
    #expect(try tool.run("init").status == 0)
    try tool.write(CheckTests.good, to: "sites/example.com\(ServeTests.path)")
    let outcome = try tool.run("serve", "--config", "linkspan.json5", "--dry-run")
    #expect(outcome.output == "example.com: published\n")
    #expect(outcome.status == 0)
  }

  @Test func everyKeyThatInitWritesIsReadWithItsExample() throws {
    let tool = try Tool()
    let text = try tool.run("init", "-").output
    let lines = text.split(separator: "\n").map { line -> String in
      // A comment that holds a key is one; the sentence above it is none.
      guard let match = line.firstMatch(of: /^(\s*)\/\/ ([a-z_]+: .*,)$/) else { return String(line) }
      return String(match.1) + String(match.2)
    }
    try tool.write(lines.joined(separator: "\n"), to: "all.json5")
    try tool.write(CheckTests.good, to: "sites/example.com\(ServeTests.path)")
    let outcome = try tool.run("serve", "--config", "all.json5", "--dry-run")
    #expect(!outcome.errors.contains("configuration."), "\(outcome.errors)")
    #expect(lines.count { $0.contains("//") } < text.split(separator: "\n").count { $0.contains("//") })
  }

  @Test func initOverwritesNothing() throws {
    let tool = try Tool()
    try tool.write("mine", to: "linkspan.json5")
    let outcome = try tool.run("init")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("is there already"))
    #expect(try String(contentsOf: tool.folder.appending(path: "linkspan.json5"), encoding: .utf8) == "mine")
  }

  @Test func checkTakesSitesAndAppsFromTheConfiguration() throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "conf/sites/example.com\(ServeTests.path)")
    try tool.write("{ sites: 'sites' }", to: "conf/linkspan.json5")
    #expect(try tool.run("check", "--config", "conf/linkspan.json5").status == 0)
  }

  @Test func everyCommandHasAPageWithEveryFlag() throws {
    let tool = try Tool()
    let pages = try tool.run("manual").lines
    #expect(pages.contains("linkspan.1") && pages.contains("linkspan.json5.5"))
    for page in pages {
      let text = try tool.run("manual", page).output
      #expect(text.hasPrefix(".TH "), "\(page)")
      guard page.hasPrefix("linkspan-"), page != "linkspan-swcutil.1" else { continue }
      let command = String(page.dropFirst(9).dropLast(2))
      let help = try tool.run(command, "--help").output
      for match in help.matches(of: /(?m)^  (?:-[a-z], )?(--[a-z-]+)/) {
        #expect(text.contains(match.1.replacing("-", with: "\\-")), "\(page) lacks \(match.1)")
      }
    }
    #expect(try tool.run("manual", "nothing").status == 2)
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func aShellLearnsCommandsAndFlags(shell: String) throws {
    let tool = try Tool()
    let script = try tool.run("completions", shell).output
    for word in ["serve", "rollback", "accept-errors"] { #expect(script.contains(word)) }
  }

  /// A flag whose value is a file, or one of a few words, is completed so everywhere.
  @Test(arguments: [
    ("sign", "p12", " -r -F"), ("verify", "ca", " -r -F"), ("explain", "story", " -r -F"),
    ("explain", "expect", " -x -a 'app browser'"), ("check", "fetch", " -x -a 'direct cdn both'"),
  ])
  func fishKnowsWhatAFlagTakes(command: String, flag: String, taken: String) throws {
    let script = try Tool().run("completions", "fish").lines
    let line = script.first {
      $0.contains("__fish_seen_subcommand_from \(command)'") && $0.contains(" -l \(flag) ")
    }
    #expect(line?.contains(" -l \(flag)\(taken) ") == true, "\(line ?? "")")
  }

  @Test func bashCompletesAFlag() throws {
    let tool = try Tool()
    try tool.write(tool.run("completions", "bash").output, to: "completion")
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.currentDirectoryURL = tool.folder
    process.arguments = [
      "-c",
      """
      . ./completion
      COMP_WORDS=(linkspan serve --accept); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan che); COMP_CWORD=1; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan check --format sa); COMP_CWORD=3; _linkspan; echo "${COMPREPLY[*]}"
      """,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == "--accept-errors\ncheck\nsarif\n")
  }

  @Test func anUnknownShellIsNamed() throws {
    let outcome = try Tool().run("completions", "tcsh")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'tcsh'"))
  }
}
