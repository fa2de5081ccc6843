internal import LinkspanCore

/// The part of a request that chooses devices by conditions.
extension MessageReader {
  private static let conditionNames = [
    "tags", "any_tags", "without_tags", "locales", "time_zones", "from_version", "below_version",
    "seen_within_s", "not_seen_for_s",
  ]

  /// Reads which devices a campaign is for.
  mutating func audience(_ node: JSONNode) -> Audience {
    var audience = Audience()
    if let query = node["query"] {
      guard let members = query.object else {
        values.report("/query", "'query' is \(query.typeName); expected an object.")
        return audience
      }
      for member in members where !Self.conditionNames.contains(member.name) {
        let near = Spelling.nearest(to: member.name, among: Self.conditionNames)
        let advice = near.map { " Did you mean '\($0)'?" } ?? ""
        values.report(
          "/query" + JSONPointer().appending(member.name).description,
          "'\(member.name)' is not a condition of a query.\(advice)")
      }
      for member in members where member.value.array?.isEmpty == true || Self.isMissing(member) {
        values.report(
          "/query" + JSONPointer().appending(member.name).description,
          "'\(member.name)' has no value; leave it out where every value fits.")
      }
      if members.isEmpty {
        values.report(
          "/query", "The query has no condition. If every device is meant, send \"audience\": \"all\".")
      }
      audience = conditions(query)
    }
    let word = node["audience"]
    if let word, word.string != "all" { values.report("/audience", "Expected \"all\", or no 'audience'.") }
    switch (node["query"], word) {
    case (nil, nil):
      values.report("", "No recipient: give a 'query', or \"audience\": \"all\" if every device is meant.")
    case (_?, _?): values.report("/audience", "'audience' and 'query' exclude each other.")
    default: break
    }
    return audience
  }

  private mutating func conditions(_ query: JSONNode) -> Audience {
    var audience = Audience()
    let (limit, tag, text) = (Self.listLimit, DeviceReader.tagLimit, DeviceReader.textLimit)
    audience.tags = texts(query, "tags", limit: limit, tag, at: "/query")
    audience.anyTags = texts(query, "any_tags", limit: limit, tag, at: "/query")
    audience.withoutTags = texts(query, "without_tags", limit: limit, tag, at: "/query")
    audience.locales = texts(query, "locales", limit: limit, text, at: "/query")
    audience.timeZones = texts(query, "time_zones", limit: limit, text, at: "/query")
    audience.minimumVersion = version(query, "from_version")
    audience.belowVersion = version(query, "below_version")
    audience.seenWithin = number(query, "seen_within_s", Audience.secondsRange, at: "/query")
    audience.notSeenFor = number(query, "not_seen_for_s", Audience.secondsRange, at: "/query")
    if let (condition, problem) = audience.contradiction({ $0 }) {
      values.report("/query/\(condition)", problem)
    }
    return audience
  }

  /// A version that others can be compared with.
  private mutating func version(_ query: JSONNode, _ name: String) -> String? {
    guard let node = given(query, name), let text = values.text(node, "/query/\(name)") else { return nil }
    guard let problem = Audience.problem(ofVersion: text) else { return text }
    values.report("/query/\(name)", problem)
    return nil
  }

  /// A text or a number that is null; other conditions are refused as being no arrays.
  private static func isMissing(_ member: JSONMember) -> Bool {
    (member.name.hasSuffix("_version") || member.name.hasSuffix("_s")) && member.value.typeName == "null"
  }
}
