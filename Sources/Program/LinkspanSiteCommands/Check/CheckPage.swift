internal import AssociationDelivery
internal import LinkspanCore

/// A check as a report.
struct CheckPage {
  /// What was checked, by name.
  let subjects: [String]
  let findings: [Finding]
  let diagnosis: [Diagnosis]
  let notChecked: [String]
  /// The counts of the findings in words.
  let counted: String

  var html: String {
    ReportPage(
      "Check of \(Self.names(subjects))", verdict: "\(verdict)", standing,
      evidence: [problems, causes, left], remedies: remedies
    ).html
  }

  private var verdict: String {
    let count = subjects.count.counted("file")
    return subjects.isEmpty ? "\(counted); no file retrieved." : "\(count): \(counted)."
  }

  private var standing: ReportPage.Standing {
    if findings.count(of: .error) > 0 { return .bad }
    return findings.count(of: .warning) > 0 || subjects.isEmpty ? .doubtful : .good
  }

  private static func names(_ subjects: [String]) -> String {
    switch subjects.count {
    case 0: "hosts"
    case 1...3: subjects.joined(separator: ", ")
    default: "\(subjects[0]) and \(subjects.count - 1) other files"
    }
  }

  /// The worst first; of the same severity in the order of the files.
  private var problems: ReportPage.Evidence {
    let sorted = Finding.Severity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
    return .table(
      ReportPage.Table(
        "Findings", columns: ["Severity", "Place", "What", "Rule"],
        cells: sorted.map { finding in
          let excerpt: Markup =
            finding.location.shownExcerpt.map { "<br><code>\($0)</code>" as Markup } ?? .none
          return [
            "\(finding.severity.rawValue)", "\(Self.place(finding.location))", "\(finding.message)\(excerpt)",
            "\(finding.rule)",
          ]
        }))
  }

  private static func place(_ location: Finding.Location) -> String {
    location.file + (location.start.map { ", line \($0.line), column \($0.column)" } ?? "")
  }

  private var causes: ReportPage.Evidence {
    let named = diagnosis.filter { $0.cause != .nothingWrong }
    return .table(
      ReportPage.Table(
        "What this means", columns: ["Cause", "Because of"],
        rows: named.map { [$0.sentence, $0.because.joined(separator: ", ")] }))
  }

  private var left: ReportPage.Evidence {
    .table(ReportPage.Table("Not checked", columns: ["What"], rows: notChecked.map { [$0] }))
  }

  /// First what mends a cause, then what the findings say; the same advice once.
  private var remedies: [Markup] {
    var steps: [String] = []
    func add(_ step: String) {
      if !steps.contains(step) { steps.append(step) }
    }
    for item in diagnosis where item.cause != .nothingWrong { for step in item.next { add(step) } }
    for finding in findings where finding.severity != .note {
      if let help = finding.wholeHelp { add(help) }
    }
    return steps.map { "\($0)" }
  }
}
