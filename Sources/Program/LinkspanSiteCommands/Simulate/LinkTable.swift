internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import SimulatedDevices

/// What became of each link on each device: a picture first, then each link's verdicts, alike ones together.
struct LinkTable {
  private typealias Row = SimulationResult.Row
  /// A link, and how it was followed where that is not a tap in Messages.
  private typealias Title = (url: String, from: String)

  private let links: [(title: Title, rows: [Row])]
  private let devices: [DeviceTraits]
  /// Their places by their names, of which a story has each once: it may have two thousand, and a row of each for each link.
  private let devicePlaces: [String: Int]
  private let areToldApartByRelease: Bool
  /// Ours: more columns do not fit a terminal.
  private static let columnLimit = 14

  init(_ rows: [SimulationResult.Row]) {
    var links: [(title: Title, rows: [Row])] = []
    var places: [SimulationResult.FollowedLink: Int] = [:]
    var devices: [DeviceTraits] = []
    var devicePlaces: [String: Int] = [:]
    for row in rows {
      let key = row.followed
      if let place = places[key] {
        links[place].rows.append(row)
      } else {
        places[key] = links.count
        let from = row.way.name == "messages" ? "" : " (from \(row.way.title))"
        links.append(((row.shownLink.onOneLine, from), [row]))
      }
      if devicePlaces[row.device.name] == nil {
        devicePlaces[row.device.name] = devices.count
        devices.append(row.device)
      }
    }
    self.links = links
    self.devices = devices
    self.devicePlaces = devicePlaces
    areToldApartByRelease = Set(devices.map(\.os)).count == devices.count
  }

  func text(style: TextStyle) -> String {
    guard !links.isEmpty else { return "" }
    var text = ""
    if devices.count <= Self.columnLimit { text = picture(style) + "\n" }
    for link in links { text += verdicts(link.title, link.rows, style) + "\n" }
    return text
  }

  // MARK: - The picture

  /// How a picture is drawn: whole where the terminal has room, else with short words and in blocks of devices.
  private struct Frame {
    var heads: [String]
    /// Whether the words of ``LinkVerdict/Destination/short`` stand for destinations, and a line below explains them.
    var isNarrow: Bool
    var cellWidth: Int
    var titleWidth: Int

    /// How many devices stand beside each other.
    func devicesPerBlock(in columns: Int?) -> Int {
      guard let columns else { return heads.count }
      return max(1, (columns - titleWidth) / cellWidth)
    }
  }

  /// Ours: what a link is cut to in a narrow picture, and the name of a device.
  private static let narrowTitle = 33
  private static let narrowHead = 12

  private func frame(_ style: TextStyle) -> Frame {
    let heads = devices.map(columnName)
    let titles = links.map { $0.title.url.count + $0.title.from.count }.max() ?? 0
    let whole = Frame(
      heads: heads, isNarrow: false, cellWidth: cellWidth(heads, destinations.map(\.rawValue), least: 7),
      titleWidth: titles + 2)
    guard let columns = style.columns, whole.titleWidth + whole.cellWidth * heads.count > columns else {
      return whole
    }
    // What all names begin with says nothing in a column.
    let isShared = areToldApartByRelease && heads.allSatisfy { $0.hasPrefix("iOS ") }
    let short = heads.map { String((isShared ? String($0.dropFirst(4)) : $0).prefix(Self.narrowHead)) }
    return Frame(
      heads: short, isNarrow: true, cellWidth: cellWidth(short, destinations.map(\.short), least: 3),
      titleWidth: min(titles, Self.narrowTitle) + 2)
  }

  private func cellWidth(_ heads: [String], _ cells: [String], least: Int) -> Int {
    max(least, (heads + cells).map(\.count).max() ?? 0) + 1
  }

  /// Where links go that open no app, in the order of their table.
  private var destinations: [LinkVerdict.Destination] {
    let verdicts = links.flatMap(\.rows).map(\.verdict).filter { $0.app == nil }
    return LinkVerdict.Destination.allCases.filter { destination in
      verdicts.contains { $0.destination == destination }
    }
  }

