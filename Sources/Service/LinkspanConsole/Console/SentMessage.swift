internal import DeviceRegistry
internal import LinkspanCore
internal import RegistryRequests

/// A notification or a campaign, as the registry's API answers it.
struct SentMessage {
  /// What can be done to a campaign.
  enum Change: String, CaseIterable {
    case pause, resume, cancel

    /// On the button.
    var word: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
  }

  let identifier: String
  let name: String?
  let topic: String
  let environment: String
  let pushType: String
  let state: Message.State?
  /// The audience of a campaign, in words.
  let audience: String?
  /// Devices that fitted when it was made.
  let devices: Int
  let localTime: String?
  let throttle: Int?
  /// When it is going to start; nil for one that has.
  let nextStart: WallTime?
  /// Whether it was made to start later, or again.
  let isScheduled: Bool
  /// Whether its pushes wait for clocks, so that the pace of until now says nothing.
  let waitsForClocks: Bool
  /// Devices that get nothing on purpose, so far.
  let passedOver: Int
  /// What else was asked for, with the words for it.
  let options: [(name: String, text: String)]
  /// Devices that matched at its start, when it paused because they were too many.
  let grownTo: Int?
  /// Whether a server has paused it for APNs' rejections.
  let isPausedForRejections: Bool
  /// What this version does not understand of a campaign, by which it pauses it.
  let unread: [String]
  let createdAt: WallTime?
  let finishedAt: WallTime?
  /// Deliveries by state, as the API counts them.
  let deliveries: [(name: String, count: Int)]
  let reasons: [(name: String, count: Int)]

  init(_ root: JSONNode) {
    func text(_ name: String) -> String? { root[name]?.string }
    func counts(_ name: String) -> [(name: String, count: Int)] {
      (root[name]?.object ?? []).map { ($0.name, $0.value.int ?? 0) }
    }
    identifier = text("id") ?? ""
    name = text("name")
    topic = text("topic") ?? ""
    environment = text("environment") ?? ""
    pushType = text("push_type") ?? ""
    state = text("state").flatMap { Message.State(rawValue: $0) }
    audience = root["query"].flatMap { $0.object == nil ? nil : Self.words($0) }
    devices = root["devices"]?.int ?? 0
    localTime = text("local_time")
    throttle = root["throttle_per_second"]?.int
    nextStart = text("next_start").flatMap { WallTime($0) }
    isScheduled = text("starts_at") != nil
    waitsForClocks = localTime != nil || root["quiet_hours"]?.object != nil
    passedOver = ["holdout", "capped"].reduce(0) { $0 + (root["shares"]?[$1]?.int ?? 0) }
    options = Self.options(of: root)
    grownTo = root["grown_to"]?.int
    isPausedForRejections = text("pause_reason") == "rejections"
    unread = (root["not_understood"]?.array ?? []).compactMap(\.string)
    createdAt = text("created_at").flatMap { WallTime($0) }
    finishedAt = text("finished_at").flatMap { WallTime($0) }
    deliveries = counts("deliveries")
    reasons = counts("reasons")
  }

  private static func words(_ query: JSONNode) -> String {
    func list(_ name: String, _ word: String) -> String? {
      let values = (query[name]?.array ?? []).compactMap(\.string)
      return values.isEmpty ? nil : "\(word) \(values.joined(separator: ", "))"
    }
    let all: [String?] = [
      list("tags", "tag"), list("any_tags", "one of the tags"), list("without_tags", "without the tag"),
      list("locales", "locale"),
      list("time_zones", "time zone"), query["from_version"]?.string.map { "version \($0) or later" },
      query["below_version"]?.string.map { "version before \($0)" },
      query["seen_within_s"]?.int.map { "registered in the last \($0) s" },
      query["not_seen_for_s"]?.int.map { "not registered for \($0) s" },
    ]
    let parts = all.compactMap(\.self)
    return parts.isEmpty ? "every device of the app" : parts.joined(separator: "; ")
  }

  private static func options(of root: JSONNode) -> [(name: String, text: String)] {
    let variants = (root["variants"]?.array ?? []).map { variant in
      let share = variant["share"].flatMap { $0.typeName == "null" ? nil : $0.json.text } ?? "unknown"
      return
        "\(variant["name"]?.string ?? ""), share \(share): \((variant["devices"]?.int ?? 0).counted("device"))"
    }
    let shares = [("holdout", "held out"), ("capped", "withheld by the cap")].compactMap { name, words in
      root["shares"]?[name]?.int.flatMap { $0 > 0 ? "\($0.counted("device")) \(words)" : nil }
    }
    return CampaignWords.all(of: root).map { ($0.name, $0.text) }
      + (variants.isEmpty ? [] : [("Variants", variants.joined(separator: "; "))])
      + (shares.isEmpty ? [] : [("Nothing sent", shares.joined(separator: "; "))])
  }

  private func count(_ name: String) -> Int { deliveries.first { $0.name == name }?.count ?? 0 }

  /// How many of its deliveries have ended.
  var done: Int { DeliveryState.final.reduce(0) { $0 + count($1.rawValue) } }

  var all: Int { max(done + count("open"), devices - passedOver) }

  /// Those that a campaign has not made yet, as its pace or the hours of its devices have it; with them the counts are ``all``.
  var unmade: Int {
    state == .running || state == .paused || state == .scheduled ? all - done - count("open") : 0
  }

  /// What can be done to it now, if it is a campaign.
  var changes: [Change] {
    switch state {
    case .running, .scheduled: [.pause, .cancel]
    case .paused: [.resume, .cancel]
    default: []
    }
  }

  /// How long it will take still, at the pace of until now; nil where that says nothing, as of one that was made long before
  /// it started, or whose pushes wait for the morning.
  func secondsLeft(at now: WallTime) -> Int64? {
    guard state == .running, !isScheduled, !waitsForClocks, done > 0, done < all, let createdAt else {
      return nil
    }
    let passed = max(1, (now.milliseconds - createdAt.milliseconds) / 1_000)
    return passed * Int64(all - done) / Int64(done)
  }
}
