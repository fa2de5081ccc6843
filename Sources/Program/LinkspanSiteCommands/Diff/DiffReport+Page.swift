internal import AppSiteAssociation
internal import AssociatedDomains
internal import LinkspanCore

extension DiffReport {
  /// The comparison as a report.
  var html: String {
    ReportPage(
      "Which URLs behave differently: \(newName)", verdict: "\(summary)",
      isEqual ? .good : .doubtful, facts: ["Before: \(oldName). After: \(newName)."],
      evidence: [changes, precedence, services, undecided], remedies: remedies
    ).html
  }

  private var changes: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Changed, each with a URL that shows it", columns: ["URL", "App", "Before", "After", "Releases"],
        rows: groups.map { group in
          let change = group.change
          func cell(_ side: FileComparison.Side) -> String {
            Self.words(side.decision.verdict) + (side.decision.entry == nil ? "" : ": \(Self.rule(side))")
          }
          return [
            change.url, group.apps.joined(separator: ", "), cell(change.old), cell(change.new),
            releases(of: change) ?? "all that were compared",
          ]
        }))
  }

  private var precedence: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Opened by another app, where both are installed", columns: ["URL", "Before", "After", "Releases"],
        rows: comparison.precedence.map {
          [$0.url, $0.old, $0.new, $0.releases?.name ?? "all that were compared"]
        }))
  }

  private var services: ReportPage.Evidence {
    var rows: [[String]] = []
    for change in comparison.services {
      rows += change.added.map { [change.service.rawValue, $0, "is new"] }
      rows += change.removed.map { [change.service.rawValue, $0, "is gone"] }
    }
    return .table(ReportPage.Table("Other services", columns: ["Service", "App", "Change"], rows: rows))
  }

  private var undecided: ReportPage.Evidence {
    .table(
      ReportPage.Table("Not decided", columns: ["What"], rows: comparison.undecided.map { [$0] }))
  }

  private var remedies: [Markup] {
    var steps: [Markup] = []
    if !groups.isEmpty {
      steps.append(
        "Look at each URL: is the change meant? If not, correct the rule that decides it after the change, and compare again."
      )
    }
    if !comparison.precedence.isEmpty {
      steps.append(
        "Is another order of the entries meant? The first that matches wins among the apps of a device.")
    }
    if !comparison.services.isEmpty {
      steps.append("An app that is gone loses the service on every device that fetches the new file.")
    }
    if !comparison.undecided.isEmpty {
      steps.append("Try the rules that were not decided with 'linkspan match' and URLs of your own.")
    }
    return steps
  }
}
