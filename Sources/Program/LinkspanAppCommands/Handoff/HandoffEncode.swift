internal import Handoff
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

extension Command {
  static let handoffEncode = Command(
    name: "handoff encode", summary: "The advertisement of an activity", operands: "",
    discussion: """
      Builds what a device advertises for an activity: the hash of its type, options and the time byte, sealed with \
      the key. A counter must never be used twice with a key.
      """,
    flags: [
      Flag("--counter", "N", "The counter of the frame, 0 to 65535"),
      HandoffFlags.team, HandoffFlags.activityType,
      Flag("--at", "TIME", "The moment of the frame, such as 2026-09-14T08:00:00Z (now)"),
      Flag("--time-byte", "HEX", "The time byte itself, instead of that of '--at'"),
      Flag("--idle", "The activity is not in use at the moment of the frame"),
      Flag(
        "--option", "NAME", repeats: true,
        "An option: \(ActivityOptions.all.map(\.name).joined(separator: ", "))"),
    ] + HandoffFlags.keys,
    examples: [
      "linkspan handoff encode --key KEY --counter 1 --team ABCDE12345 --activity-type com.example.edit --json"
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    guard let key = try HandoffFlags.key(arguments) else {
      throw arguments.usage("the key is missing; give it with '--key-file', '--key-env' or '--key'")
    }
    guard let counterText = arguments.value("--counter") else {
      throw arguments.usage("'--counter' is missing")
    }
    guard let counter = UInt16(counterText) else {
      throw arguments.usage("'--counter': expected an integer from 0 to 65535, got '\(counterText)'")
    }
    let types = arguments.all("--activity-type")
    guard types.count == 1 else {
      throw arguments.usage(
        types.isEmpty ? "'--activity-type' is missing" : "'--activity-type': expected one, got \(types.count)"
      )
    }
    try HandoffFlags.refuseUnpredictable(types[0])
    let team = try HandoffFlags.team(arguments)
    var options: ActivityOptions = []
    for name in arguments.all("--option") {
      guard let option = ActivityOptions(name: name) else {
        let known = ActivityOptions.all.map(\.name).joined(separator: ", ")
        throw arguments.usage("unknown option '\(name)'; expected one of \(known)")
      }
      options.insert(option)
    }
    let announcement = ActivityAnnouncement(
      hash: ActivityHash(team: team, activityType: types[0]), options: options,
      time: try time(arguments))
    let frame = HandoffFrame(announcement, key: key, counter: counter)
    let data = ManufacturerData([
      ContinuityElement(type: ContinuityElement.handoffType, value: frame.bytes)
    ])
    if arguments.has("--json") {
      console.print(
        .object(
          [("type", .string("handoff-encode")), ("data", .string(ASCII.hexText(data.bytes)))]
            + HandoffFields.members(frame)
            + HandoffFields.members(
              announcement, activity: (team, types[0]), isPredicted: true, seenAt: nil)))
    } else {
      console.print(ASCII.hexText(data.bytes))
    }
    return .yes
  }

  private static func time(_ arguments: Arguments) throws(LinkspanError) -> ActivityTime {
    guard let text = arguments.value("--time-byte") else {
      return ActivityTime(
        try HandoffFlags.moment(arguments) ?? CurrentTime.now, isCurrent: !arguments.has("--idle"))
    }
    guard let bytes = ASCII.bytes(hex: text), bytes.count == 1 else {
      throw arguments.usage("'--time-byte': expected two hexadecimal digits, got '\(text)'")
    }
    if arguments.has("--at") || arguments.has("--idle") {
      throw arguments.usage("'--time-byte' says the moment itself, without '--at' and '--idle'")
    }
    return ActivityTime(byte: bytes[0])
  }
}
