package import AppSiteAssociation
package import LinkspanCore

/// What comes of one way to follow a link, and the rules that say so.
package struct WayRule: Hashable, Sendable, HasProvenance {
  /// Where the link goes whatever is installed; nil when an app may open.
  package var destination: LinkVerdict.Destination?
  /// A whole clause: "a tap in Messages may open the app".
  package var reason: String
  package var rules: [String]
  package var certainty: Certainty
  /// What to do instead, when no app may open.
  package var change: String?
}

extension WayOfFollowing {
  private static let tapElsewhere = "Tap the link in another app, such as Messages or Notes."

  /// The rule of this way. Rows are those of section 10, from 1.
  package func rule(for link: LinkURL, on os: OSVersion) -> WayRule {
    switch self {
    case .messages: return Self.opens("a tap in Messages may open the app", row: 1)
    case .mail: return Self.opens("a tap in Mail may open the app", row: 1)
    case .notes: return Self.opens("a tap in Notes may open the app", row: 1)
    case .otherApp: return Self.opens("a tap in another app may open the app", row: 1)
    case .safari(let host): return Self.safari(pageHost: host, link, os)
    case .typed:
      return Self.stays(
        .browser,
        "a URL typed or pasted into the address bar stays in the browser, which may show a banner", row: 4,
        change: Self.tapElsewhere)
    case .longPress(let browser):
      return Self.opens(
        "a long press shows a menu with both, and the user takes the \(browser ? "browser" : "app")", row: 5)
    case .redirect: return Self.redirect(on: os)
    case .tracker:
      return Self.stays(
        .browser, "a link that a click tracker wraps counts by the tracker's host only", row: 8, .observed,
        change: "Give the tracker's host an association file and an entry in the app, or link directly.")
    case .script:
      return Self.stays(
        .browser, "a script that navigates without a gesture stays in the browser", row: 9, .inferred,
        change: "Let the user tap the link.")
    case .ownApp: return Self.opens("an app that does not own the link may open the one that does", row: 1)
    case .universalLinksOnly:
      return Self.opens("an app asks for a universal link or nothing", row: 11)
    case .webView: return Self.opens("a tap in a WKWebView may open the app of another developer", row: 12)
    case .safariViewController:
      return Self.stays(
        .webView, "a URL loaded in SFSafariViewController stays there", row: 13, .observed,
        change: "Open the URL with UIApplication.open instead.")
    case .otherBrowser:
      return Self.stays(
        .browser, "whether a browser other than Safari hands links over is up to that browser", row: 14,
        change: Self.tapElsewhere)
    case .inAppBrowser:
      return Self.stays(
        .webView, "the browser inside another app keeps most links, and each differs", row: 17, .observed,
        change:
          "Offer a button on another host that opens the app, or ask the user to open the page in Safari.")
    case .qrCode: return Self.qrCodeRule
    case .nfcTag: return Self.nfcTagRule
    case .handoff: return Self.handoffRule
    case .spotlight: return Self.spotlightRule
    case .clipCard: return Self.clipCardRule
    case .smartBanner: return Self.smartBannerRule
    }
  }

  private static func safari(pageHost: String, _ link: LinkURL, _ os: OSVersion) -> WayRule {
    guard pageHost == link.host else {
      return opens("a tap in Safari on a page of another host, '\(pageHost)', may open the app", row: 2)
    }
    guard os.keepsSameHostTapsInBrowser else {
      return opens(
        "before iOS 9.2 a tap in Safari on a page of the same host opened the app", row: 3, .observed)
    }
    return stays(
      .browser, "a link on a page of the same host, '\(pageHost)', stays in Safari", row: 3,
      change: "Link from another host, such as a subdomain that the app also claims.")
  }

  private static func redirect(on os: OSVersion) -> WayRule {
    // Reports for iOS 11 alone.
    if os.platform == .iOS, os.major == 11 {
      return stays(
        .browser, "after a redirect iOS 11 stays in Safari and shows a banner", row: 7, .observed,
        change: "Link to the app's host directly.")
    }
    return opens("after a redirect the browser may hand the link to the app", row: 7)
  }

  private static let qrCodeRule = WayRule(
    reason: "a QR code read by the camera is followed like a tap in another app",
    rules: ["AC32", "section 10 row 1"], certainty: .inferred)

  private static let nfcTagRule = WayRule(
    reason: "a tag read in the background opens the app of a universal link", rules: ["AC33"],
    certainty: .documented)

  private static let handoffRule = WayRule(
    reason: "a page handed over from another device continues in the app that 'applinks' names",
    rules: ["HO9"], certainty: .documented)

  private static let spotlightRule = WayRule(
    reason: "a web result of Spotlight is followed like a tap in another app",
    rules: ["section 10 row 1"], certainty: .inferred)

  private static let clipCardRule = WayRule(
    reason: "once the app is installed every invocation of its App Clip goes to the app",
    rules: ["AC23"], certainty: .documented)

  private static let smartBannerRule = WayRule(
    reason: "the banner's button opens the app with the page's link", rules: ["AC20"],
    certainty: .inferred)

  private static func opens(_ reason: String, row: Int, _ certainty: Certainty = .documented) -> WayRule {
    WayRule(reason: reason, rules: ["section 10 row \(row)"], certainty: certainty)
  }

  private static func stays(
    _ destination: LinkVerdict.Destination, _ reason: String, row: Int, _ certainty: Certainty = .documented,
    change: String
  ) -> WayRule {
    WayRule(
      destination: destination, reason: reason, rules: ["section 10 row \(row)"], certainty: certainty,
      change: change)
  }
}
