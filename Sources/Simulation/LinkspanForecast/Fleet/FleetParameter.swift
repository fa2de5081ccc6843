package import LinkspanCore

/// A number of a fleet: its name in the file, what it means, and who says so.
package struct FleetParameter: Hashable, Sendable {
  /// `update.burst_share`: the path of its keys.
  package let name: String
  /// As the file writes it.
  package let value: String
  package let meaning: String
  package let certainty: Certainty
  package let source: String

  /// Every parameter with the values of a fleet, in the order of the file.
  package static func all(of fleet: Fleet) -> [FleetParameter] {
    base(fleet) + (fleet.update.map(ofUpdate) ?? []) + rest(fleet)
  }

  private init(
    _ name: String, _ value: String, _ meaning: String, _ certainty: Certainty, _ source: String
  ) {
    self.name = name
    self.value = value
    self.meaning = meaning
    self.certainty = certainty
    self.source = source
  }

  private static let yours = "your choice"

  private static func base(_ fleet: Fleet) -> [FleetParameter] {
    [
      .init("devices", String(fleet.devices), "Devices that have the app.", .inferred, yours),
      .init(
        "growth_per_day", Decimals.share(fleet.growthPerDay),
        "New installations a day, as a share of the devices.", .inferred, yours),
      .init("start", quoted(fleet.start), "The first second of the forecast.", .inferred, yours),
      .init("days", String(fleet.days), "Length of the forecast in days.", .inferred, yours),
      .init(
        "routes.below_ios_14", Decimals.share(fleet.routes.belowIOS14),
        "Devices below iOS 14: they ask your host itself, the others ask Apple's CDN.", .documented, "V6, C1"),
      .init(
        "routes.developer_mode", Decimals.share(fleet.routes.developerMode),
        "Devices with '?mode=developer': they ask your host itself.", .documented, "E13"),
      .init(
        "routes.managed_mode", Decimals.share(fleet.routes.managedMode),
        "Managed devices with '?mode=managed': they ask your host itself.", .documented, "E14"),
      .init(
        "zones",
        "["
          + fleet.zones.map {
            "{ utc_offset: \"\(FleetText.offset($0.offsetSeconds))\", share: \(Decimals.share($0.share)) }"
          }
          .joined(separator: ", ") + "]",
        "Where the devices are; the shares add up to 1.", .inferred, yours),
    ]
  }

  private static func ofUpdate(_ update: Fleet.Update) -> [FleetParameter] {
    [
      .init(
        "update.released", quoted(update.released), "When the App Store releases the update.", .inferred,
        yours),
      .init(
        "update.phased", String(update.isPhased),
        "Apple's phased release: 1, 2, 5, 10, 20, 50, 100 % in seven days.",
        .documented, "App Store Connect Help, Release a version update in phases"),
      .init(
        "update.automatic_share", Decimals.share(update.automaticShare), "Devices that update by themselves.",
        .inferred, "unpublished"),
      .init(
        "update.nightly_share", Decimals.share(update.nightlyShare),
        "Share of those that install the update in one night.", .inferred, "unpublished"),
      .init(
        "update.window",
        "{ from: \"\(FleetText.clock(update.windowStartSeconds))\", hours: \(Decimals.text(Double(update.windowLengthSeconds) / 3600)) }",
        "The hours of the night in which devices update, on their own clocks.", .observed, "V6"),
      .init(
        "update.burst_share", Decimals.share(update.burstShare),
        "Share of one night's updates in the window's first second. The peak depends mostly on this number: it is fitted to the published stampede (forty times within about a second), for a site with a million devices and 50 requests a second.",
        .inferred, "V6, V11"),
      .init(
        "update.burst_s", String(update.burstSeconds), "Over how many seconds that first second spreads.",
        .observed, "V6, V11"),
      .init(
        "update.burst_uncertainty", Decimals.text(update.burstUncertainty),
        "The scenarios range from the share divided by this to the share times this.", .inferred, yours),
      .init(
        "update.manual_share", Decimals.share(update.manualShare), "Devices that people update by hand.",
        .inferred, "unpublished"),
      .init(
        "update.manual_half_life_days", Decimals.text(Double(update.manualHalfLifeSeconds) / 86_400),
        "Days until half of them have updated.", .inferred, "unpublished"),
    ]
  }

  private static func rest(_ fleet: Fleet) -> [FleetParameter] {
    [
      .init(
        "site.requests_per_s", Decimals.text(fleet.site.requestsPerSecond),
        "Other requests to the same server, on average; 'linkspan forecast --fit' reads the number from a log.",
        .inferred,
        yours),
      .init(
        "site.daily_swing", Decimals.text(fleet.site.dailySwing),
        "How far the busiest hour is above that average, as a share.", .inferred, yours),
      .init(
        "site.busiest_hour", String(fleet.site.busiestHour), "The busiest hour, in UTC.", .inferred, yours),
      .init(
        "site.kept_share", Decimals.text(fleet.site.keptShare),
        "Share of visitors' requests that reuse an open connection.", .inferred, yours),
      .init(
        "cdn.caches", String(fleet.cdn.caches), "Caches of Apple's CDN that ask the host, each for itself.",
        .inferred, "C5; the number is a guess"),
      .init("cdn.max_age_s", String(fleet.cdn.maxAgeSeconds), "How long each keeps a file.", .observed, "C5"),
      .init("server.cores", String(fleet.server.cores), "Cores of the server.", .inferred, yours),
      .init(
        "server.connection_ms", fleet.server.connectionMilliseconds.map(Decimals.text) ?? "null",
        "Processor time of a new TLS connection with one request; 'linkspan rehearse --calibrate' measures it here. null: unknown capacity; no request fails in the forecast.",
        .inferred, "measure it"),
      .init(
        "server.response_bytes", String(fleet.server.responseBytes), "Size of the file with its header.",
        .inferred,
        yours),
      .init(
        "server.handshake_bytes", String(fleet.server.handshakeBytes), "What a full TLS handshake sends.",
        .inferred, "a chain of two P-256 certificates"),
      .init(
        "server.patience_s", String(fleet.server.patienceSeconds), "How long a device waits.", .inferred, "H9"
      ),
      .init(
        "server.target_p99_ms", Decimals.text(fleet.server.targetMilliseconds),
        "99 % of the connections must be answered within this time.", .inferred, yours),
    ]
  }

  private static func quoted(_ time: WallTime) -> String { "\"\(FleetText.moment(time))\"" }
}

/// Moments, offsets and clock times as the file writes them.
enum FleetText {
  /// `2026-03-03T12:00:00Z`.
  static func moment(_ time: WallTime) -> String {
    let text = time.description
    return text.hasSuffix(".000Z") ? text.dropLast(5) + "Z" : text
  }

  /// `+09:00`.
  static func offset(_ seconds: Int) -> String { (seconds < 0 ? "-" : "+") + clock(abs(seconds)) }

  /// `23:30`.
  static func clock(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    return two(seconds / 3600) + ":" + two(seconds / 60 % 60)
  }

  /// Seconds of `23:30`, `+09:00` or `-03:30`; nil for anything else.
  static func seconds(_ text: String, signed: Bool) -> Int? {
    var rest = text[...]
    var sign = 1
    if signed {
      guard let first = rest.popFirst(), first == "+" || first == "-" else { return nil }
      sign = first == "-" ? -1 : 1
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(ASCII.isDigit) }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), minutes < 60, hours < (signed ? 15 : 24)
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
