internal import AppBundle
internal import Handoff
internal import LinkspanCore
internal import LinkspanDaemon

extension Command {
  static let handoff = Command(
    name: "handoff", summary: "What Handoff puts on the air: decode, encode and predict advertisements",
    operands: "COMMAND",
    discussion: """
      Apple documents nothing of this. Every field says how well it is established: 'verified' was recomputed here \
      from published frames, 'observed' was seen in them, 'second-hand' was read by others out of Apple's program, \
      'inferred' follows from the others.
      """,
    flags: [],
    examples: [
      "linkspan handoff predict --team ABCDE12345 --activity-type com.example.edit",
      "linkspan handoff decode 4c000c0e0057cd3b3cbd48f29e6bf563f09210065b1e1d49e249",
    ],
    subcommands: [.handoffDecode, .handoffEncode, .handoffPredict]
  ) { arguments, _ throws(CommandError) in
    throw arguments.usage("COMMAND is missing")
  }

  static let handoffPredict = Command(
    name: "handoff predict", summary: "The seven bytes on the air for an app's activity types", operands: "",
    discussion: """
      Computes the activity hash of each type that an app can continue. No frame of a third-party app was published \
      yet, so the hash of a type with a team is a prediction. Types that differ in case only have the same hash.
      """,
    flags: [HandoffFlags.team, HandoffFlags.activityType, HandoffFlags.infoPlist],
    examples: ["linkspan handoff predict --team ABCDE12345 --app Info.plist"]
  ) { arguments, console throws(CommandError) in
    try arguments.expectOperands(0...0)
    let candidates = try HandoffFlags.candidates(arguments)
    guard !candidates.isEmpty else {
      throw arguments.usage("expected '--activity-type', or '--app' with an Info.plist that names some")
    }
    let rows = candidates.map {
      (candidate: $0, hash: ActivityHash(team: $0.team, activityType: $0.activityType))
    }
    var hasCollision = false
    for (index, row) in rows.enumerated() {
      let twin = rows[..<index].first {
        $0.hash == row.hash && $0.candidate.activityType != row.candidate.activityType
      }?.candidate.activityType
      if twin != nil { hasCollision = true }
      let evidence = row.candidate.team.isEmpty ? Evidence.verified : .inferred
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("handoff-prediction")), ("team", .string(row.candidate.team)),
            ("activity_type", .string(row.candidate.activityType)), ("hash", .string(row.hash.description)),
            ("collides_with", .init(twin)), ("certainty", .string(evidence.rawValue)),
            ("source", .string("B.4")),
          ]))
      } else {
        let collision = twin.map { "\n  collides with \($0): on the air case does not count" } ?? ""
        console.print(
          "\(row.hash)  \(row.candidate.activityType)  [B.4, \(evidence.rawValue)]\(collision)")
      }
    }
    return hasCollision ? .no : .yes
  }
}

/// What the commands about Handoff take alike.
enum HandoffFlags {
  static let team = Flag("--team", "ID", "The team identifier; without it the activities are Apple's own")
  static let activityType = Flag(
    "--activity-type", "TYPE", repeats: true, "An activity type, as in NSUserActivityTypes")
  static let infoPlist = Flag("--app", "FILE", "An Info.plist whose NSUserActivityTypes to take")
  static let key = Flag("--key", "HEX", "The key that the two devices share: 32 bytes")
  static let at = Flag("--at", "TIME", "The moment of the frame, such as 2026-09-14T08:00:00Z (now)")

  /// Each activity type that was named, with its team.
  static func candidates(_ arguments: Arguments) throws(CommandError) -> [(
    team: String, activityType: String
  )] {
    let team = arguments.value("--team") ?? ""
    var types = arguments.all("--activity-type")
    if let path = arguments.value("--app") {
      let bytes = try CommandError.mapping(FileReader.bytes(path))
      do throws(PropertyListError) {
        types += try InfoPlist(PropertyListDocument(bytes, name: path)).userActivityTypes.map(\.value)
      } catch {
        throw CommandError(error.message, help: error.help)
      }
    }
    return types.map { (team, $0) }
  }

  static func key(_ arguments: Arguments) throws(CommandError) -> [UInt8]? {
    guard let text = arguments.value("--key") else { return nil }
    guard let key = ASCII.bytes(hex: text), key.count == HandoffFrame.keyBytes else {
      // What was given may be most of a key, so it is not repeated.
      throw arguments.usage("'--key' expected \(HandoffFrame.keyBytes * 2) hexadecimal digits")
    }
    return key
  }

  static func moment(_ arguments: Arguments) throws(CommandError) -> WallTime {
    guard let text = arguments.value("--at") else { return CurrentTime.now }
    guard let moment = WallTime(text) else {
      throw arguments.usage("'--at' expected a time such as 2026-09-14T08:00:00Z, got '\(text)'")
    }
    return moment
  }
}
