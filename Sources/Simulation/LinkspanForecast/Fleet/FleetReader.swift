package import LinkspanCore

/// A fleet file that was read.
package struct FleetFile: Sendable {
  /// What could be read; the rest has its default.
  package fileprivate(set) var fleet = Fleet()
  /// All of severity error, in the order of the file.
  package fileprivate(set) var findings: [Finding] = []
  /// What may stand where, in the order of reading.
  package fileprivate(set) var choices: [(range: Range<Int>, choice: DocumentChoice)] = []

  /// Reads JSON5. Every key may be left out; `update: null` is a week without an update.
  package init(_ source: SourceText) {
    var reader = FleetReader(source: source)
    reader.read()
    self = reader.file
    findings = findings.inReadingOrder()
  }

  fileprivate init() {}
}

/// A fleet file while it is read.
private struct FleetReader: DocumentReading {
  var file = FleetFile()
  private let source: SourceText
  /// Whether the times that it has could all be read.
  private var knowsTimes = true
  private static let example = "{ devices: 1000000, update: { released: \"2026-03-03T12:00:00Z\" } }"

  init(source: SourceText) { self.source = source }

  mutating func report(_ rule: String, at range: Range<Int>, _ message: String, _ help: String) {
    file.findings.append(
      Finding(
        rule: "fleet." + rule, severity: .error, at: Finding.Location(source, range), message: message,
        help: help))
  }

  mutating func expects(_ choice: DocumentChoice, at range: Range<Int>) {
    file.choices.append((range, choice))
  }

  mutating func read() {
    let document = JSONParser.parse(source.bytes, dialect: .json5)
    for error in document.errors {
      report(error.kind.rawValue, at: error.range, error.message + ".", error.help)
    }
    guard document.errors.isEmpty, let root = document.root else { return }
    let keys = [
      "devices", "growth_per_day", "start", "days", "routes", "zones", "update", "site", "cdn", "server",
      "$schema",
    ]
    for member in known(root, "a fleet", keys: keys, example: Self.example) { readMember(member) }
    checkTimes(root)
  }

  private mutating func readMember(_ member: JSONMember) {
    let node = member.value
    switch member.name {
    // For editors: where the schema of fleets is.
    case "$schema": _ = string(node, "$schema", example: "$schema: \"fleet.schema.json\"")
    case "devices": int(node, "devices", in: 0...1_000_000_000).map { file.fleet.devices = $0 }
    case "growth_per_day":
      number(node, "growth_per_day", in: 0...1).map { file.fleet.growthPerDay = $0 }
    case "start": moment(node, "start").map { file.fleet.start = $0 }
    case "days":
      let days = int(node, "days", in: 1...60)
      if let days { file.fleet.days = days } else { knowsTimes = false }
    case "routes": readRoutes(node)
    case "zones": readZones(node)
    case "update":
      if case .null = node.value {
        file.fleet.update = nil
      } else {
        readUpdate(node)
      }
    case "site": readSite(node)
    case "cdn": readCDN(node)
    default: readServer(node)
    }
  }

  /// The file's own number must fit the forecast's days.
  private mutating func checkTimes(_ root: JSONNode) {
    guard let update = file.fleet.update else { return }
    let wait = update.released.milliseconds - file.fleet.start.milliseconds
    let lasting = Int64(file.fleet.seconds) * 1000
    let node = root["update"]?["released"] ?? root
    if !knowsTimes {
      // What stands for a time that cannot be read says nothing of the others.
    } else if wait >= lasting {
      report(
        "released", node, "The update ships after the forecast's last second.",
        "Move 'start', lengthen 'days', or move 'update.released'.")
    } else if wait < -60 * 86_400_000 {
      report(
        "released", node, "The update shipped more than 60 days before the forecast begins.",
        "Move 'start' or 'update.released'; or write 'update: null'.")
    }
    if update.manualShare + update.automaticShare > 1 {
      let shares = root["update"]?["automatic_share"] ?? root["update"]?["manual_share"] ?? node
      report(
        "shares", shares,
        "More than all devices update: 'automatic_share' and 'manual_share' add up to more than 1.",
        "Lower one of them.")
    }
  }

