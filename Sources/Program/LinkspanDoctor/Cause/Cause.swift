/// Why a link does not open its app, by the name that `linkspan doctor` prints.
///
/// The order is the order of repair: of several causes the first is the one to mend first, since nothing behind it can work
/// before.
enum Cause: String, Hashable, Sendable, CaseIterable {
  // The link itself.
  case unusableLink = "unusable-link"
  // Reaching the host.
  case dns
  case privateAddress = "private-address"
  case connect
  case timeout
  case tls
  case notHTTP = "not-http"
  // What it serves.
  case status
  case redirect
  case loginPage = "login-page"
  case tooLarge = "too-large"
  case compressed
  case contentType = "content-type"
  case cdnBlocked = "cdn-blocked"
  // The file.
  case notJSON = "not-json"
  case noApps = "no-apps"
  // Its rules.
  case appNotListed = "app-not-listed"
  case formatOfRelease = "file-format-of-release"
  case ruleExcludes = "rule-excludes"
  case ruleNeverMatches = "rule-never-matches"
  case noRule = "no-rule"
  // The app.
  case domainsLost = "domains-lost-in-signing"
  case entitlementMissing = "entitlement-missing"
  case entitlementHost = "entitlement-host"
  // Copies of the file.
  case cdnStale = "cdn-stale"
  case developerMode = "developer-mode"
  // The way the link is followed.
  case typed
  case sameHost = "same-host"
  case redirectChain = "redirect-chain"
  case webView = "web-view"
  case ownApp = "own-app"
  case otherBrowser = "other-browser"
  case script
  case unsettledWay = "unsettled-way"
  // The device.
  case notInstalled = "app-not-installed"
  case releaseTooOld = "release-too-old"
  // The user.
  case userChoseBrowser = "user-chose-browser"
  // A push.
  case pushStopped = "push-stopped"

  /// What stands in the way, from the network to the person, in the order of repair.
  enum Class: String, Hashable, Sendable, CaseIterable {
    case reaching, serving, file, rules, app, copies, way, device, user, push
  }

  /// Who has to act.
  enum Owner: String, Hashable, Sendable, CaseIterable {
    case site, app, cdn, sender, user, network, none
  }

  /// What is the same wherever the cause is found.
  struct Facts {
    let kind: Class
    let owner: Owner
    let title: String

    init(_ kind: Class, _ owner: Owner, _ title: String) {
      self.kind = kind
      self.owner = owner
      self.title = title
    }
  }

  var facts: Facts {
    switch self {
    case .dns: Facts(.reaching, .network, "The host has no address.")
    case .privateAddress: Facts(.reaching, .network, "The host has a private address.")
    case .connect: Facts(.reaching, .network, "The host does not accept connections.")
    case .timeout: Facts(.reaching, .network, "The host does not answer in time.")
    case .tls: Facts(.reaching, .site, "The host's TLS connection or certificate is refused.")
    case .notHTTP: Facts(.reaching, .site, "The host does not answer with valid HTTP.")
    case .status: Facts(.serving, .site, "The host does not serve the association file.")
    case .redirect: Facts(.serving, .site, "The host redirects the association file.")
    case .loginPage: Facts(.serving, .site, "A login page blocks the association file.")
    case .tooLarge: Facts(.serving, .site, "The association file is too large.")
    case .compressed: Facts(.serving, .site, "The host compresses the file for a client that did not ask.")
    case .contentType: Facts(.serving, .site, "The host calls the association file a web page.")
    case .cdnBlocked: Facts(.serving, .site, "The host keeps Apple's crawler out.")
    case .notJSON: Facts(.file, .site, "The association file is not valid JSON.")
    case .noApps: Facts(.file, .site, "The association file names no app for links.")
    case .unusableLink: Facts(.rules, .site, "No rule can match this link.")
    case .appNotListed: Facts(.rules, .site, "The association file does not name this app.")
    case .formatOfRelease:
      Facts(.rules, .site, "This release cannot read the rules that match the link.")
    case .ruleExcludes: Facts(.rules, .site, "A rule of the file excludes the link.")
    case .ruleNeverMatches: Facts(.rules, .site, "The rule for the link can never match.")
    case .noRule: Facts(.rules, .site, "No rule of the file matches the link.")
    case .domainsLost: Facts(.app, .app, "The app lost its associated domains when it was signed.")
    case .entitlementMissing: Facts(.app, .app, "The app claims no associated domain.")
    case .entitlementHost: Facts(.app, .app, "The app does not claim the link's host.")
    case .cdnStale: Facts(.copies, .cdn, "Apple's CDN still has an earlier answer.")
    case .developerMode: Facts(.copies, .app, "The app's entry does not count on this device.")
    case .typed: Facts(.way, .none, "A URL typed in the address bar stays in the browser.")
    case .sameHost: Facts(.way, .site, "A link on a page of the same host stays in Safari.")
    case .redirectChain: Facts(.way, .site, "The link is reached by a redirect.")
    case .webView: Facts(.way, .app, "The link stays in the view where it is shown.")
    case .ownApp: Facts(.way, .app, "An app that opens its own universal link gets the browser.")
    case .otherBrowser: Facts(.way, .none, "Another browser decides what it does with links.")
    case .script: Facts(.way, .site, "A script opens the link without a tap.")
    case .unsettledWay: Facts(.way, .none, "No source says what this way of following a link does.")
    case .notInstalled: Facts(.device, .user, "The app is not installed.")
    case .releaseTooOld: Facts(.device, .user, "This release has no universal links.")
    case .userChoseBrowser: Facts(.user, .user, "The user chose the browser for this host.")
    case .pushStopped: Facts(.push, .app, "The push is stopped on its way to the app.")
    }
  }

  /// The place in the order of repair.
  var rank: Int { Self.allCases.firstIndex(of: self)! }
}

/// A cause as it was found in one place.
struct FoundCause: Hashable, Sendable {
  /// How sure it is.
  enum Sureness: String, Hashable, Sendable {
    case documented, observed, inferred
  }

  var cause: Cause
  /// The identifier that is printed: the cause's own, and of a push the reason's.
  var id: String
  /// What was asked and what came back, a sentence each; the most telling first.
  var evidence: [String]
  /// What to do: a sentence, and below it lines to paste.
  var remedy: String
  var sureness: Sureness
  /// Instead of the facts' own, where somebody else has to act.
  var owner: Cause.Owner
  /// Instead of the facts' own, where more is known.
  var title: String
  /// Whether sources disagree on its effect, so that the verdict is unknown.
  var isDisputed = false

  init(
    _ cause: Cause, _ sureness: Sureness = .documented, evidence: [String], remedy: String,
    owner: Cause.Owner? = nil, title: String? = nil, id: String? = nil
  ) {
    self.cause = cause
    self.id = id ?? cause.rawValue
    self.evidence = evidence
    self.remedy = remedy
    self.sureness = sureness
    self.owner = owner ?? cause.facts.owner
    self.title = title ?? cause.facts.title
  }
}
