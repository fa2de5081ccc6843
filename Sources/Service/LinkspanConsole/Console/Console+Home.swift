internal import LinkspanCore
internal import LinkspanServer

/// Home: what needs somebody, then how much of everything there is.
extension Console {
  /// Hosts with their reasons. Ours.
  private static let hostsAtHome = 25

  static func addHomeRoutes(to routes: inout Router<Route>) {
    routes.add("GET", "/") { _, _ in .redirect("/home") }
    routes.add("GET", "/home") { console, _ in
      .page(
        Page(
          "Home", .home,
          "<h1>Home</h1>\(console.live("home", console.homePart()))\(console.campaignsAtHome())"))
    }
  }

  func homePart() -> Markup {
    let sites = system.sites()
    let waiting = sites.waiting
    let rows = waiting.prefix(Self.hostsAtHome).map { report -> Markup in
      """
      <tr data-key="\(report.name)"><td>\(Self.link(report))</td><td><span class="\(Self.kind(report.state))">\
      \(report.state.rawValue)</span></td><td>\(reason(report))</td></tr>
      """
    }
    let hosts: Markup =
      rows.isEmpty
      ? .none
      : Piece.table(
        "Hosts that need somebody", columns: ["Host", "State", "Why"], rows: rows)
    let counts = sites.counts.map { state, count -> Markup in
      """
      <tr data-key="state \(state.rawValue)"><td><a href="/sites?state=\(URLText.encoded(state.rawValue))">\(state.rawValue)</a></td>\
      <td class="count">\(count)</td></tr>
      """
    }
    let table =
      counts.isEmpty
      ? "<p>No host is served.</p>"
      : Piece.table("Hosts by state", columns: ["State", .count("Hosts")], rows: counts)
    return "\(hosts)<h2>Hosts</h2>\(table)"
  }

  /// The colour of a state.
  static func kind(_ state: HostReport.State) -> Markup {
    switch state {
    case .refused, .removalHeld: "bad"
    case .waiting, .pinned, .rolledBack: "warn"
    case .published, .live: "good"
    case .checking: "soft"
    }
  }

  private func campaignsAtHome() -> Markup {
    system.registry() == nil
      ? .none : "<h2>Campaigns</h2>\(live("newest-campaigns", campaignTable(limit: Self.campaignsAtHome)))"
  }
}