  private mutating func readRoutes(_ node: JSONNode) {
    let keys = ["below_ios_14", "developer_mode", "managed_mode"]
    for member in known(node, "routes", keys: keys, example: "routes: { below_ios_14: 0.01 }") {
      guard let share = number(member.value, member.name, in: 0...1) else { continue }
      switch member.name {
      case "below_ios_14": file.fleet.routes.belowIOS14 = share
      case "developer_mode": file.fleet.routes.developerMode = share
      default: file.fleet.routes.managedMode = share
      }
    }
    let routes = file.fleet.routes
    let total = routes.belowIOS14 + routes.developerMode + routes.managedMode
    if total > 1 + 1e-9 {
      report(
        "shares", node,
        "More than all devices ask the host: the routes' shares add up to \(Decimals.text(total)).",
        "Count a device in one of them only.")
    }
  }

  private mutating func readZones(_ node: JSONNode) {
    let example = "zones: [{ utc_offset: \"+09:00\", share: 1 }]"
    guard let elements = node.array, (1...64).contains(elements.count) else {
      return wrongType(node, "zones", wanted: "an array of 1 to 64 objects", example: example)
    }
    var zones: [Fleet.Zone] = []
    let mistakes = file.findings.count
    for element in elements {
      var zone = Fleet.Zone(offsetSeconds: 0, share: 0)
      for member in known(element, "a zone", keys: ["utc_offset", "share"], example: example) {
        if member.name == "share" {
          number(member.value, "share", in: 0...1).map { zone.share = $0 }
          continue
        }
        expects(.form("^[+-](0[0-9]|1[0-4]):[0-5][0-9]$"), at: member.value.range)
        if let text = string(member.value, "utc_offset", example: "utc_offset: \"+09:00\"") {
          if let seconds = FleetText.seconds(text, signed: true) {
            zone.offsetSeconds = seconds
          } else {
            report("offset", member.value, "'\(text)' is not an offset from UTC.", "For example: \"+09:00\".")
          }
        }
      }
      zones.append(zone)
    }
    // What could not be read says nothing of the sum.
    guard file.findings.count == mistakes else { return }
    let total = zones.reduce(0) { $0 + $1.share }
    guard abs(total - 1) < 0.001 else {
      return report(
        "shares", node, "The zones' shares add up to \(Decimals.text(total)).", "Let them add up to 1.")
    }
    file.fleet.zones = zones
  }

  private mutating func readUpdate(_ node: JSONNode) {
    let keys = [
      "released", "phased", "automatic_share", "nightly_share", "window", "burst_share", "burst_s",
      "burst_uncertainty", "manual_share", "manual_half_life_days",
    ]
    let example = "update: { released: \"2026-03-03T12:00:00Z\" }"
    var update = Fleet.Update()
    for member in known(node, "update", keys: keys, example: example) {
      let node = member.value
      let name = member.name
      switch name {
      case "released": moment(node, name).map { update.released = $0 }
      case "phased": bool(node, name).map { update.isPhased = $0 }
      case "automatic_share": number(node, name, in: 0...1).map { update.automaticShare = $0 }
      case "nightly_share": number(node, name, in: 0.01...1).map { update.nightlyShare = $0 }
      case "window": readWindow(node, &update)
      case "burst_share": number(node, name, in: 0...1).map { update.burstShare = $0 }
      case "burst_s": int(node, name, in: 1...3600).map { update.burstSeconds = $0 }
      case "burst_uncertainty": number(node, name, in: 1...100).map { update.burstUncertainty = $0 }
      case "manual_share": number(node, name, in: 0...1).map { update.manualShare = $0 }
      default:
        number(node, name, in: 0.01...365).map { update.manualHalfLifeSeconds = Int($0 * 86_400) }
      }
    }
    if update.burstSeconds >= update.windowLengthSeconds {
      report(
        "window", node, "The burst lasts as long as the window.", "Lower 'burst_s' or lengthen 'window'.")
      update.burstSeconds = 1
    }
    file.fleet.update = update
  }

  private mutating func readWindow(_ node: JSONNode, _ update: inout Fleet.Update) {
    let example = "window: { from: \"00:00\", hours: 6 }"
    for member in known(node, "window", keys: ["from", "hours"], example: example) {
      if member.name == "hours" {
        number(member.value, "hours", in: 0.1...24).map { update.windowLengthSeconds = Int($0 * 3600) }
        continue
      }
      expects(.form("^([01][0-9]|2[0-3]):[0-5][0-9]$"), at: member.value.range)
      if let text = string(member.value, "from", example: example) {
        if let seconds = FleetText.seconds(text, signed: false) {
          update.windowStartSeconds = seconds
        } else {
          report("clock", member.value, "'\(text)' is not a time of day.", "For example: \"23:30\".")
        }
      }
    }
  }

