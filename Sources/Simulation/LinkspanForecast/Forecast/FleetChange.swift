internal import LinkspanCore

/// One thing that could be done, as the fleet it leads to.
struct FleetChange {
  let name: String
  let advice: String
  let source: String?
  /// Over so many days that its update's highest night is one of them.
  private(set) var fleet: Fleet

  /// What could be done about this fleet, each alone, then all together; what is so already is left out.
  static func all(for fleet: Fleet) -> [FleetChange] {
    var changes: [FleetChange] = []
    var together = fleet
    func add(_ name: String, _ advice: String, source: String? = nil, _ change: (inout Fleet) -> Void) {
      var changed = fleet
      change(&changed)
      guard changed != fleet else { return }
      changes.append(FleetChange(name: name, advice: advice, source: source, fleet: changed))
      change(&together)
    }
    add(
      "cdn",
      "Let every device ask Apple's CDN: raise the app's minimum to iOS 14 and take '?mode=' out of the entitlements of what users get.",
      source: "C1"
    ) {
      $0.routes = .init(belowIOS14: 0, developerMode: 0, managedMode: 0)
    }
    if fleet.update != nil {
      add(
        "phased-release",
        "Release the update in phases: the App Store then takes seven days, and half of the devices come in the last night.",
        source: "App Store Connect Help, Release a version update in phases"
      ) { $0.update?.isPhased = true }
      add(
        "another-hour",
        "Release while the night's window is open in the largest zone: devices meet the update as they look for it, and fewer wait for the next window's first second."
      ) { $0.releaseInsideTheWindow() }
    }
    add("more-cores", "Double the cores: the peak stays, and more of it is answered.") {
      guard $0.server.connectionMilliseconds != nil else { return }
      $0.server.cores *= 2
    }
    add("smaller-file", "Halve the response: shorten the rules by wildcards, and send fewer header fields.") {
      $0.server.responseBytes = max(256, $0.server.responseBytes / 2)
    }
    add("keep-alive", "Keep visitors' connections open: devices open a new one in any case.") {
      $0.site.keptShare = 1
    }
    if changes.count > 1 {
      changes.append(
        FleetChange(name: "all", advice: "All of these together.", source: nil, fleet: together))
    }
    for index in changes.indices { changes[index].fleet = changes[index].fleet.untilTheHighestNight }
    // One comparison for all that take longer.
    let longest = changes.map(\.fleet.days).max() ?? fleet.days
    for index in changes.indices where changes[index].fleet.days > fleet.days {
      changes[index].fleet.days = longest
    }
    return changes
  }
}

extension Fleet {
  /// Whether the same requests come in each second: what differs is only how large they are, or over which connection
  /// visitors send them.
  func hasTraffic(of other: Fleet) -> Bool {
    var fleet = self
    fleet.server.responseBytes = other.server.responseBytes
    fleet.server.handshakeBytes = other.server.handshakeBytes
    fleet.site.keptShare = other.site.keptShare
    return fleet == other
  }

  /// Moves the release to a minute after the next window opens where most devices are.
  fileprivate mutating func releaseInsideTheWindow() {
    guard let update, let zone = zones.max(by: { $0.share < $1.share }) else { return }
    let local = Int(update.released.milliseconds / 1000) + zone.offsetSeconds
    let ofDay = ((local % 86_400) + 86_400) % 86_400
    let inside = (ofDay - update.windowStartSeconds + 86_400) % 86_400
    guard inside > 60 || inside == 0 else { return }
    let wait = (86_400 - inside) % 86_400 + 60
    self.update?.released = update.released.advanced(by: .seconds(wait))
  }
}
