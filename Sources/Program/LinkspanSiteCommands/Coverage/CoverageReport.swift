internal import AppSiteAssociation
internal import LinkCoverage
internal import LinkspanCommand
internal import LinkspanCore

/// Counts in the forms that people and programs read.
struct CoverageReport {
  private let count: CoverageCount
  private let routes: RouteCoverage?
  /// Whether URLs were to be counted; else only the routes are compared.
  private let hasInput: Bool

  private static let shownCount = 20

  init(_ count: CoverageCount, _ routes: RouteCoverage?, hasInput: Bool) {
    self.hasInput = hasInput
    self.count = count
    self.routes = routes
  }

  /// - Parameter page: Where '--html' writes.
  func print(_ arguments: Arguments, page: OutputPlace?, _ console: Console) throws(LinkspanError)
    -> ExitStatus
  {
    try page?.write(Array(html.utf8), console)
    if arguments.has("--json") {
      console.print(.object(count.members + (routes.map { [("routes", $0.json)] } ?? [])))
    } else {
      console.print(text(console.style), terminator: "")
    }
    return routes.map { $0.isComplete } ?? true ? .yes : .no
  }

  private func share(_ part: Int) -> String {
    // In floating point, and at most all: parts that were added up may hold any number.
    count.hits == 0 ? "0 %" : "\(Int((min(1, Double(part) / Double(count.hits)) * 100).rounded())) %"
  }

  /// Behind the counts of lines, where there is something to say.
  private var fetches: String {
    count.fileFetches == 0
      ? "" : ", \(count.fileFetches.counted("request")) for the association file and no page"
  }

  private static func name(_ rule: CoverageCount.Rule) -> String {
    "entry \(rule.entry)" + (rule.rule.map { ", rule \($0)" } ?? "") + " \(rule.settings.json.text)".onOneLine
  }

  private func text(_ style: TextStyle) -> String {
    if !hasInput, let routes { return String(text(routes, style).drop { $0 == "\n" }) }
    var text = "\(count.hits.counted("URL")), \(count.unreadLines.counted("unread line"))\(fetches)\n"
    for (app, opened) in zip(count.applications, count.opened) {
      text += "  open \(app.onOneLine): \(opened) (\(share(opened)))\n"
    }
    text += "  open no app: \(count.unmatched) (\(share(count.unmatched)))"
    text += (count.unmatchedTally.sample.map { ", such as \($0.onOneLine)" } ?? "") + "\n"
    let pairs = zip(count.rules, count.tallies).sorted { $0.1.hits > $1.1.hits }
    let fired = pairs.filter { $0.1.hits > 0 }
    if !fired.isEmpty { text += "\nHits by rule:\n" }
    for (rule, tally) in fired.prefix(Self.shownCount) {
      text += "  \(tally.hits)  \(Self.name(rule))  \((tally.sample ?? "").onOneLine)\n"
    }
    if fired.count > Self.shownCount {
      text += "  … and \((fired.count - Self.shownCount).counted("more rule"))\n"
    }
    let idle = zip(count.rules, count.tallies).filter { $0.1.hits == 0 }
    if !idle.isEmpty, count.hits > 0 {
      text += "\n\(style.paint("Rules that never fire", .yellow)):\n"
      for (rule, _) in idle.prefix(Self.shownCount) { text += "  \(Self.name(rule))\n" }
      if idle.count > Self.shownCount { text += "  … and \(idle.count - Self.shownCount) more\n" }
    }
    if let routes { text += self.text(routes, style) }
    return text
  }

  private func text(_ routes: RouteCoverage, _ style: TextStyle) -> String {
    if routes.isComplete { return "\nThe file claims exactly what the routes show.\n" }
    var text = ""
    if !routes.notShown.isEmpty {
      text += "\n\(style.paint("Opens the app, which has no route", .red)):\n"
      for gap in routes.notShown {
        text += "  \("\(gap.url)  \(gap.app)".onOneLine)\(gap.rule.map { ", rule \($0)" } ?? "")\n"
      }
    }
    if !routes.notClaimed.isEmpty {
      text += "\n\(style.paint("Has a route, and does not open the app", .red)):\n"
      for gap in routes.notClaimed {
        text += "  \("\(gap.url)  \(gap.app)".onOneLine)\(gap.route.map { ", route \($0)" } ?? "")\n"
      }
    }
    for clause in routes.undecided {
      text += "\nNot decided: \(clause.onOneLine). URLs of this route are left out.\n"
    }
    if !routes.isDecided { text += "\nNot decided within the bound on the work: there may be more.\n" }
    return text
  }

  // MARK: - HTML

  private var html: String {
    let idle = zip(count.rules, count.tallies).filter { $0.1.hits == 0 && !$0.0.isExclusion }.count
    var remedies: [String] = []
    if let sample = count.unruledTally.sample {
      remedies.append(
        "Add a rule for pages that the app handles and that no rule matches, such as \(sample).")
    }
    if idle > 0, count.hits > 0 {
      remedies.append("Look whether \(idle == 1 ? "the rule" : "the \(idle) rules") without a hit can go.")
    }
    let rows = zip(count.rules, count.tallies).sorted { $0.1.hits > $1.1.hits }.map { rule, tally in
      ["\(tally.hits)", Self.name(rule), rule.isExclusion ? "excludes" : "opens", tally.sample ?? ""]
    }
    let apps = zip(count.applications, count.opened).map { [$0, "\($1)", share($1)] }
    let unruled = count.unruledTally.hits
    let unmatched = [
      ("no app: a rule excludes them", count.unmatched - unruled), ("no app: no rule matches them", unruled),
    ].filter { $0.1 > 0 }.map { [$0, "\($1)", share($1)] }
    var evidence: [ReportPage.Evidence] = [
      .table(
        ReportPage.Table(
          "What opens", columns: ["App", "URLs", "Share"], counts: [1, 2], rows: apps + unmatched)),
      .table(
        ReportPage.Table(
          "The shortest URL that no rule matches", columns: ["URL"],
          rows: count.unruledTally.sample.map { [[$0]] } ?? [])),
      .table(
        ReportPage.Table("Rules", columns: ["Hits", "Rule", "Kind", "Sample"], counts: [0], rows: rows)),
    ]
    if let routes {
      for (title, gaps) in [
        ("Opens the app, which has no route", routes.notShown),
        ("Has a route, and does not open the app", routes.notClaimed),
      ] {
        let rows = gaps.map { [$0.url, $0.app, $0.route ?? ""] }
        evidence.append(.table(ReportPage.Table(title, columns: ["URL", "App", "Route"], rows: rows)))
        if !gaps.isEmpty {
          remedies.append("\(title): change the file or the routes for the URLs in that table.")
        }
      }
    }
    let unread = count.unreadLines == 0 ? "" : ", \(count.unreadLines.counted("unread line"))"
    let routesAgree = routes.map { $0.isComplete } ?? true
    return ReportPage(
      "Which pages open the app",
      verdict:
        "Of \(count.hits.counted("URL")) \(count.unmatched) open no app (\(share(count.unmatched)))\(unread)\(fetches).",
      !routesAgree ? .bad : count.unmatched == 0 ? .good : .doubtful,
      evidence: evidence, remedies: remedies.map { "\($0)" }
    ).html
  }
}
