internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider
internal import RuleCatalogue

extension Command {
  static let pushLint = Command(
    name: "push lint", summary: "Is this payload right for its push type?", operands: "FILE…",
    discussion: """
      FILE is a payload in JSON, a simulator's .apns file, a recorded request with "headers" and "payload", or '-' for
      standard input. Without --push-type the headers of a recorded request say what it is, else the keys of 'aps' do:
      the type that 'linkspan explain --push' and 'linkspan push send' infer as well.

      What APNs refuses for the headers and the size is an error that names its reason, such as TopicDisallowed. A header
      that is not known and decides is listed as not checked. With --header the request has the headers that are named
      and those of a recorded request, and no others. 'linkspan rules' lists every rule.
      """,
    flags: [
      .pushType,
      Flag(
        "--header", "NAME:VALUE", repeats: true, "A header of the request, such as apns-topic:com.example.app"
      ),
      Flag(
        "--format", "FORMAT", choices: CheckFormat.allCases.map { $0.rawValue },
        "text, json, sarif, junit, github or gitlab, its code quality (text)"),
    ],
    examples: [
      "linkspan push lint payload.json --push-type background", "linkspan push lint *.apns",
      "linkspan push lint payload.json --header apns-topic:com.example.app --header apns-push-type:alert",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...Int.max)
    let format = try CheckFormat(arguments)
    let headers = try headers(arguments)
    var decisions: [PushDecision] = []
    for path in arguments.operands {
      decisions.append(PushDecision(PayloadSource(try FileReader.read(path), headers: headers)))
    }
    report(decisions, files: arguments.operands, format, to: console)
    return decisions.contains { !$0.errors.isEmpty } ? .no : .yes
  }

  /// What the flags say of the request.
  private static func headers(_ arguments: Arguments) throws(LinkspanError) -> PushHeaders {
    var fields: [(name: String, value: String)] = []
    for text in arguments.all("--header") {
      guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
        throw arguments.usage("'--header': expected NAME:VALUE, got '\(text)'")
      }
      fields.append((String(text[..<colon]), String(text[text.index(after: colon)...].drop { $0 == " " })))
    }
    var headers = fields.isEmpty ? PushHeaders() : PushHeaders(fields)
    if let type = arguments.value("--push-type") {
      if let other = headers.type?.text, other != type {
        throw arguments.usage(
          "'--push-type \(type)' and '--header apns-push-type:\(other)' contradict each other; give one of them"
        )
      }
      headers.type = .init(type)
    }
    return headers
  }

  /// The headers that decide and are not known, each once.
  private static func notChecked(_ decisions: [PushDecision]) -> [String] {
    var items = ["whether the device token, the topic and the app belong together"]
    for header in decisions.flatMap({ $0.missing }) {
      let item = "the header \(header.name): \(header.consequence)"
      if !items.contains(item) { items.append(item) }
    }
    return items
  }

  private static func report(
    _ decisions: [PushDecision], files: [String], _ format: CheckFormat, to console: Console
  ) {
    let findings = decisions.flatMap { $0.findings }
    let notChecked = notChecked(decisions)
    let report = CheckReport(
      tool: ("linkspan", Program.version), files: files, findings: findings, notChecked: notChecked,
      rules: FindingRule.all)
    let summary = "\(files.count.counted("file")): \(findings.counted)"
    switch format {
    case .json:
      console.print(
        .object([
          ("type", .string("push-lint")), ("findings", .array(findings.map { $0.json })),
          ("summary", findings.summaryJSON), ("not_checked", .array(notChecked.map(JSON.string))),
        ]))
    case .sarif: console.print(report.sarif)
    case .junit: console.printRaw(report.junit)
    case .gitlab: console.print(report.gitLab)
    case .github:
      console.printAnnotations(report.gitHubAnnotations)
      console.print(summary)
    case .text:
      for finding in findings { console.print(finding.text(style: console.style)) }
      console.print(summary)
      console.print("Not checked:")
      for item in notChecked { console.print("  - \(item)") }
    }
  }
}
