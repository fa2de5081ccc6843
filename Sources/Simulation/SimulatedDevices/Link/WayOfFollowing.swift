import AppSiteAssociation

/// How the user follows a link, by the names that people use: every row of section 10, and the ways of App Clips,
/// Handoff and Spotlight. Each is a chain, and ``navigation`` alone decides.
package enum WayOfFollowing: Hashable, Sendable {
  case messages
  case mail
  case notes
  /// A tap in an app that does not own the link.
  case otherApp
  /// A tap in Safari on a page of this host, lower-cased.
  case safari(pageHost: String)
  /// Typed or pasted in the address bar.
  case typed
  /// Pressed long in Notes; the user takes one of the two in the menu, which is remembered.
  case longPress(browser: Bool)
  /// A tap on the first of these links, each redirecting to the next and the last to the link.
  case redirect(through: [String])
  /// A tap on a link that a click tracker counts and then redirects.
  case tracker(through: [String])
  /// A script of a page navigates, without a gesture of the user.
  case script
  /// Opened by the app of this identifier.
  case ownApp(identifier: String)
  /// `UIApplication.open` with the option `universalLinksOnly`, by an app that does not own the link.
  case universalLinksOnly
  /// A tap inside the `WKWebView` of an app; nil for one that owns no links.
  case webView(identifier: String?)
  /// Loaded in an `SFSafariViewController`.
  case safariViewController
  /// A tap in a browser other than Safari.
  case otherBrowser
  /// A tap in the browser that an app such as a messenger brings along.
  case inAppBrowser
  case qrCode
  case nfcTag
  /// A web page handed over from another device.
  case handoff
  /// A web result of Spotlight.
  case spotlight
  /// The card of an App Clip whose app is installed.
  case clipCard
  /// The Smart App Banner of a page.
  case smartBanner
  /// Described by container, gesture, page and redirects, and not by a name.
  case chain(Navigation)

  /// The names a story uses, in the order of the cases.
  package static let names = [
    "messages", "mail", "notes", "other-app", "safari", "typed", "long-press", "redirect", "tracker",
    "script",
    "own-app", "universal-links-only", "webview", "safari-view-controller", "other-browser", "in-app-browser",
    "qr", "nfc", "handoff", "spotlight", "clip-card", "smart-banner",
  ]

  package var name: String {
    switch self {
    case .messages: "messages"
    case .mail: "mail"
    case .notes: "notes"
    case .otherApp: "other-app"
    case .safari: "safari"
    case .typed: "typed"
    case .longPress: "long-press"
    case .redirect: "redirect"
    case .tracker: "tracker"
    case .script: "script"
    case .ownApp: "own-app"
    case .universalLinksOnly: "universal-links-only"
    case .webView: "webview"
    case .safariViewController: "safari-view-controller"
    case .otherBrowser: "other-browser"
    case .inAppBrowser: "in-app-browser"
    case .qrCode: "qr"
    case .nfcTag: "nfc"
    case .handoff: "handoff"
    case .spotlight: "spotlight"
    case .clipCard: "clip-card"
    case .smartBanner: "smart-banner"
    case .chain(let navigation): "\(navigation.container.rawValue)/\(navigation.gesture.rawValue)"
    }
  }

  /// The name with what tells it from another way of that name: `safari on example.com`, `redirect through a.example`.
  package var title: String {
    let chain = navigation
    var title = name
    if case .longPress(let browser) = self { title += browser ? " for the browser" : " for the app" }
    if let page = chain.pageHost { title += " on \(page)" }
    if !chain.through.isEmpty {
      title += " through " + chain.through.map { LinkURL(written: $0).host }.joined(separator: ", ")
    }
    if let app = chain.app { title += " in \(app)" }
    return title
  }
}
