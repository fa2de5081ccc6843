internal import AppBundle
internal import Handoff
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanFiles
internal import SiteInput

extension Command {
  package static let handoff = Command(
    name: "handoff", summary: "Decode, encode and predict Handoff's Bluetooth advertisements",
    operands: "COMMAND",
    discussion: """
      Apple does not document this format. Every field states its evidence: 'verified' was recomputed here \
      from published frames, 'observed' was seen in them, 'second-hand' was read by others out of Apple's program, \
      'inferred' follows from the others.
      """,
    flags: [],
    examples: [
      "linkspan handoff predict --team ABCDE12345 --activity-type com.example.edit",
      "linkspan handoff decode 4c000c0e0057cd3b3cbd48f29e6bf563f09210065b1e1d49e249",
    ],
    subcommands: [.handoffDecode, .handoffEncode, .handoffPredict]
  ) { arguments, _ throws(LinkspanError) in
    throw arguments.usage("COMMAND is missing")
  }

  static let handoffPredict = Command(
    name: "handoff predict", summary: "The seven bytes on the air for an app's activity types", operands: "",
    discussion: """
      Computes the activity hash of each type that an app can continue. Published frames confirm the hashes of seven of \
      Apple's types ('verified'); every other hash is a prediction ('inferred'). The hash of a third-party app needs \
      its team. Types that differ in case only have the same hash.
      """,
    flags: [HandoffFlags.team, HandoffFlags.activityType, HandoffFlags.app],
    examples: [
      "linkspan handoff predict --app App.ipa", "linkspan handoff predict --team ABCDE12345 --app Info.plist",
    ]
  ) { arguments, console throws(LinkspanError) in
    try arguments.expectOperands(0...0)
    let candidates = try HandoffFlags.candidates(arguments)
    guard !candidates.isEmpty else {
      throw arguments.usage("expected '--activity-type', or '--app' with an app that names some")
    }
    for candidate in candidates { try HandoffFlags.refuseUnpredictable(candidate.activityType) }
    if candidates[0].team.isEmpty,
      arguments.has("--app") || !candidates.allSatisfy({ ActivityHash.isApples($0.activityType) })
    {
      console.note(
        "linkspan handoff predict: without '--team' the hashes are those of Apple's own apps; the hash of a "
          + "third-party app needs its team (B.4).")
    }
    let rows = candidates.map {
      (candidate: $0, hash: ActivityHash(team: $0.team, activityType: $0.activityType))
    }
    var hasCollision = false
    // The first types with each hash: one of two is another one than the row's own.
    var earlier: [ActivityHash: [String]] = [:]
    for row in rows {
      let activityType = row.candidate.activityType
      let twin = earlier[row.hash]?.first { $0 != activityType }
      if earlier[row.hash, default: []].count < 2, !earlier[row.hash, default: []].contains(activityType) {
        earlier[row.hash, default: []].append(activityType)
      }
      if twin != nil { hasCollision = true }
      let evidence = ActivityHash.evidence(
        team: row.candidate.team, activityType: row.candidate.activityType)
      if arguments.has("--json") {
        console.print(
          .object([
            ("type", .string("handoff-prediction")), ("team", .string(row.candidate.team)),
            ("activity_type", .string(row.candidate.activityType)), ("hash", .string(row.hash.description)),
            ("collides_with", .init(twin)), ("certainty", .string(evidence.rawValue)),
            ("source", .string("B.4")),
          ]))
      } else {
        let collision: TerminalText =
          twin.map { "\n  collides with \($0): on the air, case makes no difference" } ?? ""
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
  static let app = Flag(
    "--app", "FILE",
    "The .ipa, .app or Info.plist whose NSUserActivityTypes to take; a signed app names its team as well")
  static let keys = [
    Flag("--key-file", "FILE", "A file with the key that the two devices share: 64 hexadecimal digits"),
    Flag("--key-env", "NAME", "The environment variable that holds the key"),
    Flag("--key", "HEX", "The key itself; other users of this machine can see arguments"),
  ]

  /// Each activity type that was named, with its team.
  static func candidates(_ arguments: Arguments) throws(LinkspanError) -> [(
    team: String, activityType: String
  )] {
    var team = try team(arguments)
    var types = arguments.all("--activity-type")
    if let path = arguments.value("--app") {
      let (plist, signed) = try claims(of: path)
      types += (plist?.userActivityTypes ?? []).map(\.value)
      if let signed, team.isEmpty { team = signed }
      if let signed, ASCII.lowercased(signed) != ASCII.lowercased(team) {
        throw arguments.usage(
          "'--team \(team)' and '--app' name different teams: '\(path)' is signed by '\(signed)'")
      }
    }
    return types.map { (team, $0) }
  }

  /// The Info.plist of an app, or that is one, and the team that signed it.
  private static func claims(of path: String) throws(LinkspanError) -> (plist: InfoPlist?, team: String?) {
    switch try BundleInput.open(path) {
    case .tree(let index):
      let app = try LinkspanError.of(bundle: BundleReader(index).read()).main
      return (app.infoPlist, app.teamIdentifier)
    case .program:
      throw LinkspanError("'\(path)' is a program, not a bundle.", help: "Name the .app or .ipa it is in.")
    case .other:
      let bytes = try FileReader.bytes(path)
      do throws(PropertyListError) {
        return (try InfoPlist(PropertyListDocument(bytes, name: path)), nil)
      } catch {
        let place = error.location.start.map { ":\($0.line):\($0.column)" } ?? ""
        throw LinkspanError("\(path)\(place): \(error.message)", help: error.help)
      }
    }
  }

  /// The team that is named; empty without one.
  static func team(_ arguments: Arguments) throws(LinkspanError) -> String {
    let team = arguments.value("--team") ?? ""
    guard
      team.isEmpty || team.utf8.count == 10 && team.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
    else {
      throw arguments.usage("'--team': expected ten letters and digits, such as ABCDE12345, got '\(team)'")
    }
    return team
  }

  /// Refuses a type whose hash is not that of a user activity, and an empty one, which no activity has.
  static func refuseUnpredictable(_ activityType: String) throws(LinkspanError) {
    guard !activityType.isEmpty else {
      throw LinkspanError("an activity type is empty.", help: "Name one, such as com.example.edit.")
    }
    guard ActivityHash.isNotification(activityType) else { return }
    throw LinkspanError(
      "'\(activityType)' has no hash that can be predicted.",
      help:
        "Strings beginning NOTIFICATION# are of kind 4 on the air (B.4, second-hand); how their hash is made is "
        + "not established.")
  }

  /// The key that a flag names, or nil without one. Nothing of it appears in an error.
  static func key(_ arguments: Arguments) throws(LinkspanError) -> [UInt8]? {
    let given = keys.map(\.name).filter(arguments.has)
    guard let flag = given.first else { return nil }
    guard given.count == 1 else {
      throw arguments.usage("'\(given[0])' and '\(given[1])' cannot be combined")
    }
    let value = arguments.value(flag) ?? ""
    var digits: [UInt8]
    switch flag {
    case "--key-file": digits = try SecretFile.bytes(value, warningOf: "key")
    case "--key-env":
      guard let text = ProcessEnvironment.value(value) else {
        throw LinkspanError(
          "'--key-env' names '\(value)', which is not set.",
          help: "Set it for this command, or use '--key-file'.")
      }
      digits = Array(text.utf8)
    default: digits = Array(value.utf8)
    }
    defer { Passphrase.wipe(&digits) }
    digits.removeAll { $0 == 0x0D }
    guard let key = ASCII.bytes(hex: String(decoding: digits, as: UTF8.self)),
      key.count == HandoffFrame.keyBytes
    else { throw arguments.usage("'\(flag)': expected \(HandoffFrame.keyBytes * 2) hexadecimal digits") }
    return key
  }

  /// What `--at` says, or nil without it.
  static func moment(_ arguments: Arguments) throws(LinkspanError) -> WallTime? {
    guard let text = arguments.value("--at") else { return nil }
    guard let moment = WallTime(text) else {
      throw arguments.usage("'--at': expected a time such as 2026-09-14T08:00:00Z, got '\(text)'")
    }
    guard moment.milliseconds >= ActivityTime.reference.milliseconds else {
      throw arguments.usage(
        "'--at': expected a time from \(ActivityTime.reference) on, where the time byte begins to count (B.3), "
          + "got '\(text)'")
    }
    return moment
  }
}
