internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushProvider

extension Command {
  static let pushLint = Command(
    name: "push lint", summary: "Is this payload right for its push type?", operands: "FILE…",
    discussion: """
      FILE is a payload in JSON, a simulator's .apns file, a recorded request with "headers" and "payload", or '-' for
      standard input. Without --push-type the headers of a recorded request say what it is, else the keys of 'aps' do.
      'linkspan rules' lists every rule.
      """,
    flags: [
      pushTypeFlag,
      Flag(
        "--format", "FORMAT", choices: CheckFormat.allCases.map(\.rawValue),
        "text, json, sarif, junit or github (text)"),
    ],
    examples: ["linkspan push lint payload.json --push-type background", "linkspan push lint *.apns"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...Int.max)
    let format = try CheckFormat(arguments)
    var headers = PushHeaders()
    headers.type = arguments.value("--push-type").map { .init($0) }
    if let type = headers.type, PushType(rawValue: type.text) == nil {
      let near = Arguments.nearest(to: type.text, among: PushType.allCases.map(\.rawValue))
      throw arguments.usage(
        "unknown push type '\(type.text)'" + (near.map { ". Did you mean '\($0)'?" } ?? ""))
    }
    var findings: [Finding] = []
    for path in arguments.operands {
      findings += PayloadChecker.findings(
        in: PayloadSource(try FileReader.read(path), headers: headers))
    }
    report(findings, files: arguments.operands, format, to: console)
    return findings.count(of: .error) > 0 ? .no : .yes
  }

  private static func report(
    _ findings: [Finding], files: [String], _ format: CheckFormat, to console: Console
  ) {
    let notChecked = ["whether the device token, the topic and the app belong together"]
    let report = CheckReport(
      tool: ("linkspan", Program.version), files: files, findings: findings, notChecked: notChecked,
      rules: FindingRule.all)
    let summary = "\(files.count == 1 ? "1 file" : "\(files.count) files"): \(counted(findings))"
    switch format {
    case .json:
      console.print(
        .object([
          ("type", .string("push-lint")), ("findings", .array(findings.map(\.json))),
          ("summary", findings.summaryJSON), ("not_checked", .array(notChecked.map(JSON.string))),
        ]))
    case .sarif: console.print(report.sarif)
    case .junit: console.printRaw(report.junit)
    case .github:
      console.printAnnotations(report.gitHubAnnotations)
      console.print(summary)
    case .text:
      for finding in findings { console.print(finding.text(style: console.style)) }
      console.print(summary)
    }
  }

  private static func counted(_ findings: [Finding]) -> String {
    let parts = Finding.Severity.allCases.compactMap { severity in
      let count = findings.count(of: severity)
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    return parts.isEmpty ? "no problems found" : parts.joined(separator: ", ")
  }
}