  private func picture(_ style: TextStyle) -> String {
    let frame = frame(style)
    let count = frame.devicesPerBlock(in: style.columns)
    var blocks: [String] = []
    for start in stride(from: 0, to: devices.count, by: count) {
      blocks.append(block(frame, start..<min(start + count, devices.count), style))
    }
    let text = blocks.joined(separator: "\n")
    guard frame.isNarrow else { return text }
    var lines = ["app: opens the app"]
    for destination in destinations {
      let words = "\(destination.short): opens \(destination.words)"
      if destination == .browser { lines[0] += "; " + words } else { lines.append(words) }
    }
    return text + lines.map { $0 + "\n" }.joined()
  }

  /// Without its middle: the ends of links differ.
  private static func shortened(_ title: String, to room: Int) -> String {
    guard title.count > room else { return title }
    let head = (room - 1) / 3
    return title.prefix(head) + "…" + title.suffix(room - 1 - head)
  }

  private func block(_ frame: Frame, _ places: Range<Int>, _ style: TextStyle) -> String {
    let width = frame.cellWidth
    var text =
      "".padded(to: frame.titleWidth) + frame.heads[places].map { $0.padded(to: width) }.joined() + "\n"
    for link in links {
      let title = link.title.url + link.title.from
      let room = frame.titleWidth - 2
      text += Self.shortened(title, to: room).padded(to: frame.titleWidth)
      for device in devices[places] {
        let row = link.rows.first { $0.device == device }
        let verdict = row?.verdict
        let cell = verdict.map { frame.isNarrow && $0.app == nil ? $0.destination.short : $0.opens } ?? "-"
        text += style.paint(cell.padded(to: width), cell == "app" ? .green : .cyan)
      }
      text += "\n"
    }
    return text.split(separator: "\n").map { line in
      var line = line
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  /// The release where releases tell all devices apart, else the name.
  private func columnName(_ device: DeviceTraits) -> String {
    areToldApartByRelease ? device.os.name : device.name
  }

  // MARK: - The verdicts

  private func verdicts(_ title: Title, _ rows: [Row], _ style: TextStyle) -> String {
    var groups: [[Row]] = []
    for row in rows {
      if let index = groups.firstIndex(where: { $0[0].verdict == row.verdict }) {
        groups[index].append(row)
      } else {
        groups.append([row])
      }
    }
    var text = style.bold(title.url) + title.from + "\n"
    for group in groups {
      let verdict = group[0].verdict
      let opens =
        verdict.app == nil ? style.paint(verdict.destination.rawValue, .cyan) : style.paint("app", .green)
      text += "  \(opens) on \(devicesText(group.map(\.device)))"
      if let app = verdict.app { text += ": \((group[0].appName ?? app).onOneLine)" }
      let rules = verdict.rules.isEmpty ? "" : " [\(verdict.sources)]"
      text += "\n    \(verdict.reason.onOneLine)\(rules)\n"
      if let change = verdict.change { text += "    change: \(change.onOneLine)\n" }
    }
    return text
  }

  /// Neighbouring devices as a range: `iOS 9.3 to 12.4, iOS 14.0`.
  private func devicesText(_ some: [DeviceTraits]) -> String {
    let places = some.compactMap { devicePlaces[$0.name] }
    var ranges: [ClosedRange<Int>] = []
    for place in places {
      if let last = ranges.last, last.upperBound + 1 == place {
        ranges[ranges.count - 1] = last.lowerBound...place
      } else {
        ranges.append(place...place)
      }
    }
    if ranges == [0...(devices.count - 1)], devices.count > 1 { return "all \(devices.count) devices" }
    return ranges.map { range in
      let first = columnName(devices[range.lowerBound])
      if range.count == 1 { return first }
      return first + (range.count == 2 ? ", " : " to ") + columnName(devices[range.upperBound])
    }.joined(separator: ", ")
  }
}

extension LinkVerdict.Destination {
  /// In a narrow picture.
  fileprivate var short: String {
    switch self {
    case .browser: "no"
    case .webView: "view"
    case .nothing: "none"
    case .alert: "watch"
    case .unknown: "?"
    }
  }
}
