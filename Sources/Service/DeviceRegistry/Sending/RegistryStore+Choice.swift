package import LinkspanCore
internal import PushCampaigns
internal import PushProvider
internal import PushTerms
internal import RegistryDatabases
package import RegistryRequests

/// Which of the devices of a range get a delivery of a campaign.
extension RegistryStore {
  /// How long a topic's campaigns are counted after one with a cap. Ours: the longest time of a cap.
  private static let countingTime = Duration.seconds(FrequencyCap.longestSeconds)

  /// What was decided about some devices.
  struct DeviceChoice {
    /// Devices that get nothing, and why: names of ``CampaignDetails/Share``.
    var skipped: [Int64: String] = [:]
    /// By token: who it belongs to, and what it gets.
    var persons: [String: (person: String, share: String)] = [:]
    /// Whether the topic's campaigns are counted for each person.
    var isCounted = false
  }

  /// The keyed hash of a person: of the alias, or of the token of a device without one.
  func person(_ token: String, _ alias: String?) -> String { alias.map(hash.alias) ?? hash.token(token) }

  /// What chance draws for a person in a campaign, and in each one of its series.
  func draw(_ details: CampaignDetails, of message: Int64, for person: String) -> UInt64 {
    hash.draw("campaign \(details.series ?? message)", for: person)
  }

  /// Decides about devices.
  ///
  /// - Returns: nil where every one of them gets a delivery, and nobody has to know.
  func choose(
    for message: Message, _ devices: SQLFilter, at now: WallTime
  ) throws(RegistryError) -> DeviceChoice? {
    guard message.kind == .campaign else { return nil }
    let details = try options(of: message.identifier)
    let isCounted = try isCounted(message, at: now)
    guard isCounted || details.map({ $0.options.choosesDevices || !$0.options.variants.isEmpty }) ?? false
    else {
      return nil
    }
    let rows = try database.run(
      "SELECT id, token, alias FROM devices\(devices.clause) ORDER BY id", devices.values)
    var choice = DeviceChoice(isCounted: isCounted)
    var found: [(id: Int64, token: String, person: String)] = []
    for row in rows {
      let token = try row.text("token")
      found.append((try row.int("id"), token, person(token, try row.optionalText("alias"))))
    }
    let arms = details?.options.arms ?? CampaignArms()
    var over: Set<String> = []
    if let cap = details?.options.cap { over = try persons(over: cap, found.map(\.person), message, at: now) }
    for device in found {
      let arm = details.map { arms.arm(draw($0, of: message.identifier, for: device.person)) } ?? .own
      switch arm {
      case .holdout: choice.skipped[device.id] = CampaignDetails.Share.holdout
      case _ where over.contains(device.person): choice.skipped[device.id] = CampaignDetails.Share.cap
      case .variant(let index):
        choice.persons[device.token] = (device.person, CampaignDetails.Share.variant(index))
      case .own: choice.persons[device.token] = (device.person, CampaignDetails.Share.own)
      }
    }
    return choice
  }

  /// Adds the condition that a device is none of these.
  func pass(over devices: [Int64], in conditions: inout SQLFilter) {
    guard !devices.isEmpty else { return }
    if database.dialect.hasArrays {
      conditions.add("id <> ALL(CAST(? AS BIGINT[]))", [.list(devices.map(SQLValue.int))])
    } else {
      let list = "[" + devices.map { "\($0)" }.joined(separator: ",") + "]"
      conditions.add("id NOT IN (SELECT value FROM json_each(?))", [.text(list)])
    }
  }

  /// Stores what was decided about the devices up to a place: how many got what, and that persons got this campaign.
  func note(
    _ choice: DeviceChoice, for message: Message, upTo cursor: Int64, _ claimed: [ClaimedDelivery],
    at now: WallTime
  ) throws(RegistryError) {
    var counts: [String: Int64] = [:]
    for (device, share) in choice.skipped where device <= cursor { counts[share, default: 0] += 1 }
    var reached: Set<String> = []
    for delivery in claimed {
      guard let (person, share) = choice.persons[delivery.token] else { continue }
      counts[share, default: 0] += 1
      reached.insert(person)
    }
    let rows = counts.sorted { $0.key < $1.key }.map { share, number in
      [SQLValue.int(message.identifier), .text(share), .int(number)]
    }
    if !rows.isEmpty, try options(of: message.identifier) != nil {
      _ = try database.runEach(
        "INSERT INTO campaign_arms (message_id, arm, devices) VALUES ($1, $2, $3)"
          + " ON CONFLICT (message_id, arm) DO UPDATE SET devices = campaign_arms.devices + excluded.devices",
        rows)
    }
    guard choice.isCounted, !reached.isEmpty else { return }
    try insertReach(reached.sorted(), message, at: now)
  }

