package import LinkspanCommand
internal import LinkspanCore
internal import RuleCatalogue
internal import SourceReview

extension Command {
  package static let review = Command(
    name: "review", summary: "Does the app's code handle links, activities and its privacy cover right?",
    operands: "PATH…",
    discussion: """
      PATH is a file of Swift or Objective-C (.swift, .m, .mm), or a folder, of which all such files are read. Name
      related files in one call, so that extensions in other files are found. An Info.plist among them says whether the
      app has scenes.

      Looks for the mistakes that lose links and leak screens: an activity used without its type, a link that is lost when
      it starts the app, a link handled twice, a privacy cover that stays on, observers that are never removed. Reads words
      and brackets, not types, and keeps quiet when in doubt. 'linkspan rules' lists every rule with examples.

      Folders named Pods, Carthage, DerivedData, node_modules, build and those that begin with a dot are left out unless
      you name them. Files that cannot be read, are not UTF-8 or have more than a megabyte are named under "Not checked".
      One call does a limited amount of work, enough for about 30 MB of sources; of more, the largest files that belong
      together are left out. "Not checked" says how many, and names the first.
      """,
    flags: [
      Flag(
        "--format", "FORMAT", choices: CheckFormat.allCases.map(\.rawValue),
        "text, json, sarif, junit, github or gitlab, its code quality (text)")
    ],
    examples: ["linkspan review Sources", "linkspan review App/SceneDelegate.swift --format github"],
    exitStatus:
      "0 no errors, 1 errors found, 2 no errors found and something could not be read or was left out"
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...Int.max)
    let format = try CheckFormat(arguments)
    var sources = try SourceFiles(arguments.operands)
    let findings = try sources.findings()
    let report = CheckReport(
      tool: ("linkspan", Program.version), files: sources.names,
      findings: findings, notChecked: sources.notChecked, rules: FindingRule.all)
    switch format {
    case .json:
      console.print(
        .object([
          ("type", .string("review")), ("findings", .array(report.findings.map(\.json))),
          ("summary", report.findings.summaryJSON), ("files", .int(sources.names.count)),
          ("decided", .bool(sources.isComplete)),
          ("not_checked", .array(sources.notChecked.map(JSON.string))),
        ]))
    case .sarif: console.print(report.sarif)
    case .junit: console.printRaw(report.junit)
    case .gitlab: console.print(report.gitLab)
    case .github:
      console.printAnnotations(report.gitHubAnnotations)
      console.print(summary(report))
    case .text:
      for finding in report.findings { console.print(finding.text(style: console.style)) }
      console.print(summary(report))
      console.print("Not checked:")
      for item in sources.notChecked { console.print("  - \(item)") }
    }
    if format != .text, sources.names.isEmpty, sources.problems.isEmpty {
      console.note("no file was reviewed; \(sources.notChecked.last ?? "")")
    }
    // In the text they are under "Not checked".
    if format != .text { for problem in sources.problems { console.note(problem.text) } }
    if report.findings.count(of: .error) > 0 { return .no }
    return sources.problems.isEmpty && !sources.names.isEmpty ? .yes : .failed
  }

  private static func summary(_ report: CheckReport) -> String {
    if report.files.isEmpty { return "no file was reviewed" }
    return "\(report.files.count.counted("file")): \(report.findings.counted)"
  }
}
