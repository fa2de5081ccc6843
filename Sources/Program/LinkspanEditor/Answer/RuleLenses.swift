internal import AppSiteAssociation
internal import AssociationCheck
internal import LinkspanCore

/// A line above each rule of an association file: which of the sample URLs it decides, or a URL for example.
enum RuleLenses {
  /// How many URLs a line names. Ours.
  private static let shownCount = 3

  /// - Parameters:
  ///   - samples: URLs that somebody listed.
  ///   - others: How many lines of the list are no URLs.
  ///   - foreign: How many lines are URLs of hosts that the file does not speak for.
  static func json(_ document: EditorDocument, samples: [String], others: Int, foreign: Int) -> JSON {
    guard document.kind == .site else { return .array([]) }
    let source = AssociationSource(document.source)
    var work = WorkBudget.answer
    var remark =
      others == 0 ? "" : " (\(others.counted("line")) of the list \(others == 1 ? "is" : "are") no URL)"
    if foreign > 0 {
      remark += " (\(foreign.counted("line")) of the list \(foreign == 1 ? "is" : "are") of other hosts)"
    }
    let decisions = RuleDecisions(of: source, samples: samples, host: document.shownHost, &work)
    return .array(
      decisions.rows.map { row in
        .object([
          ("range", document.text.span(row.range).json),
          (
            "command",
            .object([("title", .string(title(row, samples) + remark)), ("command", .string(""))])
          ),
        ])
      })
  }

  private static func title(_ row: RuleDecisions.Row, _ samples: [String]) -> String {
    let effect = row.isExclusion ? "excludes" : "matches"
    switch row.example {
    case .unmatched: return "decides no URL: no URL that a device opens matches it"
    case .covered: return "decides no URL: earlier rules decide in its place"
    case .decides, .open: break
    }
    guard samples.isEmpty else {
      guard !row.samples.isEmpty else {
        return "\(effect) none of \(samples.count) sample URLs" + example(row)
      }
      let shown = row.samples.prefix(shownCount).map { samples[$0].withoutCredentials.onOneLine }.joined(
        separator: ", ")
      let more = row.samples.count > shownCount ? " and \(row.samples.count - shownCount) more" : ""
      return "\(effect) \(row.samples.count) of \(samples.count) sample URLs: \(shown)\(more)"
    }
    guard case .decides(let url) = row.example else { return "not decided which URLs it \(effect)" }
    return "\(effect), for example, \(url.onOneLine)"
  }

  private static func example(_ row: RuleDecisions.Row) -> String {
    if case .decides(let url) = row.example { ", but for example \(url.onOneLine)" } else { "" }
  }
}
