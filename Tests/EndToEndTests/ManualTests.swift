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
    #expect(outcome.errors.contains("already exists"))
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
      let help = try tool.run(command, "--help", "--all").output
      for match in help.matches(of: /(?m)^  (?:-[a-z], )?(--[a-z-]+)/) {
        #expect(text.contains(match.1.replacing("-", with: "\\-")), "\(page) lacks \(match.1)")
      }
    }
    #expect(try tool.run("manual", "nothing").status == 2)
  }

  /// What a status means is what the command's help says.
  @Test(arguments: ["lsp", "diff", "doctor", "self-test", "check"])
  func aPageHasTheStatusesOfItsCommand(command: String) throws {
    let tool = try Tool()
    let help = try tool.run(command, "--help").output.split(separator: "Exit status: ").last
    let said = try #require(help).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let page = try tool.run("manual", command).output.split(separator: ".SH \"EXIT STATUS\"\n").last
    let section = try #require(page?.split(separator: ".SH ").first)
    let plain = section.replacing("\\-", with: "-").replacing("\\(aq", with: "'")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect((plain == said) == (command != "check"), "\(plain)")
  }

  @Test(arguments: [
    ("check", "linkspan-check.1"), ("linkspan-check", "linkspan-check.1"),
    ("stand-in", "linkspan-stand-in.1"),
    ("linkspan", "linkspan.1"), ("linkspan.json5", "linkspan.json5.5"),
  ])
  func aPageHasTheNameOfItsCommand(name: String, page: String) throws {
    let tool = try Tool()
    let outcome = try tool.run("manual", name)
    #expect(outcome.status == 0)
    #expect(try outcome.output == tool.run("manual", page).output)
    #expect(try tool.run("manual", name, "--json").json()["page"] as? String == page)
  }

  @Test func aPageThatIsNotThereNamesTheNearest() throws {
    let outcome = try Tool().run("manual", "chekc")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == """
        linkspan manual: error: there is no page 'chekc'. Did you mean 'check'?
          'linkspan manual' lists them.

        """)
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func aShellLearnsCommandsAndFlags(shell: String) throws {
    let tool = try Tool()
    let script = try tool.run("completions", shell).output
    for word in ["serve", "rollback", "accept-errors"] { #expect(script.contains(word)) }
  }

  /// A flag whose value is a file, or one of a few words, is completed so everywhere.
  @Test(arguments: [
    ("sign", "p12", " -r -F"), ("verify", "ca", " -r -F"), ("explain", "story", " -r -F"),
    ("mcp", "root", " -r -F"), ("serve", "registry", " -x"), ("oracle", "out", " -r -F"),
    ("explain", "expect", " -x -a 'app browser wake show'"), ("check", "fetch", " -x -a 'direct cdn both'"),
    (
      "token create", "scope",
      " -x -a 'devices:read devices:write notifications:read notifications:write campaigns:read campaigns:write"
        + " sites:write'"
    ),
  ])
  func fishKnowsWhatAFlagTakes(command: String, flag: String, taken: String) throws {
    let script = try Tool().run("completions", "fish").lines
    let line = script.first {
      $0.contains("'__linkspan_is \(command)'") && $0.contains(" -l \(flag) ")
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
      COMP_WORDS=(linkspan doctor --build dev); COMP_CWORD=3; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan che); COMP_CWORD=1; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan check --format sa); COMP_CWORD=3; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan check --format = sa); COMP_CWORD=4; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan completions ""); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan rules aasa.unr); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan help ver); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan help wh); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan simulate --seed ""); COMP_CWORD=3; _linkspan; echo "none${COMPREPLY[*]}"
      COMP_WORDS=(linkspan match com); COMP_CWORD=2; _linkspan; echo "none${COMPREPLY[*]}"
      COMP_WORDS=(linkspan check com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan diff com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan doctor com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan generate com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan cover com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan forecast com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan rehearse com); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan clip codes com); COMP_CWORD=3; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan swcutil ver); COMP_CWORD=2; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan push campaign cre); COMP_CWORD=3; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan push campaign create --environment ""); COMP_CWORD=5; _linkspan; echo "${COMPREPLY[*]}"
      COMP_WORDS=(linkspan push campaign pause --ser); COMP_CWORD=4; _linkspan; echo "${COMPREPLY[*]}"
      """,
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(
      text == """
        --accept-errors
        development developer-id
        check
        sarif
        sarif
        bash zsh fish
        aasa.unreachable
        verify
        why
        none
        none
        completion
        completion
        completion
        completion
        completion
        completion
        completion
        completion
        verify
        create
        production sandbox development
        --server

        """)
  }

  /// Runs a shell, or a program that may not be here; nil then.
  private func shell(_ program: String, _ words: [String], in tool: Tool) throws -> String? {
    guard
      let path = ["/usr/bin/", "/bin/"].map({ $0 + program }).first(
        where: FileManager.default.isExecutableFile)
    else {
      print("skipped: there is no \(program) here")
      return nil
    }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = words
    process.currentDirectoryURL = tool.folder
    process.environment = Tool.environment.merging(["HOME": tool.folder.path]) { $1 }
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  @Test func fishCompletesWordsWhereWordsAreMeant() throws {
    let tool = try Tool()
    try tool.write(tool.run("completions", "fish").output, to: "linkspan.fish")
    for (typed, words) in [
      ("completions ", "bash\nfish\nzsh\n"), ("match li", ""), ("simulate --seed ", ""),
      ("check li", "linkspan.fish\n"),
      ("help stori", "stories\n"), ("push campaign cr", "create\tStart a campaign\n"),
    ] {
      let script = "source linkspan.fish; complete -C'linkspan \(typed)'"
      guard let text = try shell("fish", ["--no-config", "-c", script], in: tool) else { return }
      #expect(text == words, "\(typed)")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func theShellItselfReadsItsScript(name: String) throws {
    let tool = try Tool()
    try tool.write(tool.run("completions", name).output, to: "script")
    guard let text = try shell(name, ["-n", "script"], in: tool) else { return }
    #expect(text == "")
  }

  @Test func mandocFindsNothingInThePages() throws {
    let tool = try Tool()
    for page in try tool.run("manual").lines {
      try tool.write(tool.run("manual", page).output, to: page)
      guard let text = try shell("mandoc", ["-T", "lint", page], in: tool) else { return }
      #expect(text == "", "\(page)")
    }
  }

  /// A macro takes quotation marks off its arguments, and a JSON without them is none.
  @Test func quotationMarksStayInExamples() throws {
    let text = try Tool().run("manual", "linkspan-swcutil.1").output
    #expect(text.contains(#"\(aq{\(dq/\(dq:\(dq/buy/*\(dq}\(aq"#))
  }

  /// Each is given to the program as a shell would, with one more flag behind it that there is not: the error names that
  /// flag only when everything before it was read.
  @Test func everyExampleParses() throws {
    let tool = try Tool()
    let pages = try tool.run("manual").lines.filter { $0.hasPrefix("linkspan-") }
    var count = 0
    for page in pages {
      let page = try tool.run("manual", page).output
      for line in page.components(separatedBy: ".SH EXAMPLES\n").dropFirst().joined().split(separator: "\n")
      where line.hasPrefix("\\fBlinkspan ") {
        let example = line.dropFirst(3).dropLast(3).replacing("\\-", with: "-").replacing("\\(aq", with: "'")
          .replacing("\\(dq", with: "\"").replacing(/\ [<>] \S+/, with: "")
        let script = "linkspan() { '\(Tool.binary.path)' \"$@\" --not-a-flag; }; \(example)"
        let text = try #require(try shell("bash", ["-c", script], in: tool))
        #expect(text.contains("there is no flag '--not-a-flag'"), "\(example): \(text)")
        count += 1
      }
    }
    #expect(count > 20)
  }

  /// What the installed pages name lies where they say.
  @Test func documentsThatPagesNameAreInstalled() throws {
    let tool = try Tool()
    let install = Fixtures.root.appending(path: "Packaging/install").path
    let prefix = tool.folder.appending(path: "prefix")
    _ = try shell("bash", [install, Tool.binary.path, prefix.path], in: tool)
    let man = prefix.appending(path: "share/man/man1")
    var named: Set<String> = []
    for page in try FileManager.default.contentsOfDirectory(atPath: man.path) {
      let text = try String(contentsOf: man.appending(path: page), encoding: .utf8).replacing(
        "\\-", with: "-")
      for match in text.matches(of: /(?:Documentation|Examples)\/[a-zA-Z0-9\/.-]*[a-zA-Z0-9]/) {
        named.insert(String(match.0))
      }
    }
    named.insert("Documentation/symptoms.md")
    #expect(named.count > 4)
    for path in named {
      let file = prefix.appending(path: "share/doc/linkspan/\(path)").path
      #expect(FileManager.default.fileExists(atPath: file), "\(path)")
    }
  }

  @Test func anUnknownShellIsNamed() throws {
    let outcome = try Tool().run("completions", "tcsh")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'tcsh'"))
  }
}
