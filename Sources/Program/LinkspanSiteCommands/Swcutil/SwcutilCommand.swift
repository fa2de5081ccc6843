internal import AppSiteAssociation
internal import AssociatedDomains
import AssociationCheck
internal import HeldURLs
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import Swcutil

extension Command {
  /// Apple's own tool for associated domains, on Linux (section 11.1).
  package static let swcutil = Command(
    name: "swcutil", summary: "Apple's swcutil on Linux: verify, match and show; explain what a device says",
    operands: "COMMAND",
    discussion: """
      'verify' and 'match' take the arguments of Apple's tool and print its lines, so that scripts for a Mac run
      unchanged. As with Apple's tool, the answer is in the text, and the exit status is 0 whatever it is. Where there is
      no answer, as for a file that cannot be read, the exit status is 2.
      A URL is what NSURL makes of the argument on the newest release: percent-encoded, with its host in Punycode, and
      otherwise as it is written. Unlike Apple's tool, it does not print a URL's user and password: '…' stands for them.
      """,
    flags: [],
    examples: [
      "linkspan swcutil match -u https://example.com/buy/1 -j '{\"/\":\"/buy/*\"}'",
      "linkspan swcutil verify -d example.com -j apple-app-site-association -u https://example.com/buy/1",
    ],
    subcommands: [.swcutilVerify, .swcutilMatch, .swcutilShow, .swcutilExplain],
    elsewhere: [
      ("dl", "It asks Apple's servers from a Mac; 'linkspan check HOST' says what they and the host answer."),
      ("get", "It reads the device it runs on; 'linkspan swcutil explain FILE' reads what a device wrote."),
      ("watch", "It follows a device's log; 'linkspan swcutil explain FILE' reads log lines from a file."),
      ("openul", "It opens an app on a device; 'linkspan explain URL' says which app a link opens."),
      ("reset", "It empties a device's database; in 'linkspan simulate STORY' every device begins empty."),
      (
        "developer-mode",
        "It sets a switch of a device; 'linkspan simulate STORY' simulates devices with and without it."
      ),
    ]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  private static let asApplesTool = "0 whatever the answer, 2 could not answer"

  static let swcutilVerify = Command(
    name: "swcutil verify", summary: "Which apps does this file name, and do they get a URL?",
    operands: "",
    discussion: """
      Prints one line for each app that the file sends the URL to or keeps it from. Apps of services without
      URL matching, such as webcredentials, are always reported as matching, as Apple's tool does. Without -u it lists
      the apps.
      """,
    flags: [
      Flag("--domain", short: "-d", "DOMAIN", "The domain of the file (the URL's own)"),
      Flag("--file", short: "-j", "JSON-OR-PATH", "The association file: JSON, or a path"),
      Flag("--url", short: "-u", "URL", "The URL to match"),
    ],
    examples: [
      "linkspan swcutil verify -d example.com -j apple-app-site-association -u https://example.com/buy/1"
    ],
    exitStatus: asApplesTool
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let text = try SwcutilInput.read(arguments)
    let file = try AssociationSource.named(text, console).1
    let url = arguments.value("--url").map { LinkURL(written: $0, in: .code) }
    let verify = SwcutilVerify(file, domain: arguments.value("--domain"), url: url)
    if arguments.has("--json") {
      let answers = verify.answers.map { answer in
        JSON.object([
          ("service", .string(answer.service.rawValue)), ("app", .string(answer.app)),
          ("decision", .init(answer.verdict?.rawValue)),
        ])
      }
      console.print(
        .object(
          [
            ("type", .string("swcutil-verify")), ("domain", .init(arguments.value("--domain") ?? url?.host)),
            ("url", .init(url?.written.withoutUserInformation)), ("answers", .array(answers)),
            ("lines", .array(verify.lines.map(JSON.string))),
          ] + (url?.held?.members ?? []) + (verify.isDecided ? [] : [("decided", .bool(false))])))
    } else {
      for line in verify.lines { console.printUnbroken(line.onOneLine, terminator: "\n") }
    }
    return verify.isDecided || verify.answers.contains { $0.verdict != nil } ? .yes : .failed
  }

  static let swcutilMatch = Command(
    name: "swcutil match", summary: "Does one rule, or one of several, cover a URL?", operands: "",
    discussion: """
      Takes a rule as written in "components", or an array of them, and looks at the URL's path, query and
      fragment only. "exclude" does not count: the line says whether the pattern covers the URL.
      """,
    flags: [
      Flag("--url", short: "-u", "URL", "The URL to match"),
      Flag("--file", short: "-j", "JSON-OR-PATH", "The rule: JSON, or a path"),
    ],
    examples: ["linkspan swcutil match -u https://example.com/buy/1 -j '{\"/\":\"/buy/*\"}'"],
    exitStatus: asApplesTool
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    guard let url = arguments.value("--url").map({ LinkURL(written: $0, in: .code) }) else {
      throw arguments.usage("'-u' is missing")
    }
    let text = try SwcutilInput.read(arguments)
    let document = JSONParser.parse(text.bytes)
    if let error = document.errors.first {
      let place = text.position(at: error.range.lowerBound)
      throw LinkspanError("\(text.name):\(place.line):\(place.column): \(error.message).")
    }
    guard let match = document.root.flatMap({ SwcutilMatch($0, url: url) }) else {
      throw LinkspanError(
        "'\(text.name)' is neither a rule nor an array of rules.",
        help: "A rule is an object such as {\"/\":\"/buy/*\"}.")
    }
    if arguments.has("--json") {
      console.print(
        .object(
          [
            ("type", .string("swcutil-match")), ("url", .string(url.written.withoutUserInformation)),
            ("index", .init(match.index)), ("text", .string(match.text)),
          ] + (url.held?.members ?? []) + (match.isDecided ? [] : [("decided", .bool(false))])))
    } else {
      console.printUnbroken(match.text, terminator: "\n")
    }
    return match.isDecided ? .yes : .failed
  }
}

/// What stands behind `-j`.
private enum SwcutilInput {
  /// JSON begins with a brace or a bracket, as Apple's tool has it; everything else is a path.
  static func read(_ arguments: Arguments) throws(LinkspanError) -> SourceText {
    guard let value = arguments.value("--file") else { throw arguments.usage("'-j' is missing") }
    let first = value.first { !$0.isWhitespace }
    return first == "{" || first == "["
      ? SourceText(name: "-j", value) : try FileReader.read(value)
  }
}