  private mutating func readSite(_ node: JSONNode) {
    let keys = ["requests_per_s", "daily_swing", "busiest_hour", "kept_share"]
    for member in known(node, "site", keys: keys, example: "site: { requests_per_s: 50 }") {
      let node = member.value
      switch member.name {
      case "requests_per_s":
        number(node, member.name, in: 0...10_000_000).map { file.fleet.site.requestsPerSecond = $0 }
      case "daily_swing": number(node, member.name, in: 0...1).map { file.fleet.site.dailySwing = $0 }
      case "busiest_hour": int(node, member.name, in: 0...23).map { file.fleet.site.busiestHour = $0 }
      default: number(node, member.name, in: 0...1).map { file.fleet.site.keptShare = $0 }
      }
    }
  }

  private mutating func readCDN(_ node: JSONNode) {
    for member in known(
      node, "cdn", keys: ["caches", "max_age_s"], example: "cdn: { caches: 60, max_age_s: 21600 }")
    {
      if member.name == "caches" {
        int(member.value, member.name, in: 0...100_000).map { file.fleet.cdn.caches = $0 }
      } else {
        int(member.value, member.name, in: 1...31_536_000).map { file.fleet.cdn.maxAgeSeconds = $0 }
      }
    }
  }

  private mutating func readServer(_ node: JSONNode) {
    let keys = [
      "cores", "connection_ms", "response_bytes", "handshake_bytes", "patience_s", "target_p99_ms",
    ]
    for member in known(node, "server", keys: keys, example: "server: { cores: 2, connection_ms: 0.3 }") {
      let node = member.value
      let name = member.name
      switch name {
      case "cores": int(node, name, in: 1...100_000).map { file.fleet.server.cores = $0 }
      case "connection_ms":
        if case .null = node.value {
          file.fleet.server.connectionMilliseconds = nil
        } else {
          number(node, name, in: 0.001...100_000).map { file.fleet.server.connectionMilliseconds = $0 }
        }
      case "response_bytes": int(node, name, in: 0...100_000_000).map { file.fleet.server.responseBytes = $0 }
      case "handshake_bytes":
        int(node, name, in: 0...1_000_000).map { file.fleet.server.handshakeBytes = $0 }
      case "patience_s": int(node, name, in: 1...3600).map { file.fleet.server.patienceSeconds = $0 }
      default: number(node, name, in: 0.001...3_600_000).map { file.fleet.server.targetMilliseconds = $0 }
      }
    }
  }

  /// The members whose names are known; the others are reported.
  private mutating func known(
    _ node: JSONNode, _ name: String, keys: [String], example: String
  ) -> [JSONMember] {
    (members(node, name, keys: keys, example: example) ?? []).filter { keys.contains($0.name) }
  }

  private mutating func number(_ node: JSONNode, _ name: String, in range: ClosedRange<Double>) -> Double? {
    expects(.number(range), at: node.range)
    if case .number(let text) = node.value, let value = Double(text), range.contains(value) { return value }
    report(
      "number", node,
      "'\(name)' is not a number from \(Decimals.text(range.lowerBound)) to \(Decimals.text(range.upperBound)).",
      "Write a number in that range.")
    return nil
  }

  private mutating func moment(_ node: JSONNode, _ name: String) -> WallTime? {
    let time = readMoment(node, name)
    if time == nil { knowsTimes = false }
    return time
  }

  private mutating func readMoment(_ node: JSONNode, _ name: String) -> WallTime? {
    let example = "\(name): \"2026-03-03T12:00:00Z\""
    expects(.form(WallTime.form), at: node.range)
    guard let text = string(node, name, example: example) else { return nil }
    if let time = WallTime(text) {
      // The forecast's days, and those that an update takes.
      if time.advanced(by: .seconds(366 * 86_400)) <= WallTime.last { return time }
      report(
        "time", node, "'\(text)' is too late: times end with the year 9999.",
        "Write a time before the year 9998. For example: \(example).")
      return nil
    }
    report("time", node, "'\(text)' is not a time in UTC.", "For example: \(example).")
    return nil
  }
}
