internal import LinkspanCommand
internal import LinkspanCore

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
    for (flag, name, least) in [
      ("--priority", "priority", 1), ("--expiration", "expiration", 0),
      ("--throttle", "throttle_per_second", 1),
    ] {
      if let number = try arguments.number(flag, atLeast: least) { members.append((name, .int(number))) }
    }
    if isPaused { members.append(("paused", .bool(true))) }
    let conditions = conditions(arguments)
    switch (arguments.has("--all"), conditions.isEmpty) {
    case (true, true): members.append(("audience", .string("all")))
    case (false, false): members.append(("query", .object(conditions)))
    case (true, false): throw arguments.usage("'--all' does not go with conditions such as '--tag'")
    case (false, true):
      throw arguments.usage("name devices with conditions such as '--tag', or every device with '--all'")
    }
    // The payload goes out byte for byte, so it is put in as it is.
    let payload = try PushDraft.payload(arguments).bytes
    let document = JSONParser.parse(payload)
    guard document.errors.isEmpty, document.root?.object != nil else {
      throw LinkspanError(
        "the payload is not a JSON object.", help: "'linkspan push lint FILE' says what is wrong with it.")
    }
    return JSON.object(members).bytes.dropLast() + Array(#","payload":"#.utf8) + payload + [UInt8(ascii: "}")]
  }

  private static func conditions(_ arguments: Arguments) -> [(String, JSON)] {
    var conditions: [(String, JSON)] = []
    for (flag, name) in [
      ("--tag", "tags"), ("--any-tag", "any_tags"), ("--locale", "locales"), ("--time-zone", "time_zones"),
    ] {
      let values = arguments.all(flag)
      if !values.isEmpty { conditions.append((name, .array(values.map(JSON.string)))) }
    }
    for (flag, name) in [("--from-version", "from_version"), ("--below-version", "below_version")] {
      if let text = arguments.value(flag) { conditions.append((name, .string(text))) }
    }
    return conditions
  }
}
