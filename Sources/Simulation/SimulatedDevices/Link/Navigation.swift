package import AppSiteAssociation

/// One exchange on a device, whatever it is called: where the link is, what moves it, and which URLs redirect to it.
///
/// Every way to follow a link is such a chain (``WayOfFollowing/navigation``), and the device decides about the chain
/// alone, so two descriptions of one exchange cannot get two answers.
package struct Navigation: Hashable, Sendable {
  /// Where the link is.
  package enum Container: String, Hashable, Sendable, CaseIterable {
    /// Safari.
    case browser
    case messages
    case mail
    case notes
    /// An app without a part in what opens, or the one of ``Navigation/app``.
    case otherApp = "other-app"
    /// A `WKWebView` in an app.
    case webView = "webview"
    case safariViewController = "safari-view-controller"
    /// A browser other than Safari.
    case otherBrowser = "other-browser"
    /// The browser that an app such as a messenger brings along.
    case inAppBrowser = "in-app-browser"
    /// The camera, the reader of tags, Handoff, Spotlight, the card of an App Clip.
    case system

    /// What can move a link there, the usual one first.
    package var gestures: [Gesture] {
      switch self {
      case .browser: [.tap, .type, .script, .load, .banner]
      case .messages, .mail: [.tap]
      case .notes: [.tap, .chooseApp, .chooseBrowser]
      case .otherApp: [.tap, .open, .openUniversal]
      case .webView, .safariViewController, .otherBrowser, .inAppBrowser: [.tap, .load, .script]
      case .system: [.scan, .tag, .handoff, .search, .card]
      }
    }
  }

  /// What moves the link.
  package enum Gesture: String, Hashable, Sendable, CaseIterable {
    case tap
    /// The container is told to show the URL; nobody touches a link.
    case load
    /// Typed or pasted in the address bar.
    case type
    /// A script of a page navigates, without a gesture of the user.
    case script
    /// `UIApplication.open`.
    case open
    /// `UIApplication.open` with the option `universalLinksOnly`.
    case openUniversal = "open-universal"
    /// Pressed long, and the user takes the app or the browser from the menu, which is remembered.
    case chooseApp = "choose-app"
    case chooseBrowser = "choose-browser"
    /// The camera reads a QR code.
    case scan
    /// A tag is read in the background.
    case tag
    /// A web page is handed over from another device.
    case handoff
    /// A web result of Spotlight.
    case search
    /// The card of an App Clip whose app is installed.
    case card
    /// The Smart App Banner of a page.
    case banner
  }

  package var container: Container
  package var gesture: Gesture
  /// The host of the page with the link, lower-cased; only for a tap in ``Container/browser``.
  package var pageHost: String?
  /// The URLs that redirect to the link, the one that is touched first.
  package var through: [String]
  /// The identifier of the app in which it happens, when that matters.
  package var app: String?

  package init(
    _ container: Container, _ gesture: Gesture = .tap, page: String? = nil, through: [String] = [],
    app: String? = nil
  ) {
    precondition(container.gestures.contains(gesture), "\(container) knows no \(gesture)")
    self.container = container
    self.gesture = gesture
    pageHost = page
    self.through = through
    self.app = app
  }

  /// What the user took from the menu of a long press: the browser or not; nil without such a menu.
  package var choosesBrowser: Bool? {
    switch gesture {
    case .chooseApp: false
    case .chooseBrowser: true
    default: nil
    }
  }

  /// Where the link goes when no app takes it: a web view shows it itself, and a call for universal links only fails.
  package var withoutApp: LinkVerdict.Destination {
    if gesture == .openUniversal { return .nothing }
    switch container {
    case .webView, .safariViewController, .inAppBrowser: return .webView
    default: return .browser
    }
  }

  /// Every URL of the exchange, in order, the link last.
  package func urls(to link: LinkURL) -> [LinkURL] { through.map { LinkURL(written: $0) } + [link] }
}

extension WayOfFollowing {
  /// What the way is, as a chain.
  package var navigation: Navigation {
    switch self {
    case .messages: Navigation(.messages)
    case .mail: Navigation(.mail)
    case .notes: Navigation(.notes)
    case .otherApp: Navigation(.otherApp)
    case .safari(let host): Navigation(.browser, page: host)
    case .typed: Navigation(.browser, .type)
    case .longPress(let browser): Navigation(.notes, browser ? .chooseBrowser : .chooseApp)
    case .redirect(let through), .tracker(let through): Navigation(.otherApp, through: through)
    case .script: Navigation(.browser, .script)
    case .ownApp(let identifier): Navigation(.otherApp, .open, app: identifier)
    case .universalLinksOnly: Navigation(.otherApp, .openUniversal)
    case .webView(let identifier): Navigation(.webView, app: identifier)
    case .safariViewController: Navigation(.safariViewController, .load)
    case .otherBrowser: Navigation(.otherBrowser)
    case .inAppBrowser: Navigation(.inAppBrowser)
    case .qrCode: Navigation(.system, .scan)
    case .nfcTag: Navigation(.system, .tag)
    case .handoff: Navigation(.system, .handoff)
    case .spotlight: Navigation(.system, .search)
    case .clipCard: Navigation(.system, .card)
    case .smartBanner: Navigation(.browser, .banner)
    case .chain(let navigation): navigation
    }
  }
}
