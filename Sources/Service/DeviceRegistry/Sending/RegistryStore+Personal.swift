internal import LinkspanCore
internal import PushCampaigns
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
internal import RegistryRequests

/// What a campaign sends to each of its devices, and when it must not.
extension RegistryStore {
  /// Campaigns whose options are kept in memory. Ours.
  private static let optionsCount = 500

  /// A campaign's options; nil without any.
  func options(of message: Int64) throws(RegistryError) -> CampaignDetails? {
    try options(ofEach: [message])[message]
  }

  /// The options of campaigns that have some, by their identifiers.
  private func options(ofEach messages: Set<Int64>) throws(RegistryError) -> [Int64: CampaignDetails] {
    var found: [Int64: CampaignDetails] = [:]
    var unknown: [Int64] = []
    for message in messages.sorted() {
      if let known = knownOptions[message] { found[message] = known } else { unknown.append(message) }
    }
    guard !unknown.isEmpty else { return found }
    let read = try campaignDetails(ofEach: unknown)
    if knownOptions.count + unknown.count > Self.optionsCount { knownOptions = [:] }
    for message in unknown {
      knownOptions[message] = .some(read[message])
      found[message] = read[message]
    }
    return found
  }

  /// What a sender has claimed, each delivery with its device's payload; without those whose devices have quiet hours now,
  /// which are put back until the hours end.
  func personalised(
    _ claimed: [ClaimedDelivery], of sender: String, at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> [ClaimedDelivery] {
    let (claimed, campaigns) = try understood(claimed, of: sender, at: now)
    let details = try options(ofEach: campaigns).filter { $0.value.options.isPersonal }
    guard !details.isEmpty else { return claimed }
    let traits = try traits(of: claimed.filter { details[$0.message] != nil })
    var sent: [ClaimedDelivery] = []
    sent.reserveCapacity(claimed.count)
    var postponed: [(ClaimedDelivery, WallTime)] = []
    for var delivery in claimed {
      guard let campaign = details[delivery.message] else {
        sent.append(delivery)
        continue
      }
      // A device that has just left is found out by ``revoked(of:)``.
      let device = traits[delivery.identifier] ?? DeviceTraits(token: delivery.token)
      let rules = device.timeZone.flatMap(zone) ?? .utc
      let time = campaign.options.quietHours?.sendingTime(at: now, in: rules) ?? now
      if time > now {
        postponed.append((delivery, time))
        continue
      }
      let person = person(device.token, device.alias)
      delivery.payload = campaign.options.payload(
        for: device, draw: draw(campaign, of: delivery.message, for: person))
      sent.append(delivery)
    }
    try postpone(postponed, of: sender, at: now)
    return sent
  }

  /// Deliveries of campaigns that this build understands, and those campaigns; the others pause, and theirs are put back.
  private func understood(
    _ claimed: [ClaimedDelivery], of sender: String, at now: WallTime
  ) throws(RegistryError) -> ([ClaimedDelivery], Set<Int64>) {
    let campaigns = Set(claimed.filter { $0.lane == .campaign }.map(\.message))
    let understood = Set(try understood(campaigns.sorted(), at: now))
    guard understood.count < campaigns.count else { return (claimed, campaigns) }
    let stopped = campaigns.subtracting(understood)
    try putBack(claimed.filter { stopped.contains($0.message) }, of: sender, at: now)
    return (claimed.filter { !stopped.contains($0.message) }, understood)
  }

  private func postpone(
    _ deliveries: [(ClaimedDelivery, WallTime)], of sender: String, at now: WallTime
  ) throws(RegistryError) {
    guard !deliveries.isEmpty else { return }
    try putBack(deliveries.map(\.0), of: sender, at: now)
    _ = try database.runEach(
      "UPDATE queue SET due_at = $1 WHERE delivery_id = $2 AND state = 'queued'",
      deliveries.map { [.int($0.1.milliseconds), .int($0.0.identifier)] })
  }

  private static let traitColumns =
    "SELECT l.delivery_id AS id, d.token, d.alias, d.language, d.locale, d.time_zone, d.app_version, d.badge, d.tags"
    + " FROM queue AS l JOIN devices AS d ON d.token = l.address AND d.topic = l.topic AND d.environment = l.environment"
    + " WHERE l.delivery_id"

  /// By the identifiers of deliveries.
  private func traits(of deliveries: [ClaimedDelivery]) throws(RegistryError) -> [Int64: DeviceTraits] {
    let identifiers = deliveries.map { [SQLValue.int($0.identifier)] }
    guard !identifiers.isEmpty else { return [:] }
    let rows =
      if database.dialect.hasArrays {
        try database.run(Self.traitColumns + " = ANY($1::bigint[])", Self.arrays(identifiers))
      } else {
        try database.runEach(Self.traitColumns + " = $1", identifiers).flatMap { $0 }
      }
    var traits: [Int64: DeviceTraits] = [:]
    for row in rows {
      traits[try row.int("id")] = DeviceTraits(
        token: try row.text("token"), alias: try row.optionalText("alias"),
        language: try row.optionalText("language"), locale: try row.optionalText("locale"),
        timeZone: try row.optionalText("time_zone"), appVersion: try row.optionalText("app_version"),
        badge: try row.int("badge"),
        tags: try row.text("tags").split(separator: "\u{1F}").map(String.init))
    }
    return traits
  }

  /// A range without the time zones that have quiet hours now; those wait for the end of theirs.
  ///
  /// - Returns: nil where no zone is left.
  func awake(
    _ range: HeldRange, at now: WallTime, zone: (String) -> TimeZoneRules?
  ) throws(RegistryError) -> HeldRange? {
    guard let quiet = try options(of: range.message)?.options.quietHours else { return range }
    var waiting: [WallTime: [String]] = [:]
    var awake: [String] = []
    for name in range.excludesZones ? [] : range.zones {
      let time = quiet.sendingTime(at: now, in: zone(name) ?? .utc)
      if time > now { waiting[time, default: []].append(name) } else { awake.append(name) }
    }
    if range.excludesZones {
      let time = quiet.sendingTime(at: now, in: .utc)
      guard time > now else { return range }
      try move(range.identifier, to: time, range.zones)
      return nil
    }
    guard !waiting.isEmpty else { return range }
    var groups = waiting.sorted { $0.key < $1.key }
    if awake.isEmpty, let first = groups.first {
      try move(range.identifier, to: first.key, first.value)
      groups.removeFirst()
    } else {
      try database.run(
        "UPDATE ranges SET zones = $1 WHERE id = $2", [.text(Self.stored(awake)), .int(range.identifier)])
    }
    _ = try database.runEach(
      "INSERT INTO ranges (message_id, due_at, zones, excludes_zones, cursor_id, last_id)"
        + " VALUES ($1, $2, $3, 0, $4, $5)",
      groups.map { time, zones in
        [
          .int(range.message), .int(time.milliseconds), .text(Self.stored(zones)), .int(range.cursor),
          .int(range.last),
        ]
      })
    guard !awake.isEmpty else { return nil }
    var range = range
    range.zones = awake
    return range
  }

  private func move(_ range: Int64, to time: WallTime, _ zones: [String]) throws(RegistryError) {
    try database.run(
      "UPDATE ranges SET due_at = $1, zones = $2, owner = NULL WHERE id = $3",
      [.int(time.milliseconds), .text(Self.stored(zones)), .int(range)])
  }
}
