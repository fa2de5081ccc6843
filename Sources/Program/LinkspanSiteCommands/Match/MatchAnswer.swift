internal import AppSiteAssociation
internal import HeldURLs
internal import LinkspanCommand
internal import LinkspanCore

/// One answer of `match`, of a batch or not: what one file says of one URL for one app on one release.
struct MatchAnswer {
  let url: LinkURL
  /// nil for a file that names no app.
  let app: String?
  let os: OSVersion?
  let trace: MatchTrace
  /// nil for what is not decided.
  var basis: MatchBasis?
  /// Where releases disagree.
  var readings: [ReleaseReading]?
  /// What Apple's tool said of the open question that decides, where it was asked.
  var oracle: OracleCitation?

  init(_ url: LinkURL, _ app: String?, _ os: OSVersion?, _ trace: MatchTrace, _ basis: MatchBasis?) {
    self.url = url
    self.app = app
    self.os = os
    self.trace = trace
    self.basis = basis
  }

  /// Why a file that names no app matches nothing: what keeps it from any app, else that.
  static func traceWithoutApps(
    _ matcher: AssociationMatcher, _ url: LinkURL, _ host: HostScope
  ) -> MatchTrace {
    var trace = matcher.trace(url, app: "", host: host)
    if case .applicationNotNamed? = trace.miss {
      let entries = matcher.file.appLinks?.entries ?? []
      trace.miss = .noApplication(isHidden: entries.contains { $0.hidesItsApplication(on: matcher.os) })
    }
    return trace
  }

  // MARK: - JSON

  var json: JSON {
    let releases = readings.map { [("by_release", ReleaseTable.json($0))] } ?? []
    return .object(
      [
        ("type", .string("match")), ("url", .string(url.written.withoutUserInformation)),
        ("app", .init(app?.withoutUserInformation)),
        ("os", .init(os?.description)),
      ] + members + (url.held?.members ?? []) + releases)
  }

  /// What every answer has: the decision and what it rests on.
  var members: [(String, JSON)] {
    let decision = trace.decision
    return [
      ("decision", decision.isDecided ? .string(decision.verdict.rawValue) : .null),
      ("entry", .init(decision.entry)), ("rule", .init(decision.rule)), ("reason", .string(trace.reason)),
    ] + (basis?.members ?? [("certainty", .null)]) + (oracle?.members ?? [])
      + (decision.isDecided ? [] : [("decided", .bool(false))])
  }

  // MARK: - Text

  func text(_ style: TextStyle) -> String {
    let verdict =
      switch trace.decision.verdict {
      case _ where !trace.decision.isDecided: style.paint("not decided", .yellow)
      case .match: style.paint("match", .green) + "   "
      case .excluded: style.paint("excluded", .red)
      case .noMatch: style.paint("no match", .yellow)
      }
    var text = "\(verdict)  \(url.written.withoutUserInformation.onOneLine)"
    if let app { text += "  \(app.withoutUserInformation.onOneLine)" }
    if let os { text += "  \(os.name)" }
    text += "\n  \(trace.reason.onOneLine)"
    if let basis, basis.certainty != .documented { text += "  [\(basis.text)]" }
    if let oracle { text += "\n  \(oracle.text.onOneLine)" }
    if let held = url.held, held.isChanged {
      text += "\n  held as \(held.text.withoutUserInformation.onOneLine): \(held.summary)"
    }
    if let readings { text += "\n  by release:\n" + ReleaseTable.text(readings, indent: "    ") }
    return text
  }
}

extension AssociationMatcher {
  /// The applications to answer for when none is named: those the release reads, and where it reads none those of
  /// any.
  var applicationsToAnswer: [String] { applications.isEmpty ? applicationsOfAnyRelease : applications }
}