  private func insertReach(_ persons: [String], _ message: Message, at now: WallTime) throws(RegistryError) {
    let columns = "INSERT INTO campaign_reach (person, topic, environment, message_id, at)"
    let rest = " ON CONFLICT (person, topic, environment, message_id) DO NOTHING"
    let place: [SQLValue] = [
      .text(message.content.topic.text), .text(message.content.environment.rawValue),
      .int(message.identifier),
      .int(now.milliseconds),
    ]
    guard database.dialect.hasArrays else {
      _ = try database.runEach(
        columns + " VALUES ($1, $2, $3, $4, $5)" + rest, persons.map { [.text($0)] + place })
      return
    }
    try database.run(
      columns + " SELECT person, $2, $3, CAST($4 AS BIGINT), CAST($5 AS BIGINT)"
        + " FROM unnest($1::text[]) AS reached (person)" + rest,
      Self.arrays(persons.map { [.text($0)] }) + place)
  }

  // MARK: - Caps

  /// Has the topic's campaigns counted for each person from now on.
  func countCampaigns(like message: MessageContent, from time: WallTime) throws(RegistryError) {
    try database.run(
      "INSERT INTO capped_topics (topic, environment, until_at) VALUES ($1, $2, $3) ON CONFLICT (topic, environment)"
        + " DO UPDATE SET until_at = CASE WHEN excluded.until_at > capped_topics.until_at THEN excluded.until_at"
        + " ELSE capped_topics.until_at END",
      [
        .text(message.topic.text), .text(message.environment.rawValue),
        .int(time.advanced(by: Self.countingTime).milliseconds),
      ])
  }

  private func isCounted(_ message: Message, at now: WallTime) throws(RegistryError) -> Bool {
    try !database.run(
      "SELECT 1 FROM capped_topics WHERE topic = $1 AND environment = $2 AND until_at > $3",
      [
        .text(message.content.topic.text), .text(message.content.environment.rawValue),
        .int(now.milliseconds),
      ]
    ).isEmpty
  }

  /// Those persons who got as many other campaigns lately as a cap allows. Two devices of a person count once.
  private func persons(
    over cap: FrequencyCap, _ persons: [String], _ message: Message, at now: WallTime
  ) throws(RegistryError) -> Set<String> {
    let persons = Set(persons).sorted()
    guard !persons.isEmpty else { return [] }
    let statement = "SELECT person, count(*) AS number FROM campaign_reach WHERE person"
    let rest =
      " AND topic = $2 AND environment = $3 AND message_id <> $4 AND at > $5 GROUP BY person"
    let values: [SQLValue] = [
      .text(message.content.topic.text), .text(message.content.environment.rawValue),
      .int(message.identifier),
      .int(now.advanced(by: .zero - .seconds(cap.seconds)).milliseconds),
    ]
    let rows =
      if database.dialect.hasArrays {
        try database.run(
          statement + " = ANY($1::text[])" + rest, Self.arrays(persons.map { [.text($0)] }) + values)
      } else {
        try database.runEach(statement + " = $1" + rest, persons.map { [.text($0)] + values }).flatMap { $0 }
      }
    var over: Set<String> = []
    for row in rows where !cap.allows(afterOthers: try row.int("number")) {
      over.insert(try row.text("person"))
    }
    return over
  }

  /// Whether another server decides about the topic's capped campaigns just now: of two that count at the same time each
  /// would miss what the other one sends.
  func isCappedElsewhere(_ message: Message) throws(RegistryError) -> Bool {
    guard database.dialect.isRemote, message.kind == .campaign else { return false }
    let counted = try database.run(
      "SELECT 1 FROM capped_topics WHERE topic = $1 AND environment = $2",
      [.text(message.content.topic.text), .text(message.content.environment.rawValue)])
    guard !counted.isEmpty else { return false }
    // One row of the table is the lock; the transaction's end releases it.
    return try database.run(
      "SELECT 1 FROM capped_topics WHERE topic = $1 AND environment = $2\(database.dialect.skipsLocked)",
      [.text(message.content.topic.text), .text(message.content.environment.rawValue)]
    ).isEmpty
  }

  /// Forgets which campaigns a person got who is being erased.
  func forgetReach(_ alias: String, _ topics: [String]?) throws(RegistryError) {
    var filter = SQLFilter()
    filter.add("person = ?", [.text(alias)])
    if let topics { filter.add("topic", in: topics) }
    try database.run("DELETE FROM campaign_reach" + filter.clause, filter.values)
  }

  /// Removes what no cap counts any more, and what is left of campaigns that were removed.
  ///
  /// - Parameter limit: Persons at most.
  package func pruneCampaigns(limit: Int, at now: WallTime) throws(RegistryError) {
    let oldest = now.advanced(by: .zero - Self.countingTime)
    try database.run(
      "DELETE FROM campaign_reach WHERE (person, topic, environment, message_id) IN (SELECT person, topic, environment,"
        + " message_id FROM campaign_reach WHERE at < $1 ORDER BY at LIMIT $2\(database.dialect.skipsLocked))",
      [.int(oldest.milliseconds), .int(Int64(limit))])
    for table in ["campaign_options", "campaign_arms"] {
      try database.run(
        "DELETE FROM \(table) WHERE message_id IN (SELECT message_id FROM \(table) WHERE NOT EXISTS"
          + " (SELECT 1 FROM messages WHERE id = \(table).message_id) ORDER BY message_id LIMIT $1)",
        [.int(Int64(limit))])
    }
  }
}
