package import AppSiteAssociation
import LinkspanCore

extension Navigation {
  private static let tapElsewhere = "Tap the link in another app, such as Messages or Notes."

  /// What comes of one URL of the exchange: the first arrives as the container and the gesture have it, and each other
  /// by a redirect. Rows are those of section 10.
  ///
  /// - Parameters:
  ///   - urls: ``urls(to:)``.
  ///   - hop: The place of the URL among them.
  package func rule(_ urls: [LinkURL], at hop: Int, on os: OSVersion) -> WayRule {
    hop == 0 ? arrival(of: urls[0], on: os) : redirect(urls, to: hop, on: os)
  }

  // MARK: - The first URL

  private func arrival(of link: LinkURL, on os: OSVersion) -> WayRule {
    switch container {
    case .browser: return inBrowser(link, os)
    case .messages: return Self.opens("a tap in Messages may open the app", row: 1)
    case .mail: return Self.opens("a tap in Mail may open the app", row: 1)
    case .notes:
      guard let browser = choosesBrowser else { return Self.opens("a tap in Notes may open the app", row: 1) }
      return Self.opens(
        "a long press shows a menu with both, and the user takes the \(browser ? "browser" : "app")", row: 5)
    case .otherApp:
      switch gesture {
      case .open: return Self.opens("an app that does not own the link may open the one that does", row: 1)
      case .openUniversal: return Self.opens("an app asks for a universal link or nothing", row: 11)
      default: return Self.opens("a tap in another app may open the app", row: 1)
      }
    case .webView:
      guard gesture == .tap else { return Self.unheardOf("a WKWebView without a tap") }
      return Self.opens("a tap in a WKWebView may open the app of another developer", row: 12)
    case .safariViewController: return inSafariViewController
    case .otherBrowser: return Self.otherBrowser
    case .inAppBrowser: return Self.inAppBrowser
    case .system: return bySystem
    }
  }

  private func inBrowser(_ link: LinkURL, _ os: OSVersion) -> WayRule {
    switch gesture {
    case .type:
      return Self.stays(
        .browser,
        "a URL typed or pasted into the address bar stays in the browser, which may show a banner", row: 4,
        change: Self.tapElsewhere)
    case .script:
      return Self.stays(
        .browser, "a script that navigates without a gesture stays in the browser", row: 9, .inferred,
        change: "Let the user tap the link.")
    case .banner:
      return WayRule(
        reason: "the banner's button opens the app with the page's link", rules: ["AC20"],
        certainty: .inferred)
    case .load: return Self.unheardOf("a URL that the browser loads without a tap, such as a bookmark's")
    default: break
    }
    let page = pageHost ?? ""
    guard page == link.host else {
      return Self.opens("a tap in Safari on a page of another host, '\(page)', may open the app", row: 2)
    }
    guard os.keepsSameHostTapsInBrowser else {
      return Self.opens(
        "before iOS 9.2 a tap in Safari on a page of the same host opened the app", row: 3, .observed)
    }
    return Self.stays(
      .browser, "a link on a page of the same host, '\(page)', stays in Safari", row: 3,
      change: "Link from another host, such as a subdomain that the app also claims.")
  }

  private var inSafariViewController: WayRule {
    switch gesture {
    case .load:
      return Self.stays(
        .webView, "a URL loaded in SFSafariViewController stays there", row: 13, .observed,
        change: "Open the URL with UIApplication.open instead.")
    case .tap:
      return Self.unsettled(
        "sources disagree about a tap inside SFSafariViewController: openradar 24857069 (2016) says that it opens the "
          + "app, openradar 23612919 (2015) and 32840565 (2017) that it stays there", rows: [18], .disputed,
        change: "Open the URL with UIApplication.open instead.")
    default: return Self.unheardOf("a script inside SFSafariViewController")
    }
  }

  private var bySystem: WayRule {
    switch gesture {
    case .tag:
      return WayRule(
        reason: "a tag read in the background opens the app of a universal link", rules: ["AC33"],
        certainty: .documented)
    case .handoff:
      return WayRule(
        reason: "a page from another device, by Handoff, continues in the app that 'applinks' names",
        rules: ["HO9"], certainty: .documented)
    case .search:
      return WayRule(
        reason: "a web result of Spotlight is followed like a tap in another app",
        rules: ["section 10 row 1"], certainty: .inferred)
    case .card:
      return WayRule(
        reason: "once the app is installed every invocation of its App Clip goes to the app",
        rules: ["AC23"], certainty: .documented)
    default:
      return WayRule(
        reason: "a QR code read by the camera is followed like a tap in another app",
        rules: ["AC32", "section 10 row 1"], certainty: .inferred)
    }
  }

  private static let otherBrowser = stays(
    .browser, "whether a browser other than Safari hands links over is up to that browser", row: 14,
    change: tapElsewhere)

  private static let inAppBrowser = stays(
    .webView, "the browser inside another app keeps most links, and each differs", row: 17, .observed,
    change: "Offer a button on another host that opens the app, or ask the user to open the page in Safari.")

  // MARK: - Redirects

  /// Nothing opened at the URL before, so its container loaded it, which for a tap in an app is the browser.
  private func redirect(_ urls: [LinkURL], to hop: Int, on os: OSVersion) -> WayRule {
    switch container {
    case .otherBrowser: return Self.otherBrowser
    case .inAppBrowser: return Self.inAppBrowser
    case .webView, .safariViewController: return Self.unheardOf("a redirect inside a web view")
    default: break
    }
    guard hop == 1 else { return Self.unheardOf("more than one redirect") }
    let host = urls[hop].host
    let began = container == .browser && gesture == .tap ? [pageHost ?? "", urls[0].host] : [urls[0].host]
    if os.keepsSameHostTapsInBrowser, began.contains(host) {
      return WayRule(
        destination: .browser,
        reason:
          "a redirect back to '\(host)', the host on which it began, stays in the browser, as a tap does",
        rules: ["section 10 row 3", "section 10 row 20"], certainty: .inferred,
        change: "Link to '\(host)' directly, from another host or another app.")
    }
    guard ![.type, .script, .load, .banner].contains(gesture) else {
      return Self.unheardOf("a redirect after a URL without a tap")
    }
    // Reports for iOS 11 alone.
    if os.platform == .iOS, os.major == 11 {
      return Self.stays(
        .browser, "after a redirect iOS 11 stays in Safari and shows a banner", row: 7, .observed,
        change: "Link to the app's host directly.")
    }
    return Self.unsettled(
      "sources disagree about a redirect to another host: Apple's TN3155 says that the browser may hand the link to "
        + "the app, artsy/artsy-eigen-web-association pull 14 that a wrapped link counts by the tracker's host only",
      rows: [7, 8, 19], .disputed,
      change:
        "Link to '\(host)' directly, or give '\(urls[0].host)' an association file and an entry in the app.")
  }

  // MARK: - Rules

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

  private static func unsettled(
    _ reason: String, rows: [Int], _ certainty: Certainty, change: String
  ) -> WayRule {
    WayRule(
      destination: .unknown, reason: reason, rules: rows.map { "section 10 row \($0)" }, certainty: certainty,
      change: change)
  }

  private static func unheardOf(_ what: String) -> WayRule {
    unsettled("no source says what comes of \(what)", rows: [21], .open, change: tapElsewhere)
  }
}
