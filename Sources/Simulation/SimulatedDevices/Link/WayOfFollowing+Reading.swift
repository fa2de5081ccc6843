import AppSiteAssociation
import LinkspanCore

/// What goes with the name of a way to follow a link, as a person wrote it.
package struct WayDetails: Sendable {
  /// The page on which a link is tapped in Safari.
  package var page: String?
  /// The links that redirect to it, the one that is touched first.
  package var through: [String]
  /// The identifier of the app in which it is touched.
  package var app: String?
  /// What the user takes from the menu of a long press: `app` or `browser`.
  package var choice: String?
  /// What moves the link, in a container.
  package var gesture: String?

  package init(
    page: String? = nil, through: [String] = [], app: String? = nil, choice: String? = nil,
    gesture: String? = nil
  ) {
    self.gesture = gesture
    self.page = page
    self.through = through
    self.app = app
    self.choice = choice
  }

  /// Which ways each of the details goes with.
  package static let ways: [(key: String, names: [String])] = [
    ("page", ["safari"]), ("app", ["own-app", "webview"]), ("through", ["redirect", "tracker"]),
    ("choice", ["long-press"]), ("gesture", []),
  ]
}

/// Why a way to follow a link is not complete.
package struct WayProblem: Error, Hashable, Sendable {
  /// The detail at fault.
  package var key: String
  /// A sentence.
  package var message: String
  package var help: String
  /// Whether the detail is absent, and not wrong.
  package var isMissing = true
}

extension WayOfFollowing {
  /// Ours: longer chains of redirects are no links any more.
  static let hopLimit = 10

  /// - Parameter name: One of ``names``.
  /// - Throws: Which detail is missing or wrong.
  package init(name: String, _ details: WayDetails) throws(WayProblem) {
    let simple: [String: WayOfFollowing] = [
      "messages": .messages, "mail": .mail, "notes": .notes, "other-app": .otherApp, "typed": .typed,
      "script": .script, "universal-links-only": .universalLinksOnly, "other-browser": .otherBrowser,
      "safari-view-controller": .safariViewController, "in-app-browser": .inAppBrowser, "qr": .qrCode,
      "nfc": .nfcTag, "handoff": .handoff, "spotlight": .spotlight, "clip-card": .clipCard,
      "smart-banner": .smartBanner,
    ]
    switch name {
    case "safari": self = .safari(pageHost: try Self.host(of: details.page))
    case "own-app":
      guard let app = details.app else {
        throw WayProblem(
          key: "app", message: "A tap in an app needs its 'app'.", help: "Name the app that opens the link.")
      }
      self = .ownApp(identifier: app)
    case "webview": self = .webView(identifier: details.app)
    case "redirect": self = .redirect(through: try Self.links(details.through))
    case "tracker": self = .tracker(through: try Self.links(details.through))
    case "long-press":
      guard let choice = details.choice, choice == "app" || choice == "browser" else {
        throw WayProblem(
          key: "choice", message: "A long press needs the user's 'choice'.",
          help: "Add choice: \"app\" or choice: \"browser\".", isMissing: details.choice == nil)
      }
      self = .longPress(browser: choice == "browser")
    default:
      guard let way = simple[name] else { preconditionFailure("'\(name)' is not a way to follow a link") }
      self = way
    }
  }

  /// A chain.
  ///
  /// - Parameters:
  ///   - container: One of ``Navigation/Container``.
  ///   - details: The gesture is the container's usual one unless it is named.
  /// - Throws: Which detail is missing or wrong.
  package init(container: String, _ details: WayDetails) throws(WayProblem) {
    guard let place = Navigation.Container(rawValue: container) else {
      throw WayProblem(
        key: "container", message: "'\(container)' is not a container of links.",
        help: "Use one of \(Self.words(Navigation.Container.allCases)).", isMissing: false)
    }
    let gesture =
      details.gesture.map { text in place.gestures.first { $0.rawValue == text } } ?? place.gestures[0]
    guard let gesture else {
      throw WayProblem(
        key: "gesture", message: "'\(details.gesture ?? "")' moves no link in '\(container)'.",
        help: "Use one of \(Self.words(place.gestures)).", isMissing: false)
    }
    let isOnPage = place == .browser && gesture == .tap
    guard isOnPage || details.page == nil else { throw Self.idle("page", "a tap in 'browser'") }
    let isInApp = place == .webView || (place == .otherApp && gesture == .open)
    guard isInApp || details.app == nil else {
      throw Self.idle("app", "'webview' and with the gesture 'open' of 'other-app'")
    }
    guard details.choice == nil else { throw Self.idle("choice", "a named way; here it is a gesture") }
    self = .chain(
      Navigation(
        place, gesture, page: isOnPage ? try Self.host(of: details.page) : nil,
        through: details.through.isEmpty ? [] : try Self.links(details.through), app: details.app))
  }

  private static func idle(_ key: String, _ place: String) -> WayProblem {
    WayProblem(
      key: key, message: "'\(key)' goes with \(place).", help: "Remove it.", isMissing: false)
  }

  private static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> String {
    words.map { $0.rawValue }.joined(separator: ", ")
  }

  private static func host(of page: String?) throws(WayProblem) -> String {
    let example = "page: \"https://example.com/start\""
    guard let page else {
      throw WayProblem(
        key: "page", message: "A tap in Safari needs its 'page'.", help: "Add \(example).")
    }
    let url = LinkURL(written: page)
    if !url.host.isEmpty, url.fault == nil { return url.host }
    throw WayProblem(
      key: "page", message: "'\(page)' is not the URL of a page.", help: "Write \(example).", isMissing: false
    )
  }

  private static func links(_ through: [String]) throws(WayProblem) -> [String] {
    let example = "through: \"https://click.example.com/1\""
    guard !through.isEmpty else {
      throw WayProblem(
        key: "through", message: "A redirect needs 'through', the link that redirects.",
        help: "Add \(example).")
    }
    for text in through {
      let url = LinkURL(written: text)
      guard ["http", "https"].contains(url.scheme), !url.host.isEmpty, url.fault == nil,
        through.count <= hopLimit
      else {
        throw WayProblem(
          key: "through",
          message: through.count > hopLimit
            ? "'through' has more than \(hopLimit) links."
            : "'\(text.withoutUserInformation)' is not an http or https URL.",
          help: "Write the full URL, as in \(example).", isMissing: false)
      }
    }
    return through
  }
}
