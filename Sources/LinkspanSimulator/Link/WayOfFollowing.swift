import AppSiteAssociation
internal import LinkspanCore

/// How the user follows a link: the rows of spec associated-domains section 10 that are modelled.
package enum WayOfFollowing: Hashable, Sendable {
  /// A tap in Messages; the app may open (documented).
  case messages
  /// A tap in Mail; the app may open (documented).
  case mail
  /// A tap in Notes; the app may open (documented).
  case notes
  /// A tap in an app that does not own the link; the app may open (documented).
  case otherApp
  /// A tap in Safari on a page of this host, lower-cased. On a page of another host the app may open
  /// (documented); on a page of the very same host the link stays in Safari (documented; since iOS 9.2 by
  /// reports).
  case safari(pageHost: String)
  /// Typed or pasted in the address bar: the browser (documented).
  case typed
  /// Opened by the app of this identifier: never that app itself (documented).
  case ownApp(identifier: String)

  /// The names a story uses, in the order of the cases.
  package static let names = ["messages", "mail", "notes", "other-app", "safari", "typed", "own-app"]

  package var name: String {
    switch self {
    case .messages: "messages"
    case .mail: "mail"
    case .notes: "notes"
    case .otherApp: "other-app"
    case .safari: "safari"
    case .typed: "typed"
    case .ownApp: "own-app"
    }
  }

  /// The verdict when this way alone decides, whatever is installed.
  func verdict(for link: LinkURL, on os: OSVersion) -> LinkVerdict? {
    switch self {
    case .messages, .mail, .notes, .otherApp, .ownApp: nil
    case .safari(let host):
      host == link.host && os.keepsSameHostTapsInBrowser
        ? LinkVerdict(
          step: .wayOfFollowing, reason: "a link on a page of the same host, '\(host)', stays in Safari",
          rules: ["section 10"], certainty: .documented,
          change: "Link from another host, such as a subdomain that the app claims as well.") : nil
    case .typed:
      LinkVerdict(
        step: .wayOfFollowing, reason: "a URL typed or pasted into the address bar stays in the browser",
        rules: ["section 10"], certainty: .documented,
        change: "Tap the link in another app, such as Messages or Notes.")
    }
  }
}
