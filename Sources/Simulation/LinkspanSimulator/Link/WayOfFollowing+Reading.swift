import AppSiteAssociation

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

  package init(page: String? = nil, through: [String] = [], app: String? = nil, choice: String? = nil) {
    self.page = page
    self.through = through
    self.app = app
    self.choice = choice
  }

  /// Which ways each of the details goes with.
  package static let ways: [(key: String, names: [String])] = [
    ("page", ["safari"]), ("app", ["own-app", "webview"]), ("through", ["redirect", "tracker"]),
    ("choice", ["long-press"]),
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

  private static func host(of page: String?) throws(WayProblem) -> String {
    let example = "page: \"https://example.com/start\""
    guard let page else {
      throw WayProblem(
        key: "page", message: "A tap in Safari needs its 'page'.", help: "Add \(example).")
    }
    let host = LinkURL(page).host
    if !host.isEmpty { return host }
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
      let url = LinkURL(text)
      guard ["http", "https"].contains(url.scheme), !url.host.isEmpty, through.count <= hopLimit else {
        throw WayProblem(
          key: "through",
          message: through.count > hopLimit
            ? "'through' has more than \(hopLimit) links." : "'\(text)' is not an http or https URL.",
          help: "Write the full URL, as in \(example).", isMissing: false)
      }
    }
    return through
  }
}
