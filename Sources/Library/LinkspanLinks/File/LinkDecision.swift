internal import AppSiteAssociation

/// What an association file says of one URL for one application.
public struct LinkDecision: Hashable, Sendable, CustomStringConvertible {
  /// Where the link goes, as far as the file decides.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// A rule sends it to the app.
    case opens
    /// A rule with `exclude` keeps it in the browser.
    case excluded
    /// No rule is about it, so it stays in the browser.
    case staysInBrowser
    /// The question took more work than one answer may cost.
    case undecided
  }

  /// Where the link goes.
  public let verdict: Verdict
  /// The place in `details` of the entry that decides, from 0; nil when none does.
  public let entry: Int?
  /// The place in `components` or `paths` of the rule that decides, from 0; nil when none does.
  public let rule: Int?
  /// Why, as a clause.
  public let reason: String

  init(verdict: Verdict, entry: Int?, rule: Int?, reason: String) {
    self.verdict = verdict
    self.entry = entry
    self.rule = rule
    self.reason = reason
  }

  init(_ trace: MatchTrace) {
    let decision = trace.decision
    self.init(
      verdict: decision.isDecided ? Verdict(decision.verdict) : .undecided, entry: decision.entry,
      rule: decision.rule, reason: trace.reason)
  }

  /// `opens: …`
  public var description: String { "\(verdict.rawValue): \(reason)" }
}

extension LinkDecision.Verdict {
  init(_ verdict: Decision.Verdict) {
    self =
      switch verdict {
      case .match: .opens
      case .excluded: .excluded
      case .noMatch: .staysInBrowser
      }
  }
}
