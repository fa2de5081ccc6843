internal import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore
package import SimulatedDevices

/// Who sees a new rule, and when: what one link did at each tap of a story, device by device.
package struct OpeningHistory: Sendable {
  /// A step at which the link was tapped.
  package struct Moment: Hashable, Sendable {
    /// The place of the step in the script, from 0.
    package var step: Int
    package var time: Duration
  }

  /// What the link did at one time on one device.
  package enum Cell: Hashable, Sendable {
    case app
    case elsewhere(LinkVerdict.Destination)
    case notTapped

    /// `app`, `browser` or the like; `-` where nobody tapped.
    package var word: String {
      switch self {
      case .app: "app"
      case .elsewhere(let destination): destination.rawValue
      case .notTapped: "-"
      }
    }
  }

  /// The history of one device.
  package struct Line: Sendable {
    package var device: DeviceTraits
    /// One for each moment.
    package var cells: [Cell]
    /// When a tap first opened the app; nil when none did.
    package var firstOpening: Duration?
    /// Since when the device has had the file that decided at its last tap; nil when none did.
    package var fileSince: Duration?
  }

  package var link: String
  package var way: WayOfFollowing
  /// In order; each cell of a line belongs to the one at its place.
  package var moments: [Moment]
  /// By device, in the order of the story.
  package var lines: [Line]

  /// The histories of the links that did not always do the same on some device; another has none to tell.
  package static func all(in result: SimulationResult) -> [OpeningHistory] {
    let arrivals = FileArrivals(result.events)
    var order: [SimulationResult.FollowedLink] = []
    var groups: [SimulationResult.FollowedLink: [SimulationResult.Tap]] = [:]
    for tap in result.taps {
      let key = tap.row.followed
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(tap)
    }
    return order.compactMap { key in
      groups[key].flatMap { history(of: $0, arrivals, result.states.map(\.device)) }
    }
  }

  private static func history(
    of taps: [SimulationResult.Tap], _ arrivals: FileArrivals, _ devices: [DeviceTraits]
  ) -> OpeningHistory? {
    var moments: [Moment] = []
    var places: [Int: Int] = [:]
    for tap in taps where places[tap.step] == nil {
      places[tap.step] = moments.count
      moments.append(Moment(step: tap.step, time: tap.time))
    }
    guard moments.count > 1, let first = taps.first else { return nil }
    let byDevice = Dictionary(grouping: taps, by: \.row.device.name)
    let lines = devices.compactMap { device -> Line? in
      guard let taps = byDevice[device.name], let last = taps.last else { return nil }
      var cells = [Cell](repeating: .notTapped, count: moments.count)
      for tap in taps {
        let verdict = tap.row.verdict
        cells[places[tap.step] ?? 0] = verdict.app == nil ? .elsewhere(verdict.destination) : .app
      }
      return Line(
        device: device, cells: cells, firstOpening: taps.first { $0.row.verdict.app != nil }?.time,
        fileSince: last.row.verdict.domain.flatMap {
          arrivals.since(device: device.name, entry: $0.canonicalText, at: last.time)
        })
    }
    let hasChanged = lines.contains { Set($0.cells).subtracting([.notTapped]).count > 1 }
    guard hasChanged else { return nil }
    return OpeningHistory(link: first.row.shownLink, way: first.row.way, moments: moments, lines: lines)
  }
}

/// When each device got the files it has, read off the checks of a trace.
private struct FileArrivals {
  private struct Key: Hashable {
    var device: String
    var entry: String
  }

  private var arrivals: [Key: [(time: Duration, digest: String)]] = [:]

  init(_ events: [Event]) {
    for event in events {
      guard case .checked(let check)? = event.what as? DeviceHappening, let digest = check.file else {
        continue
      }
      let key = Key(device: event.party, entry: check.record.domain.canonicalText)
      if arrivals[key]?.last?.digest != digest { arrivals[key, default: []].append((event.time, digest)) }
    }
  }

  func since(device: String, entry: String, at moment: Duration) -> Duration? {
    arrivals[Key(device: device, entry: entry)]?.last { $0.time <= moment }?.time
  }
}

extension OpeningHistory {
  /// `{"type":"history",…}`, with the moments and one object a device.
  package var json: JSON {
    .object([
      ("type", .string("history")), ("url", .string(link)), ("from", .string(way.name)),
      ("way", .string(way.title)),
      ("t_ms", .array(moments.map { .int(Int($0.time.wholeMilliseconds)) })),
      (
        "devices",
        .array(
          lines.map { line in
            .object([
              ("device", .string(line.device.name)),
              ("opens", .array(line.cells.map { $0 == .notTapped ? .null : .string($0.word) })),
              ("first_opening_t_ms", .init(line.firstOpening.map { Int($0.wholeMilliseconds) })),
              ("file_since_t_ms", .init(line.fileSince.map { Int($0.wholeMilliseconds) })),
            ])
          })
      ),
    ])
  }
}

extension Duration {
  /// The two largest units, for people: `+5d 7h`, `+3h 4m`, `+12s`, `+340ms`.
  package var sinceStart: String {
    let total = wholeMilliseconds
    let units: [(Int64, String)] = [
      (86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s"), (1, "ms"),
    ]
    guard let first = units.firstIndex(where: { $0.0 <= total }) else { return "+0s" }
    let large = units[first]
    var text = "+\(total / large.0)\(large.1)"
    // Milliseconds beside seconds tell a person nothing.
    if first < 3 {
      let small = units[first + 1]
      let rest = total % large.0 / small.0
      if rest > 0 { text += " \(rest)\(small.1)" }
    }
    return text
  }
}
