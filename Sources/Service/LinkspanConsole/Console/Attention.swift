internal import LinkspanCore
internal import LinkspanServer
internal import RegistryServer

/// What needs somebody's attention: first on every page.
extension Console {
  /// Names in one line of the strip. Ours: they fit the first screen.
  private static let namesInStrip = 5
  /// Lines about other things than hosts. Ours.
  private static let noticesInStrip = 6
  /// How old what the store says may be. Ours.
  private static let storeAge = Duration.seconds(5)

  /// The states that the strip names, and what it says of them.
  private static let states: [(state: HostReport.State, one: String, many: String)] = [
    (.refused, "host has refused files", "hosts have refused files"),
    (.removalHeld, "host was removed and is still served", "hosts were removed and are still served"),
    (.waiting, "host waits for approval", "hosts wait for approval"),
    (.pinned, "pinned host has newer files", "pinned hosts have newer files"),
  ]

  /// The strip of every page: each host that needs somebody by its name, as a link.
  func attention() -> Markup {
    let sites = system.sites()
    var lines = Self.states.compactMap { state, one, many -> Markup? in
      let hosts = sites.waiting.filter { $0.state == state }
      if hosts.isEmpty { return nil }
      let names = hosts.prefix(Self.namesInStrip).map(Self.link).enumerated().map { index, link -> Markup in
        "<span>\(index == 0 ? ": " : ", ")\(link)</span>"
      }
      let rest = hosts.count - names.count
      let all: Markup =
        rest > 0
        ? "<span> and <a href=\"/sites?state=\(URLText.encoded(state.rawValue))\">\(rest) more</a></span>"
        : .none
      return "<strong>\(hosts.count) \(hosts.count == 1 ? one : many)</strong>\(names)\(all)"
    }
    if let problem = sites.problem { lines.insert("<a href=\"/health\">Sites</a>: \(problem)", at: 0) }
    let notices = system.notices() + storeNotices()
    for notice in notices.prefix(Self.noticesInStrip) {
      lines.append("<a href=\"\(notice.link)\">\(notice.text)</a>")
    }
    if lines.isEmpty { return "<p class=\"good\">Nothing needs attention.</p>" }
    return "<ul class=\"plain attention\">\(lines.map { "<li>\($0)</li>" as Markup })</ul>"
  }

  /// A host as a link to its page.
  static func link(_ report: HostReport) -> Markup {
    report.host.map { "<a href=\"/sites/\(URLText.encoded($0))\">\($0)</a>" } ?? "every other host"
  }

  /// What the registry's store says, a few seconds old at most: many pages ask.
  private func storeNotices() -> [ConsoleNotice] {
    guard let registry = system.registry() else { return [] }
    let now = system.uptime()
    if let known = storeState.withLock({ $0 }), now - known.at < Self.storeAge { return known.notices }
    let notices: [ConsoleNotice]
    do {
      notices = try registry.lateness(at: system.now()).map { [Self.late($0)] } ?? []
    } catch {
      notices = [ConsoleNotice("The registry's store does not answer now.")]
    }
    storeState.withLock { $0 = (now, notices) }
    return notices
  }

  private static func late(_ duration: Duration) -> ConsoleNotice {
    ConsoleNotice(
      "Pushes are late: the oldest one was due \(duration.components.seconds / 60) minutes ago.",
      link: "/deliveries?state=queued")
  }
}
