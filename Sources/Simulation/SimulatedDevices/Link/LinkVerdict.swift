package import AppSiteAssociation
package import AssociatedDomains
package import LinkspanCore

/// What following a link did, and why.
package struct LinkVerdict: Hashable, Sendable, HasProvenance {
  /// The step between finger and screen that decided. The first that says no is named.
  package enum Step: String, Hashable, Sendable, CaseIterable {
    /// The release has no universal links.
    case release
    case wayOfFollowing = "way-of-following"
    /// The user chose the browser once.
    case userChoice = "user-choice"
    /// No installed app claims the host, on this device.
    case noAssociation = "no-association"
    /// An app claims the host, and its file was not fetched or is of no use.
    case fetch
    /// The patterns of a file, for or against.
    case pattern
  }

  /// Where a link goes that opens no app.
  package enum Destination: String, Hashable, Sendable, CaseIterable {
    case browser
    /// It stays in the view where it was touched.
    case webView = "web-view"
    /// Nothing opens, and the app that asked is told so.
    case nothing
    /// On a watch: an alert points to the iPhone.
    case alert
    /// An app may open or not: sources disagree, or none says.
    case unknown

    /// As the object of "opens".
    package var words: String {
      switch self {
      case .browser: "the browser"
      case .webView: "no app and stays in the web view"
      case .nothing: "nothing"
      case .alert: "an alert that points to the iPhone"
      case .unknown: "the app or not: no source settles it"
      }
    }
  }

  /// The identifier of the app that opens; nil when none does.
  package var app: String?
  /// Where the link goes when no app opens.
  package var destination = Destination.browser
  package var step: Step
  /// false when comparing the link with the files took more than its bound on work: then it may open an app as well.
  package var isDecided = true
  /// One sentence without capital letter and full stop.
  package var reason: String
  /// The rules that it rests on.
  package var rules: [String]
  /// That of the least certain of them.
  package var certainty: Certainty
  /// How sure the file's rules are that decided, and which open question decides them; nil where no rule did.
  package var basis: MatchBasis?
  /// What to change so that the app opens; nil when it does.
  package var change: String?
  /// The app that opens, or whose entry came closest.
  package var claimant: String?
  /// The entry of the entitlement that decided, or came closest.
  package var domain: AssociatedDomain?
  /// The rule that decided.
  package var entry: Int?
  /// nil with an ``entry`` when that entry has no rules.
  package var rule: Int?

  package init(
    app: String? = nil, step: Step, reason: String, rules: [String], certainty: Certainty,
    change: String? = nil, domain: AssociatedDomain? = nil, claimant: String? = nil
  ) {
    self.app = app
    self.claimant = claimant ?? app
    self.step = step
    self.reason = reason
    self.rules = rules
    self.certainty = certainty
    self.change = change
    self.domain = domain
  }

  /// `2/0`: the entry of `details` and the rule in it, both from 0; nil when no rule decided.
  package var ruleName: String? { entry.map { "\($0)/\(rule.map(String.init) ?? "-")" } }

  /// Whether an app may open or not, as far as sources go; ``certainty`` is then `disputed` or `open`.
  package var isUnknown: Bool { app == nil && destination == .unknown }

  /// `section 7, E9, open, question 1`
  package var sources: String { provenance.text + (basis?.question.map { ", question \($0)" } ?? "") }

  /// As members of a JSON object: rules, certainty, and `question` where an open one decides.
  package var sourceMembers: [(String, JSON)] {
    guard let question = basis?.question else { return provenance.members }
    return provenance.members + [("question", JSON.int(question))]
  }

  /// `app`, or where the link goes instead.
  package var opens: String { app == nil ? destination.rawValue : "app" }
}
