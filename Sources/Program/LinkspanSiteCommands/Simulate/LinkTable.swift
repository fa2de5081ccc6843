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
  private let areToldApartByRelease: Bool
  /// Ours: more columns do not fit a terminal.
  private static let columnLimit = 14

  init(_ rows: [SimulationResult.Row]) {
    var links: [(title: Title, rows: [Row])] = []
    var places: [String: Int] = [:]
    var devices: [DeviceTraits] = []
    for row in rows {
      // The same link followed in another way is another line.
      let key = row.link + " " + row.way.name
      if let place = places[key] {
        links[place].rows.append(row)
      } else {
        places[key] = links.count
        let from = row.way.name == "messages" ? "" : " (from \(row.way.name))"
        links.append(((row.link.onOneLine, from), [row]))
      }
      if !devices.contains(row.device) { devices.append(row.device) }
    }
    self.links = links
    self.devices = devices
    areToldApartByRelease = Set(devices.map(\.os)).count == devices.count
  }

  func text(style: TextStyle) -> String {
    guard !links.isEmpty else { return "" }
    var text = ""
    if devices.count <= Self.columnLimit, pictureFits(style) { text = picture(style) + "\n" }
    for link in links { text += verdicts(link.title, link.rows, style) + "\n" }
    return text
  }

  // MARK: - The picture

  /// A picture with broken lines is none; the verdicts beneath say the same.
  private func pictureFits(_ style: TextStyle) -> Bool {
    guard let columns = style.columns else { return true }
    return picture(.plain).split(separator: "\n").allSatisfy { $0.count <= columns }
  }

  private func picture(_ style: TextStyle) -> String {
    let heads = devices.map(columnName)
    let width = max(7, heads.map(\.count).max() ?? 0) + 1
    let first = links.map { $0.title.url.count + $0.title.from.count }.max() ?? 0
    var text = "".padded(to: first + 2) + heads.map { $0.padded(to: width) }.joined() + "\n"
    for link in links {
      text += (link.title.url + link.title.from).padded(to: first + 2)
      for device in devices {
        let row = link.rows.first { $0.device == device }
        let cell = row.map { $0.verdict.app == nil ? "browser" : "app" } ?? "-"
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
      let rules = verdict.rules.isEmpty ? "" : " [\(verdict.provenance.text)]"
      text += "\n    \(verdict.reason.onOneLine)\(rules)\n"
      if let change = verdict.change { text += "    change: \(change.onOneLine)\n" }
    }
    return text
  }

  /// Neighbouring devices as a range: `iOS 9.3 to 12.4, iOS 14.0`.
  private func devicesText(_ some: [DeviceTraits]) -> String {
    let places = some.compactMap { devices.firstIndex(of: $0) }
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
