internal import Handoff
internal import LinkspanCommand
internal import LinkspanCore

extension Command {
  static let handoffDecode = Command(
    name: "handoff decode", summary: "What an advertisement says", operands: "HEX",
    discussion: """
      HEX is the manufacturer-specific data of an advertisement, from the company identifier 4c00 on. Without the key \
      only the unencrypted part is shown. One byte of the tag goes over the air, so one of 256 forged or damaged frames \
      passes; the output lists reasons to doubt a frame as doubts. The time byte repeats every 496 seconds, so only
      '--at' dates it.
      """,
    flags: [
      HandoffFlags.team, HandoffFlags.activityType, HandoffFlags.app,
      Flag("--at", "TIME", "When the frame was received, such as 2026-09-14T08:00:00Z"),
    ] + HandoffFlags.keys,
    examples: ["linkspan handoff decode 4c000c0e0057cd3b3cbd48f29e6bf563f092 --key-file FILE --json"]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(1...1)
    let text = arguments.operands[0]
    // As scanners on phones copy it.
    let isPrefixed = text.hasPrefix("0x") || text.hasPrefix("0X")
    guard let bytes = ASCII.bytes(hex: isPrefixed ? String(text.dropFirst(2)) : text) else {
      throw arguments.usage("HEX: expected pairs of hexadecimal digits")
    }
    let run = HandoffDecodeRun(
      data: try HandoffDecodeRun.read(bytes), key: try HandoffFlags.key(arguments),
      candidates: try HandoffFlags.candidates(arguments), now: try HandoffFlags.moment(arguments))
    if arguments.has("--json") { console.print(run.json) } else { console.print(run.text) }
    return run.isGood ? .yes : .no
  }
}

private struct HandoffDecodeRun {
  let data: ManufacturerData
  let key: [UInt8]?
  let candidates: [(team: String, activityType: String)]
  /// When the frame was received; nil where nobody said, and nothing dates the time byte.
  let now: WallTime?

  static func read(_ bytes: [UInt8]) throws(LinkspanError) -> ManufacturerData {
    do throws(AdvertisementError) {
      return try ManufacturerData(bytes)
    } catch {
      throw LinkspanError(
        "the data cannot be read \(error).",
        help: "Give the manufacturer-specific data from the company identifier 4c00 on, without its length.")
    }
  }

  private var frame: HandoffFrame? { data.handoff }

  private var announcement: ActivityAnnouncement? {
    guard let frame, let key else { return nil }
    return frame.announcement(key: key)
  }

  /// What is wrong, or speaks against the frame.
  private var doubts: [String] {
    var doubts: [String] = []
    if let problem = data.problem { doubts.append(problem.description) }
    for element in data.elements where !element.hasKnownLength {
      doubts.append(
        "the element \(element.name ?? "") has \(element.value.count.counted("byte")), a length it is not known to have"
      )
    }
    guard let frame else {
      return doubts + ["there is no Handoff element of \(HandoffFrame.byteCount) bytes"]
    }
    if ![0, 8].contains(frame.status) {
      doubts.append("the status byte is \(frame.status); known frames have 0, or 8 with the pasteboard")
    }
    if key != nil, announcement == nil {
      doubts.append("the tag does not fit: another key, another counter, or a changed frame")
    }
    if let announcement, !candidates.isEmpty, !announcement.hash.isNothing,
      activity(of: announcement) == nil
    {
      doubts.append("the hash is neither that of an activity you named nor of one that was published")
    }
    return doubts + (announcement?.doubts ?? [])
  }

  var isGood: Bool { doubts.isEmpty }

  var json: JSON {
    let elements = data.elements.map { element in
      JSON.object([
        ("type", .int(Int(element.type))), ("name", .init(element.name)),
        ("length_bytes", .int(element.value.count)), ("value", .string(ASCII.hexText(element.value))),
        ("certainty", .string(Evidence.observed.rawValue)), ("source", .string("B.6")),
      ])
    }
    let announcement = announcement
    return .object(
      [
        ("type", .string("handoff-decode")), ("elements", .array(elements)),
      ] + (frame.map(HandoffFields.members) ?? HandoffFields.missingFrame)
        + HandoffFields.members(announcement, activity: activity(of: announcement), seenAt: now)
        + [("plausible", .bool(isGood)), ("doubts", .array(doubts.map(JSON.string)))])
  }

  private func activity(of announcement: ActivityAnnouncement?) -> (team: String, activityType: String)? {
    announcement?.hash.activity(among: candidates)
  }

  private func activityWords(_ announcement: ActivityAnnouncement) -> String {
    if announcement.hash.isNothing { return "nothing is offered  [B.3, observed]" }
    guard let activity = activity(of: announcement) else { return "no known activity has it  [B.4]" }
    let evidence = ActivityHash.evidence(team: activity.team, activityType: activity.activityType)
    return "\(activity.activityType)  [B.4, \(evidence.rawValue)]"
  }

  var text: String {
    var lines = data.elements.map { element in
      "\(element.name ?? "unknown type \(element.type)")  \(ASCII.hexText(element.value))"
    }
    if let frame {
      lines.append("  counter \(frame.counter)  [B.1, observed]")
      if let announcement {
        let hash = announcement.hash
        lines.append("  activity \(hash): \(activityWords(announcement))")
        let options = announcement.options.names
        lines.append(
          "  options \(options.isEmpty ? "none" : options.joined(separator: ", "))  [B.3, observed]")
        let time = announcement.time
        if let now {
          lines.append("  last used \(time.time(seenAt: now))  [B.3, observed; its wrap second-hand]")
        }
        if time.isCurrent { lines.append("  in use when the frame was made  [B.3, observed]") }
      } else if key == nil {
        lines.append("  the rest is encrypted; '--key-file', '--key-env' or '--key' opens it")
      }
    }
    lines += doubts.map { "  doubt: \($0)" }
    return lines.joined(separator: "\n")
  }
}
