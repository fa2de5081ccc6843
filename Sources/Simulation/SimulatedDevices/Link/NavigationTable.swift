package import AppSiteAssociation
import LinkspanCore

/// What every container, gesture and chain of redirects does on every release, whatever is installed.
package struct NavigationTable: Sendable {
  /// Releases between which nothing changes.
  package struct Release: Hashable, Sendable {
    /// `iOS 9.2–10`
    package let name: String
    package let os: OSVersion
  }

  package struct Cell: Sendable {
    package let release: Release
    /// nil where the exchange ends before the last URL: the call fails.
    package let rule: WayRule?

    /// `app`, when it may open; where the link goes instead; `disputed` or `unknown`.
    package var words: String {
      guard let rule else { return "nothing" }
      switch rule.destination {
      case nil: return "app"
      case .unknown: return rule.certainty == .disputed ? "disputed" : "unknown"
      case .some(let destination): return destination.rawValue
      }
    }
  }

  package struct Row: Sendable {
    package let navigation: Navigation
    /// `tap, page of the same host`
    package let gesture: String
    package let chain: String
    package let cells: [Cell]
  }

  package let rows: [Row]

  /// iOS alone: what a Mac and a watch do otherwise, rows 15 and 16 say.
  package static let releases = [
    Release(name: "iOS 9.0–9.1", os: OSVersion(.iOS, 9, 0)),
    Release(name: "iOS 9.2–10", os: OSVersion(.iOS, 9, 2)),
    Release(name: "iOS 11", os: OSVersion(.iOS, 11, 0)),
    Release(name: "iOS 12–26", os: OSVersion(.iOS, 12, 0)),
  ]

  private static let link = LinkURL("https://shop.example/a")

  private static let chains: [(name: String, through: [String])] = [
    ("direct", []), ("one redirect, at another host", ["https://click.example/1"]),
    ("one redirect, at the link's own host", ["https://shop.example/old"]),
    ("two redirects", ["https://click.example/1", "https://hop.example/2"]),
  ]

  /// The table as the device decides.
  package init() {
    rows = Navigation.Container.allCases.flatMap { container in
      container.gestures.flatMap { gesture -> [Row] in
        guard container == .browser, gesture == .tap else {
          return Self.rows(Navigation(container, gesture), gesture.rawValue)
        }
        return Self.rows(Navigation(.browser, page: "news.example"), "tap, page of another host")
          + Self.rows(Navigation(.browser, page: "shop.example"), "tap, page of the same host")
      }
    }
  }

  private static func rows(_ navigation: Navigation, _ gesture: String) -> [Row] {
    chains.map { chain in
      var navigation = navigation
      navigation.through = chain.through
      let urls = navigation.urls(to: link)
      let isReached = navigation.gesture != .openUniversal || urls.count == 1
      let cells = releases.map { release in
        Cell(
          release: release,
          rule: isReached ? navigation.rule(urls, at: urls.count - 1, on: release.os) : nil)
      }
      return Row(navigation: navigation, gesture: gesture, chain: chain.name, cells: cells)
    }
  }
}
