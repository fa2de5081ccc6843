import Foundation
import TestSupport
import Testing

@Suite struct UsageTests {
  /// Nothing is opened under a name that Swift made of it.
  @Test func aNameThatIsNotUTF8IsSaid() throws {
    let tool = try Tool()
    let process = tool.process([])
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", #""$0" check "$(printf 'n\377\376.json')""#, Tool.binary.path]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
    #expect(
      said == #"linkspan: error: the argument 'n\xff\xfe.json' is not UTF-8."# + "\n"
        + "  Rename the file, or name a link to it that has a name in UTF-8.\n")
    // The replacement character itself may be in a name.
    try tool.write("{}", to: "n\u{FFFD}.json")
    #expect(try tool.run("check", "n\u{FFFD}.json").errors.isEmpty)
  }

  @Test(arguments: [
    (["publish"], "linkspan publish: error: FOLDER or HOST… is missing."),
    (["diff"], "linkspan diff: error: OLD NEW or HOST is missing."),
    (["completions"], "linkspan completions: error: bash, zsh or fish is missing."),
  ])
  func aMissingOperandIsNamedWithoutItsBrackets(words: [String], message: String) throws {
    let run = try Tool().run(words)
    #expect(run.status == 2 && run.errors.hasPrefix(message), "\(run.errors)")
  }

  /// A number beyond its bound is refused and never cut in silence.
  @Test(arguments: [
    (["push", "send"], "--patience", 1, 86_400), (["apn", "push"], "--patience", 1, 86_400),
    (["push", "activity", "end"], "--patience", 1, 86_400), (["push", "send"], "--connections", 1, 64),
    (["explain"], "--opened", 0, 36_500), (["explain"], "--sent", 0, 1_000_000),
    (["doctor", "silent.apns"], "--opened", 0, 36_500), (["doctor", "silent.apns"], "--sent", 0, 1_000_000),
    (["push", "campaign", "list"], "--count", 1, 1_000), (["registry", "audit"], "--count", 1, 1_000_000),
    (["mcp"], "--timeout", 1, 3_600), (["clip", "qr", "https://example.com"], "--scale", 1, 100),
  ])
  func aNumberOutsideItsBoundsIsRefused(words: [String], flag: String, least: Int, most: Int) throws {
    let tool = try Tool()
    try tool.write(#"{"aps":{"content-available":1}}"#, to: "silent.apns")
    try tool.write(PushTests.key, to: "key.p8")
    let token = String(repeating: "a", count: 64)
    let needs =
      switch words.prefix(2).joined(separator: " ") {
      case "push send": ["--token", token, "--topic", "com.example.app", "--alert", "Hi", "--dry-run"]
      case "push activity":
        ["--token", token, "--topic", "com.example.app", "--content-state", "{}", "--dry-run"]
      case "apn push":
        [token, "--alert", "Hi", "--topic", "com.example.app"] + PushTests.keyFlags
      default: words == ["explain"] ? ["--push", "silent.apns"] : []
      }
    for number in ["\(least - 1)", "\(most + 1)", "9223372036854775808", "many"] {
      let run = try tool.run(words + needs + [flag, number])
      let message = "'\(flag)': expected an integer from \(least) to \(most), got '\(number)'."
      #expect(run.status == 2 && run.errors.contains(message), "\(run.errors)")
    }
  }

  /// No command fetches what it reads as a file.
  @Test(arguments: [
    ["match", "--file", "URL", "https://example.com/a"], ["match", "--urls", "URL", "--file", "file"],
    ["match", "--file", "file", "--app", "URL", "https://example.com/a"],
    ["coverage", "--file", "file", "--urls", "URL"], ["generate", "URL"], ["verify", "URL"],
    ["diff", "file", "URL"],
    ["push", "lint", "URL"], ["review", "URL"], ["inspect", "URL"], ["oracle", "--read", "URL"],
    ["doctor", "example.com", "--app", "URL"], ["simulate", "URL"],
  ])
  func aURLIsNoFile(words: [String]) throws {
    let tool = try Tool()
    try tool.write(CheckTests.good, to: "file")
    for url in ["https://example.com/aasa.json", "HTTP://example.com/aasa.json"] {
      let run = try tool.run(words.map { $0 == "URL" ? url : $0 })
      #expect(run.status == 2)
      #expect(run.errors.contains("is a URL; expected a file."), "\(run.errors)")
      #expect(run.errors.contains("'linkspan check URL' and 'linkspan doctor URL' ask its host."))
    }
    // A folder may have such a name.
    try tool.write(CheckTests.good, to: "https:/example.com/file")
    let run = try tool.run("match", "--file", "https://example.com/file", "https://example.com/buy/1")
    #expect(run.errors.isEmpty)
  }

  @Test(arguments: [
    ["--help"], ["help"], [], ["check", "--help"], ["help", "match"], ["--version"], ["-h"], ["-V"],
    ["check", "-h"], ["swcutil", "match", "-h"],
  ])
  func helpIsAnAnswer(words: [String]) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("linkspan "))
    #expect(outcome.errors == "")
  }

  @Test(arguments: [["check", "x", "--nope", "--help"], ["check", "--nope", "-h", "--"]])
  func helpIsAnAnswerBesideWrongWords(words: [String]) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 0 && outcome.output.hasPrefix("linkspan check "))
  }

  /// The status of the help is that of a match, and the URL of a script may come from a stranger.
  @Test(arguments: [
    ["--file", "file", "--", "-h"], ["--file", "file", "--", "--help"],
    ["--file", "file", "x", "--app", "-h"], ["--file", "-h", "x"],
  ])
  func aURLOrAValueAsksForNoHelp(words: [String]) throws {
    let tool = try Tool()
    try tool.write(MatchTests.file, to: "file")
    let outcome = try tool.run(["match"] + words)
    #expect(outcome.status != 0)
    #expect(!outcome.output.hasPrefix("linkspan match"), "\(outcome.output)")
  }

  static let wrongWords: [(words: [String], message: String)] = [
    (
      ["chekc"],
      "linkspan: error: there is no command 'chekc'. Did you mean 'check'?\n  Run 'linkspan help --all' for the list.\n"
    ),
    (["nope"], "linkspan: error: there is no command 'nope'.\n  Run 'linkspan help --all' for the list.\n"),
    (
      ["version"],
      "linkspan: error: there is no command 'version'. Did you mean '--version'?\n  Run 'linkspan help --all' for the list.\n"
    ),
    (
      ["push", "send", "--priority", "7"],
      "linkspan push send: error: '--priority': expected 1, 5 or 10, got '7'.\n"
        + "  Usage: linkspan push send [flags]; 'linkspan push send --help' describes it.\n"
    ),
    (
      ["push", "send", "--collapse-id", "a\nb"],
      "linkspan push send: error: '--collapse-id': expected text of 1 to 64 bytes without control characters.\n"
        + "  Usage: linkspan push send [flags]; 'linkspan push send --help' describes it.\n"
    ),
    (
      ["--json", "check", "x"],
      "linkspan: error: '--json' comes before the command.\n  Put flags after the command. Run 'linkspan help --all' for the list.\n"
    ),
    (
      ["swcutil", "--json"],
      "linkspan swcutil: error: COMMAND is missing.\n  Usage: linkspan swcutil COMMAND [flags]; 'linkspan swcutil --help' describes it.\n"
    ),
    (
      ["match", "--batch", "/"],
      "linkspan match: error: '/' is a directory; expected a file.\n"
    ),
    (
      ["rules", "--markdown", "--json"],
      "linkspan rules: error: '--markdown' and '--json' ask for two formats.\n"
        + "  Usage: linkspan rules [RULE…] [flags]; 'linkspan rules --help' describes it.\n"
    ),
    (
      ["check"],
      "linkspan check: error: SITE… is missing.\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it.\n"
    ),
    (
      ["check", "x", "--jsno"],
      "linkspan check: error: there is no flag '--jsno'. Did you mean '--json'?\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it.\n"
    ),
    (
      ["check", "x", "--host"],
      "linkspan check: error: '--host' needs a value: HOST.\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it.\n"
    ),
    (
      ["check", "-", "--ca", "ca.pem"],
      "linkspan check: error: '--ca' needs a host among the SITEs; if a file or folder has the same name, write "
        + "'https://HOST'.\n  Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it.\n"
    ),
    (
      ["check", "-", "--team", "ABCDE12345"],
      "linkspan check: error: '--team' needs an app; name it with '--app'.\n"
        + "  Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it.\n"
    ),
    (
      ["rollback", "example.com", "--list", "--to", "3"],
      "linkspan rollback: error: '--to' does not go with '--list', which changes nothing.\n"
        + "  Usage: linkspan rollback HOST [flags]; 'linkspan rollback --help' describes it.\n"
    ),
    (
      ["rollback", "a.example", "b.example", "--state", "state"],
      "linkspan rollback: error: unexpected argument 'b.example'.\n"
        + "  Usage: linkspan rollback HOST [flags]; 'linkspan rollback --help' describes it.\n"
    ),
    (
      ["serve", "file", "--host", "a.example:8443"],
      "linkspan serve: error: '--host': no device asks for a host 'a.example:8443', which contains ':', which is not "
        + "allowed in host names.\n  Usage: linkspan serve SITE… [flags]; 'linkspan serve --help' describes it.\n"
    ),
    (
      ["check", "x", "--nope"],
      "linkspan check: error: there is no flag '--nope'.\n"
        + "  Usage: linkspan check SITE… [flags]; 'linkspan check --help' describes it.\n"
    ),
    (
      ["completions", "tcsh"],
      "linkspan completions: error: expected bash, zsh or fish, got 'tcsh'.\n"
        + "  Usage: linkspan completions bash|zsh|fish [flags]; 'linkspan completions --help' describes it.\n"
    ),
    (
      ["--version", "extra"],
      "linkspan: error: unexpected argument 'extra'.\n  '--version' stands alone.\n"
    ),
    (["check", "nowhere/file"], "linkspan check: error: there is no file or folder 'nowhere/file'.\n"),
    (
      ["check", "/proc/self/mem"],
      "linkspan check: error: '/proc/self/mem' cannot be read: Input/output error.\n"
    ),
    (
      ["match", "https://example.com/", "--file", "/"],
      "linkspan match: error: '/' is a directory; expected a file.\n"
    ),
    (
      ["rules", "aasa.unreachible"],
      "linkspan rules: error: there is no rule 'aasa.unreachible'. Did you mean 'aasa.unreachable'?\n"
        + "  Usage: linkspan rules [RULE…] [flags]; 'linkspan rules --help' describes it.\n"
    ),
    (
      ["serve", "x", "--color", "blue"],
      "linkspan serve: error: '--color': expected auto, always or never, got 'blue'.\n"
        + "  Usage: linkspan serve SITE… [flags]; 'linkspan serve --help' describes it.\n"
    ),
  ]

  @Test(arguments: wrongWords)
  func wrongWordsSayWhatAndWhatToDo(words: [String], message: String) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors == message)
  }

  /// What completions offer for a flag is what its command takes, and the answer to any other word lists it.
  @Test func aFlagTakesTheWordsThatCompletionsOfferAndNoOther() throws {
    let tool = try Tool()
    let line = try Regex(
      "complete -c linkspan -n '__linkspan_is ([a-z -]+)'.* -l ([a-z-]+)(?: -s .)? -x -a '([^']+)'",
      as: (Substring, Substring, Substring, Substring).self)
    var count = 0
    for found in try tool.run("completions", "fish").lines.compactMap({ $0.firstMatch(of: line)?.output }) {
      let words = found.3.split(separator: " ")
      count += 1
      let outcome = try tool.run(
        found.1.split(separator: " ").map(String.init) + ["--\(found.2)", "no such word"])
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      let expected = words.dropLast().joined(separator: ", ") + " or " + words.last!
      #expect(
        outcome.errors.contains("error: '--\(found.2)': expected \(expected), got 'no such word'."),
        "\(outcome.errors)")
    }
    #expect(count > 60)
  }

  @Test func colourIsForTerminalsOrWhoAsks() throws {
    let tool = try Tool()
    try tool.write("{]", to: "f")
    let plain = try tool.run("check", "f").output
    let coloured = try tool.run("check", "f", "--color", "always").output
    #expect(!plain.contains("\u{1B}") && coloured.contains("\u{1B}"))
  }

  /// Where no terminal says how wide text may be, `COLUMNS` does; JSON, XML and patches are never broken.
  @Test func textFitsTheColumnsOfTheEnvironment() throws {
    let tool = try Tool()
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","exlude":true}]}]}}"#,
      to: "f")
    for words in [
      ["check", "f"], ["match", "https://example.com/b", "--file", "f"], ["match", "--fiel", "f"],
    ] {
      let outcome = try tool.run(words, environment: ["COLUMNS": "48"])
      for line in (outcome.output + outcome.errors).split(separator: "\n") where !line.hasPrefix("  1 | ") {
        #expect(line.count <= 48 || line.hasPrefix("    |"), "\(words): \(line)")
      }
      #expect(
        try tool.run(words).output.split(separator: "\n").contains { $0.count > 48 } || words[1] == "--fiel")
    }
    let wide = try tool.run("check", "f", "--json")
    #expect(try tool.run(["check", "f", "--json"], environment: ["COLUMNS": "48"]).output == wide.output)
    let patch = try tool.run("check", "f", "--fix", "--dry-run")
    #expect(
      try tool.run(["check", "f", "--fix", "--dry-run"], environment: ["COLUMNS": "48"]).output
        == patch.output)
    #expect(
      try tool.run(["check", "f"], environment: ["COLUMNS": "wide"]).output == tool.run("check", "f").output)
  }

  @Test(.enabled(if: PlayedTerminal.isThere, Comment(rawValue: PlayedTerminal.isMissing)))
  func colourOfErrorsIsForTerminalsOrWhoAsksToo() throws {
    let tool = try Tool()
    #expect(try tool.run("match", "x", "--file", "none", "--color", "always").errors.contains("\u{1B}"))
    let typed = "'\(Tool.binary.path)' match x --file none"
    func onATerminal(_ flags: String) throws -> String {
      let process = Process()
      process.executableURL = URL(filePath: PlayedTerminal.program)
      process.arguments = ["--quiet", "--command", typed + flags, "/dev/null"]
      process.environment = Tool.environment.merging(["TERM": "xterm"]) { $1 }
      let output = Pipe()
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text
    }
    #expect(try onATerminal("").contains("\u{1B}"))
    #expect(try !onATerminal(" --color never").contains("\u{1B}"))
  }

  @Test(arguments: [
    ["completions", "bash"], ["manual"], ["manual", "linkspan.1"], ["init", "-"], ["rules", "aasa.size"],
  ])
  func everyLineOfJSONIsAnObjectWithItsType(words: [String]) throws {
    let outcome = try Tool().run(words + ["--json"])
    #expect(outcome.status == 0)
    #expect(try outcome.lines.indices.allSatisfy { try outcome.json(line: $0)["type"] is String })
  }

  /// What a person sees first is one screen, and each of its tasks and commands is there.
  @Test func helpIsOneScreenOfTasks() throws {
    let tool = try Tool()
    let all = Set(try CommandHelp.leaves(tool).map { $0.words[0] })
    for words in [["help"], ["--help"], []] {
      let text = try tool.run(words, environment: ["COLUMNS": "80"]).output
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 }, "\(text)")
      #expect(lines.filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.count <= 7)
      let named = Set(text.matches(of: /([a-z-]+)\s+\(/).map { String($0.1) })
      #expect(all.subtracting(named).isEmpty, "\(all.subtracting(named))")
    }
    let task = try tool.run("help", "why")
    #expect(task.output.hasPrefix("Find out why\n  doctor") && task.status == 0)
    #expect(try tool.run("help", "serve").output.hasPrefix("linkspan serve — "))
    let pushes = try tool.run("help", "pushes").output
    for name in ["push", "apn", "explain --push", "stand-in apns", "serve --registry", "registry", "token"] {
      #expect(pushes.contains("\n  \(name) "), "\(pushes)")
    }
  }

  /// The list in the help names the commands; a long example goes on behind a backslash, as a shell reads it.
  @Test func helpFitsItsWidth() throws {
    let tool = try Tool()
    let list = try tool.run("help", "--all", environment: ["COLUMNS": "400"]).lines
    let commands = list.filter { $0.hasPrefix("  ") }.compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    #expect(commands.count > 8)
    for command in commands {
      for width in [40, 57, 80, 118] {
        let help = try tool.run([command, "--help", "--all"], environment: ["COLUMNS": "\(width)"]).output
        let long = help.split(separator: "\n").filter { $0.count > width }
        #expect(long.isEmpty, "\(command), \(width) columns: \(long)")
      }
    }
  }

  @Test(.enabled(if: PlayedTerminal.isThere, Comment(rawValue: PlayedTerminal.isMissing)))
  func textFitsANarrowTerminal() throws {
    let tool = try Tool()
    try tool.write(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","exlude":true}]}]}}"#,
      to: "f")
    for words in ["check f", "match https://example.com/b --file f"] {
      let process = Process()
      process.executableURL = URL(filePath: PlayedTerminal.program)
      process.currentDirectoryURL = tool.folder
      process.arguments = [
        "--quiet", "--command", "stty cols 40; '\(Tool.binary.path)' \(words) --color never", "/dev/null",
      ]
      process.environment = Tool.environment
      let output = Pipe()
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let lines = text.split(whereSeparator: \.isNewline)
      #expect(lines.count > 2)
      #expect(lines.allSatisfy { $0.count <= 40 }, "\(text)")
    }
  }

  @Test func aCommandThatIsAsApplesToolSaysSo() throws {
    let help = try Tool().run("swcutil", "match", "--help").output
    #expect(help.hasSuffix("Exit status: 0 whatever the answer, 2 could not answer.\n"))
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
  /// What most people need comes first; the rest is behind `--all`.
  @Test func theHelpOfACommandIsShort() throws {
    let tool = try Tool()
    for command in try CommandHelp.leaves(tool) {
      let text = try tool.run(command.words + ["--help"], environment: ["COLUMNS": "80"]).output
      let count = text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(count <= 72, "\(command.words) has \(count) lines")
      #expect(text.contains("more: 'linkspan") || command.flags.count <= 30, "\(command.words)")
    }
  }

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
    #expect(text.hasPrefix("linkspan: error: cannot write the output: No space left on device.\n"))
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
