internal import Handoff
internal import LinkspanCore

/// The fields of a frame in JSON: each has its value, null where it is not known, its certainty and its source.
enum HandoffFields {
  static func field(_ value: JSON, _ evidence: Evidence, _ source: String) -> JSON {
    .object([("value", value), ("certainty", .string(evidence.rawValue)), ("source", .string(source))])
  }

  static func members(_ frame: HandoffFrame) -> [(String, JSON)] {
    [
      ("status", field(.int(Int(frame.status)), .observed, "B.1")),
      ("counter", field(.int(Int(frame.counter)), .observed, "B.1")),
      ("tag", field(.string(ASCII.hexText([frame.tag])), .verified, "B.2")),
      ("ciphertext", field(.string(ASCII.hexText(frame.ciphertext)), .verified, "B.2")),
    ]
  }

  static let missingFrame: [(String, JSON)] = [
    ("status", field(.null, .observed, "B.1")), ("counter", field(.null, .observed, "B.1")),
    ("tag", field(.null, .verified, "B.2")), ("ciphertext", field(.null, .verified, "B.2")),
  ]

  /// - Parameters:
  ///   - activity: Whose hash it is, where that is known.
  ///   - isPredicted: The hash was computed from the activity, and not found in a frame.
  ///   - now: The moment of the frame, which dates the time byte; nil where it is not known.
  static func members(
    _ announcement: ActivityAnnouncement?, activity: (team: String, activityType: String)?,
    isPredicted: Bool = false, seenAt now: WallTime?
  ) -> [(String, JSON)] {
    let hash = announcement?.hash
    let typeEvidence =
      activity.map { ActivityHash.evidence(team: $0.team, activityType: $0.activityType) } ?? .inferred
    let options = announcement?.options
    let time = announcement?.time
    let optionEvidence: Evidence =
      ActivityOptions.all.contains { $0.evidence == .secondHand && options?.contains($0.option) == true }
      ? .secondHand : .observed
    return [
      ("plaintext", field(.init(announcement.map { ASCII.hexText($0.bytes) }), .verified, "B.2")),
      (
        "activity_hash",
        field(
          .init(hash?.description), isPredicted ? typeEvidence : .verified, isPredicted ? "B.4" : "B.3")
      ),
      ("activity_type", field(.init(activity?.activityType), typeEvidence, "B.4")),
      ("team", field(.init(activity?.team), .secondHand, "B.4")),
      ("options", field(options.map { .array($0.names.map(JSON.string)) } ?? .null, optionEvidence, "B.3")),
      ("time_byte", field(.init(time.map { ASCII.hexText([$0.byte]) }), .observed, "B.3")),
      ("is_current", field(time.map { .bool($0.isCurrent) } ?? .null, .observed, "B.3")),
      (
        "last_used",
        field(
          now.flatMap { now in time.map { .string($0.time(seenAt: now).description) } } ?? .null, .secondHand,
          "B.3")
      ),
    ]
  }
}
