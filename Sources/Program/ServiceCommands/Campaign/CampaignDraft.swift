internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import PushCampaigns
internal import RegistryRequests

/// What a person asks a campaign to be, as the body of its request.
enum CampaignDraft {
  /// - Parameter isPaused: Whether it waits to be resumed.
  static func body(_ arguments: Arguments, isPaused: Bool = false) throws(LinkspanError) -> [UInt8] {
    guard let topic = arguments.value("--topic") else { throw arguments.usage("'--topic' is required") }
    guard let environment = arguments.value("--environment") else {
      throw arguments.usage("'--environment' is required: production or sandbox")
    }
    var members: [(String, JSON)] = [("topic", .string(topic)), ("environment", .string(environment))]
    if let type = arguments.value("--push-type") { members.append(("push_type", .string(type))) }
    for (flag, name) in [
      ("--collapse-id", "collapse_id"), ("--name", "name"), ("--local-time", "local_time"),
    ] {
      if let text = arguments.value(flag) { members.append((name, .string(text))) }
    }
    for (flag, name, least) in [("--priority", "priority", 1), ("--expiration", "expiration", 0)] {
      if let number = try arguments.number(flag, atLeast: least) { members.append((name, .int(number))) }
    }
    if let number = try arguments.number("--throttle", in: MessageReader.throttleRange) {
      members.append(("throttle_per_second", .int(Int(number))))
    }
    if isPaused { members.append(("paused", .bool(true))) }
    let conditions = try conditions(arguments)
    switch (arguments.has("--all"), conditions.isEmpty) {
    case (true, true): members.append(("audience", .string("all")))
    case (false, false): members.append(("query", .object(conditions)))
    case (true, false): throw arguments.usage("'--all' does not go with conditions such as '--tag'")
    case (false, true):
      throw arguments.usage("name devices with conditions such as '--tag', or every device with '--all'")
    }
    members += try schedule(arguments)
    // Payloads go out byte for byte, so they are put in as they are.
    var body = Array(JSON.object(members).bytes.dropLast())
    for (name, text) in try payloads(arguments) { body += Array(",\"\(name)\":".utf8) + text }
    return body + [UInt8(ascii: "}")]
  }

  /// Members whose flags have their names.
  private static let plainNames: Set = [
    "topic", "environment", "push_type", "collapse_id", "name", "local_time", "priority", "expiration",
    "starts_at", "repeat", "quiet_hours", "cap", "holdout", "confirm",
  ]

  /// The flag that a person gave for what an answer of the API is about; nil where several could be.
  ///
  /// - Parameter pointer: Into the body.
  static func flag(of pointer: String) -> String? {
    let steps = pointer.split(separator: "/").map(String.init)
    guard let name = steps.first else { return nil }
    if name == "query" { return steps.dropFirst().first.map(Arguments.flag) }
    if name == "throttle_per_second" { return "--throttle" }
    return plainNames.contains(name) ? "--" + name.replacing("_", with: "-") : nil
  }

  /// Where an error or a warning of the API is, as a person who gave flags knows it, with a colon; empty where it is everywhere.
  static func place(of item: JSONNode) -> String {
    let pointer = item["pointer"]?.string ?? ""
    // Several flags make a query.
    let place = flag(of: pointer).map { "'\($0)'" } ?? (pointer == "/query" ? "" : pointer)
    return place.isEmpty ? "" : place + ": "
  }

  /// When, how often, and to how many.
  private static func schedule(_ arguments: Arguments) throws(LinkspanError) -> [(String, JSON)] {
    var members: [(String, JSON)] = []
    for (flag, name) in [("--starts-at", "starts_at"), ("--repeat", "repeat")] {
      if let text = arguments.value(flag) { members.append((name, .string(text))) }
    }
    if let text = arguments.value("--quiet-hours") {
      let times = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      let minutes = times.compactMap(ClockTime.minutes)
      guard times.count == 2, minutes.count == 2, minutes[0] != minutes[1] else {
        throw arguments.usage(
          "'--quiet-hours': expected two different times of day such as 22:00-08:00, got '\(text)'")
      }
      members.append(("quiet_hours", .object([("from", .string(times[0])), ("to", .string(times[1]))])))
    }
    if let text = arguments.value("--cap") {
      let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map {
        $0.hasPrefix("+") ? 0 : Int64($0) ?? 0
      }
      guard numbers.count == 2, let cap = FrequencyCap(count: numbers[0], seconds: numbers[1]) else {
        throw arguments.usage(
          "'--cap': expected 1 to \(FrequencyCap.largestCount) campaigns in 1 to \(FrequencyCap.longestSeconds) seconds"
            + " such as 2/86400, got '\(text)'")
      }
      members.append(("cap", cap.json))
    }
    if arguments.has("--template") { members.append(("template", .bool(true))) }
    if let text = arguments.value("--holdout") {
      guard let number = JSON(number: text) else {
        throw arguments.usage("'--holdout': expected a share such as 0.1, got '\(text)'")
      }
      members.append(("holdout", number))
    }
    return members
  }

  /// The payload that the flags name, or several of them, as they are in their files.
  private static func payloads(_ arguments: Arguments) throws(LinkspanError) -> [(String, [UInt8])] {
    var payloads: [(String, [UInt8])] = []
    let names =
      ["--payload", "--alert"].filter { arguments.value($0) != nil }
      + (arguments.has("--silent") ? ["--silent"] : [])
    let (languages, variants) = (arguments.value("--payloads"), arguments.value("--variants"))
    if let languages {
      if let name = names.first { throw arguments.usage("'--payloads' and '\(name)' exclude each other") }
      let example = #"{"default":{"aps":{"alert":"Hello"}},"de":{"aps":{"alert":"Hallo"}}}"#
      let text = try json(languages, isArray: false, "an object of payloads by language", example: example)
      payloads.append(("payloads", text))
    } else if variants == nil || !names.isEmpty {
      let payload = try arguments.payload(
        "'--payload', '--payloads', '--alert' and '--silent' is required, unless '--variants' has a share for everybody"
      )
      _ = try payload.json("a payload", help: "Write {\"aps\":{\"alert\":\"Hello\"}}.")
      payloads.append(("payload", payload.bytes))
    }
    if let variants {
      let example = #"[{"name":"a","share":0.5,"payload":{"aps":{"alert":"Hello"}}}]"#
      payloads.append(
        ("variants", try json(variants, isArray: true, "an array of variants", example: example)))
    }
    return payloads
  }

  private static func json(
    _ file: String, isArray: Bool, _ what: String, example: String
  ) throws(LinkspanError) -> [UInt8] {
    let source = try FileReader.read(file)
    _ = try source.json(what, isArray: isArray, help: "For example: \(example).")
    return source.bytes
  }

  /// What the flags ask of devices, without what they leave open.
  private static func conditions(_ arguments: Arguments) throws(LinkspanError) -> [(String, JSON)] {
    guard case .object(let members) = try arguments.audience().json else { return [] }
    return members.filter { _, value in
      switch value {
      case .array(let texts): !texts.isEmpty
      case .null: false
      default: true
      }
    }
  }
}
