internal import LinkspanCore

/// Rules about Live Activities, most of whose mistakes a device passes over without a word.
extension PayloadRule {
  static let liveActivity: [PayloadRule] = [
    activityEvent, activityKeys, activityStart, dismissalDate, inputPush, activitySeconds,
    activityReferenceDate, contentStateDate,
  ]

  private static let exampleUpdate =
    #"{"aps":{"event":"update","timestamp":1700000000,"content-state":{"score":1}}}"#

  private static let activityEvent = PayloadRule(
    "live-activity-event", "The event is 'start', 'update' or 'end'.", .error, source: .liveActivity,
    bad: [#"{"aps":{"event":⟦"stop"⟧,"timestamp":1700000000,"content-state":{}}}"#], good: [exampleUpdate]
  ) { source, report in
    guard source.type == .liveactivity, let event = source.aps?["event"], let text = event.string,
      Aps.ActivityEvent(rawValue: text) == nil
    else { return }
    report.add(
      event.range, source.apsPointer.appending("event"), "'\(text)' is not an event of a Live Activity",
      help: "The device ignores the push. Write start, update or end.")
  }

  private static let activityKeys = PayloadRule(
    "live-activity-keys",
    "A Live Activity push has 'event', 'timestamp' and, except at the end, 'content-state'.",
    .error, source: .liveActivity, bad: [#"{"aps":⟦{"event":"update","content-state":{}}⟧}"#],
    good: [exampleUpdate, #"{"aps":{"event":"end","timestamp":1700000000}}"#]
  ) { source, report in
    guard source.type == .liveactivity, let aps = source.aps else { return }
    var missing = ["event", "timestamp"].filter { aps[$0] == nil }
    if aps["content-state"] == nil, aps["event"]?.string != "end" { missing.append("content-state") }
    guard !missing.isEmpty else { return }
    report.add(
      aps.range, source.apsPointer,
      "the Live Activity push has no \(missing.map { "'\($0)'" }.joined(separator: " and no "))",
      help: "APNs accepts it, and the device ignores it. Add what is missing; 'timestamp' is in Unix seconds."
    )
  }

  private static let activityStart = PayloadRule(
    "live-activity-start", "A push that starts an activity has 'attributes-type', 'attributes' and 'alert'.",
    .error, source: .liveActivity,
    bad: [#"{"aps":{"event":⟦"start"⟧,"timestamp":1700000000,"content-state":{}}}"#],
    good: [
      #"{"aps":{"event":"start","timestamp":1700000000,"content-state":{},"attributes-type":"Game","attributes":{},"alert":"Kick-off"}}"#
    ]
  ) { source, report in
    guard source.type == .liveactivity, let aps = source.aps, let event = aps["event"],
      event.string == "start"
    else { return }
    var missing = ["attributes-type", "attributes", "alert"].filter { aps[$0] == nil }
    if aps["attributes-type"]?.string?.isEmpty == true { missing.insert("attributes-type", at: 0) }
    guard !missing.isEmpty else { return }
    report.add(
      event.range, source.apsPointer.appending("event"),
      "the push starts an activity without \(missing.map { "'\($0)'" }.joined(separator: ", "))",
      help: "The device starts nothing and says nothing. Add what is missing.")
  }

  private static let dismissalDate = PayloadRule(
    "dismissal-date", "'dismissal-date' goes with the event 'end'.", .warning, source: .liveActivity,
    bad: [
      #"{"aps":{"event":"update","timestamp":1700000000,"content-state":{},⟦"dismissal-date"⟧:1700000060}}"#
    ], good: [#"{"aps":{"event":"end","timestamp":1700000000,"dismissal-date":1700000060}}"#]
  ) { source, report in
    guard let aps = source.aps, aps["event"]?.string != "end",
      let member = aps.object?.last(where: { $0.name == "dismissal-date" })
    else { return }
    report.add(
      member.nameRange, source.apsPointer.appending(member.name),
      "'dismissal-date' is there and the event is not 'end'",
      help: "It has no effect. Send it with the push that ends the activity.")
  }

  private static let inputPush = PayloadRule(
    "input-push",
    "A started activity asks for a token or subscribes to a channel, whose identifier is Base64.", .error,
    source: .liveActivity,
    bad: [
      #"{"aps":{"alert":"x","input-push-token":1,⟦"input-push-channel"⟧:"QQ=="}}"#,
      #"{"aps":{"alert":"x","input-push-channel":⟦"not base64!"⟧}}"#,
    ],
    good: [
      #"{"aps":{"alert":"x","input-push-token":1}}"#, #"{"aps":{"alert":"x","input-push-channel":"QQ=="}}"#,
    ]
  ) { source, report in
    guard let aps = source.aps,
      let member = aps.object?.last(where: { $0.name == "input-push-channel" })
    else { return }
    let pointer = source.apsPointer.appending(member.name)
    if aps["input-push-token"] != nil {
      report.add(
        member.nameRange, pointer, "'input-push-token' and 'input-push-channel' cannot be combined",
        help: "Keep the token for an activity of one device, the channel for a broadcast.")
    }
    // A value of another type is another rule's.
    if let channel = member.value.string, !ChannelIdentifier.isOne(channel) {
      report.add(
        member.value.range, pointer, "'\(channel)' is not a channel identifier in Base64",
        help: "The activity subscribes to no channel. Write the 'apns-channel-id' that APNs gave the channel."
      )
    }
  }

  /// Above this a time in seconds lies beyond the year 5100, so it is in milliseconds.
  private static let millisecondsFrom = 100_000_000_000.0

  private static let activitySeconds = PayloadRule(
    "live-activity-milliseconds", "Times of a Live Activity are in seconds.", .error, source: .liveActivity,
    bad: [#"{"aps":{"event":"update","timestamp":⟦1700000000000⟧,"content-state":{}}}"#],
    good: [exampleUpdate]
  ) { source, report in
    for time in times(of: source, where: { $0 > millisecondsFrom }) {
      let effect =
        switch time.key {
        case "timestamp": "Every later update in seconds counts as older and is ignored."
        case "stale-date": "The activity never counts as stale."
        default: "The ended activity stays until the system removes it."
        }
      report.add(
        time.range, source.apsPointer.appending(time.key), "'\(time.key)' is in milliseconds",
        help: "\(effect) Write Unix seconds.")
    }
  }

  /// As seconds since 2001 these are the years 2020 to 2039; as Unix seconds 1989 to 2008, before there was APNs.
  private static let referenceDates = 600_000_000.0...1_200_000_000.0

  private static let activityReferenceDate = PayloadRule(
    "live-activity-reference-date",
    "Times of a Live Activity are in Unix seconds, not in seconds since 2001.", .warning,
    source: .liveActivity,
    bad: [#"{"aps":{"event":"update","timestamp":⟦820000000⟧,"content-state":{}}}"#],
    good: [exampleUpdate, #"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#]
  ) { source, report in
    for time in times(of: source, where: referenceDates.contains) {
      let effect =
        switch time.key {
        case "timestamp":
          "An update with a time in Unix seconds counts as newer, so the device ignores this one."
        case "stale-date": "The activity counts as stale at once."
        default: "The ended activity disappears at once."
        }
      report.add(
        time.range, source.apsPointer.appending(time.key),
        "'\(time.key)' looks like seconds since 2001; as Unix seconds it is before 2009",
        help: "\(effect) Write Unix seconds: add 978307200, or use timeIntervalSince1970 in Swift.")
    }
  }

  /// The times of a Live Activity that a condition holds for.
  private static func times(
    of source: PayloadSource, where condition: (Double) -> Bool
  ) -> [(key: String, range: Range<Int>)] {
    ["timestamp", "stale-date", "dismissal-date"].compactMap { key in
      guard let value = source.aps?[key], let number = value.double, condition(number) else { return nil }
      return (key, value.range)
    }
  }

  private static let contentStateDate = PayloadRule(
    "content-state-date", "Dates in 'content-state' are seconds since 2001, as Swift decodes them.", .warning,
    source: .liveActivity,
    bad: [#"{"aps":{"event":"update","timestamp":1700000000,"content-state":{"endDate":⟦1700003600⟧}}}"#],
    good: [#"{"aps":{"event":"update","timestamp":1700000000,"content-state":{"endDate":721696400}}}"#]
  ) { source, report in
    guard let state = source.aps?["content-state"] else { return }
    for member in state.object ?? [] {
      let name = ASCII.lowercased(member.name)
      let isDate =
        ["date", "time", "until", "deadline"].contains { name.hasSuffix($0) } || member.name.hasSuffix("At")
      // 2001-09-09 to 2100 in Unix seconds; as seconds since 2001 they begin in 2032.
      let isUnixTime = member.value.double.map { (1_000_000_000...4_102_444_800).contains($0) } ?? false
      guard isDate, isUnixTime || member.value.string != nil && name.hasSuffix("date") else { continue }
      let place = source.apsPointer.appending("content-state").appending(member.name)
      report.add(
        member.value.range, place,
        isUnixTime
          ? "'\(member.name)' looks like Unix seconds" : "'\(member.name)' is a date written as a string",
        help:
          "If the app's type has a Date there, Swift's default decoding wants seconds since 2001-01-01: "
          + "the update fails or is 31 years off, without an error. Subtract 978307200 from Unix seconds.")
    }
  }
}
