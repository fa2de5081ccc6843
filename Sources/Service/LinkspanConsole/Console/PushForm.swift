internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanServer
internal import PushProvider
internal import RegistryServer

/// What a person filled in on the page Push, read once.
struct PushForm {
  /// By the names of the form.
  enum Field: String, CaseIterable {
    case topic, environment
    case pushType = "push_type"
    case priority
    case collapseIdentifier = "collapse_id"
    case payload
    // Who gets it: one device or person, or a campaign's audience.
    case token, alias
    case name, tag
    case anyTags = "any_tags"
    case withoutTags = "without_tags"
    case locale
    case timeZones = "time_zones"
    case fromVersion = "from_version"
    case belowVersion = "below_version"
    case seenWithin = "seen_within_s"
    case notSeenFor = "not_seen_for_s"
    case localTime = "local_time"
    case throttle, everybody
    case startsAt = "starts_at"
    case `repeat`
    case quietFrom = "quiet_from"
    case quietTo = "quiet_to"
    case capCount = "cap_count"
    case capSeconds = "cap_seconds"
    case holdout

    /// What people call it: beside its field, where a campaign is read again, and in what the API refuses.
    var label: String {
      switch self {
      case .topic: "App"
      case .environment: "Environment"
      case .pushType: "Push type"
      case .priority: "Priority"
      case .collapseIdentifier: "Collapse ID"
      case .payload: "Payload"
      case .token: "Token"
      case .alias: "Alias"
      case .name: "Name"
      case .tag: "Tags"
      case .anyTags: "One of these tags"
      case .withoutTags: "Without these tags"
      case .locale: "Locale"
      case .timeZones: "Time zones"
      case .fromVersion: "From version"
      case .belowVersion: "Below version"
      case .seenWithin: "Seen within seconds"
      case .notSeenFor: "Not seen for seconds"
      case .localTime: "At their local time"
      case .throttle: "Pushes a second"
      case .everybody: "Every device of the app"
      case .startsAt: "Starts at"
      case .repeat: "Repeats"
      case .quietFrom: "Quiet from"
      case .quietTo: "Quiet to"
      case .capCount: "Most per person"
      case .capSeconds: "Within seconds"
      case .holdout: "Holdout"
      }
    }

    /// The member of the API's request that it fills in: a pointer, and the beginning of those to what is inside.
    fileprivate var pointer: String {
      switch self {
      case .token: "/tokens"
      case .alias: "/aliases"
      case .tag: "/query/tags"
      case .locale: "/query/locales"
      case .anyTags, .withoutTags, .timeZones, .fromVersion, .belowVersion, .seenWithin, .notSeenFor:
        "/query/" + rawValue
      case .throttle: "/throttle_per_second"
      case .everybody: "/audience"
      case .quietFrom: "/quiet_hours"
      case .quietTo: "/quiet_hours/to"
      case .capCount: "/cap"
      case .capSeconds: "/cap/per_s"
      case .topic, .environment, .pushType, .priority, .collapseIdentifier, .payload, .name, .localTime,
        .startsAt,
        .repeat, .holdout:
        "/" + rawValue
      }
    }
  }

  /// To whom a campaign goes, and when, how often and to how many, as the page with the question names it.
  static let conditions: [Field] =
    lists.map(\.field) + [
      .fromVersion, .belowVersion, .seenWithin, .notSeenFor, .startsAt, .repeat, .localTime, .quietFrom,
      .quietTo, .capCount, .capSeconds, .holdout, .throttle,
    ]

  /// Fields with one or several texts between commas, and what the API calls them.
  private static let lists: [(field: Field, name: String)] = [
    (.tag, "tags"), (.anyTags, "any_tags"), (.withoutTags, "without_tags"), (.locale, "locales"),
    (.timeZones, "time_zones"),
  ]

  /// What people call the members of the API's requests, by their names.
  static let labels: [String: String] = {
    var labels = [
      "quiet_hours": "Quiet hours", "from": Field.quietFrom.label, "count": Field.capCount.label,
      "state": "State",
      "active": "State", "reason": "Reason",
    ]
    for field in Field.allCases where field != .quietFrom && field != .everybody {
      for name in [field.rawValue, String(field.pointer.split(separator: "/").last ?? "")] {
        labels[name] = field.label
      }
    }
    return labels
  }()

  /// What the API refuses, by the field that a person has to change: the one whose pointer is the longest of those that fit.
  static func refusals(_ problems: [(pointer: String, text: String)]) -> [Field: String] {
    var refusals: [Field: String] = [:]
    for problem in problems {
      let fits = Field.allCases.filter {
        problem.pointer == $0.pointer || problem.pointer.hasPrefix($0.pointer + "/")
      }
      guard let field = fits.max(by: { $0.pointer.utf8.count < $1.pointer.utf8.count }) else { continue }
      refusals[field] = [refusals[field], problem.text].compactMap(\.self).joined(separator: " ")
    }
    return refusals
  }

  /// What the buttons of the form do.
  enum Action: String {
    case check, send, estimate, start
    /// To the devices whose alias is the person's name at the console.
    case me

    /// What is sent.
    var kind: Message.Kind {
      switch self {
      case .check, .send, .me: .notification
      case .estimate, .start: .campaign
      }
    }

    /// Where the API does it; nil for what asks the API nothing.
    var target: String? {
      switch self {
      case .check: nil
      case .send, .me: "/v1/notifications"
      case .estimate: "/v1/estimates"
      case .start: "/v1/campaigns"
      }
    }
  }

  private let values: [Field: String]
  private let user: String
  let action: Action
  /// How many devices the person has been told of; only the page with the question sends it.
  let confirmed: Int?
  /// Its name in that page's form.
  static let confirmedName = "confirm"

  init(_ visit: Console.Visit) {
    values = Dictionary(uniqueKeysWithValues: Field.allCases.map { ($0, visit.value($0.rawValue)) })
    user = visit.user
    // What no button says sends nothing.
    action = Action(rawValue: visit.value("do")) ?? .check
    confirmed = visit.form?.values(Self.confirmedName).last.flatMap { Int($0) }
  }

  subscript(_ field: Field) -> String { values[field] ?? "" }

  /// nil for an empty field.
  private func given(_ field: Field) -> String? { self[field].isEmpty ? nil : self[field] }

  /// For a form that sends all of it again.
  var filled: [(name: String, value: String)] {
    Field.allCases.compactMap { field in given(field).map { (field.rawValue, $0) } }
  }

  var headers: PushHeaders {
    var headers = PushHeaders()
    headers.type = given(.pushType).map { .init($0) }
    headers.priority = given(.priority).map { .init($0) }
    headers.collapseIdentifier = given(.collapseIdentifier).map { .init($0) }
    return headers
  }

  /// The body of the API's request; the payload is taken as it was written.
  ///
  /// - Throws: What has to be filled in otherwise, in the form's words.
  func body() throws(ConsoleFailure) -> JSON {
    let document = JSONParser.parse(Array(self[.payload].utf8))
    if let error = document.errors.first {
      throw ConsoleFailure("The payload is not JSON: \(error.message).")
    }
    guard let payload = document.root else { throw ConsoleFailure("The payload is empty.") }
    var members: [(String, JSON)] = [("payload", payload.json)]
    for (field, key) in [
      (Field.topic, "topic"), (.environment, "environment"), (.pushType, "push_type"),
      (.collapseIdentifier, "collapse_id"),
    ] {
      if let text = given(field) { members.append((key, .string(text))) }
    }
    if let priority = Int(self[.priority]) { members.append(("priority", .int(priority))) }
    switch action {
    case .check: break
    case .send: members += try recipients()
    case .me: members.append(("aliases", .array([.string(user)])))
    case .estimate, .start: members += try campaign()
    }
    if let confirmed { members.append(("confirm", .int(confirmed))) }
    return .object(members)
  }

  private func recipients() throws(ConsoleFailure) -> [(String, JSON)] {
    let members = [("tokens", given(.token)), ("aliases", given(.alias))].compactMap { key, text in
      text.map { (key, JSON.array([.string($0)])) }
    }
    guard let first = members.first else {
      throw ConsoleFailure("Fill in the token of a device, or an alias.")
    }
    guard members.count == 1 else {
      throw ConsoleFailure("“Token” and “Alias” exclude each other here. Clear one of them.")
    }
    return [first]
  }

  private func campaign() throws(ConsoleFailure) -> [(String, JSON)] {
    let query = audience
    var members: [(String, JSON)] = query.isEmpty ? [] : [("query", .object(query))]
    if self[.everybody] == "yes" {
      // The API refuses the two together as well, in its own names.
      guard query.isEmpty else {
        throw ConsoleFailure(
          "“Every device of the app” and a condition, such as a tag, exclude each other. Clear one of them.")
      }
      members.append(("audience", .string("all")))
    } else if query.isEmpty {
      throw ConsoleFailure("Fill in a condition, such as a tag, or choose “Every device of the app”.")
    }
    if let name = given(.name) { members.append(("name", .string(name))) }
    if let time = given(.localTime) { members.append(("local_time", .string(time))) }
    return members + options
  }

  private var audience: [(String, JSON)] {
    let lists = Self.lists.map { field, name in (name, given(field).map(Self.list)) }
    let others: [(String, JSON?)] = [
      ("from_version", given(.fromVersion).map(JSON.string)),
      ("below_version", given(.belowVersion).map(JSON.string)),
      ("seen_within_s", given(.seenWithin).map(Self.number)),
      ("not_seen_for_s", given(.notSeenFor).map(Self.number)),
    ]
    return (lists + others).compactMap { name, value in value.map { (name, $0) } }
  }

  /// What is between commas, without blanks around it. A text with a comma of its own is between quotation marks, as in CSV
  /// (RFC 4180): `beta, "vip,gold"`.
  private static func list(_ text: String) -> JSON {
    var (items, rest): ([JSON], Substring) = ([], text[...])
    while true {
      rest = rest.drop { $0 == " " }
      if let (item, after) = quoted(rest) {
        items.append(.string(item))
        rest = after
      } else {
        var item = rest.prefix { $0 != "," }
        rest = rest.dropFirst(item.count)
        while item.last == " " { item.removeLast() }
        items.append(.string(String(item)))
      }
      if rest.isEmpty { return .array(items) }
      rest = rest.dropFirst()
    }
  }

  /// - Returns: What is between quotation marks, two of them for one, and what follows from the next comma on; nil where a text
  ///   does not begin with such an item, so that it means itself.
  private static func quoted(_ text: Substring) -> (item: String, rest: Substring)? {
    guard text.first == "\"" else { return nil }
    var (item, rest) = ("", text.dropFirst())
    while let character = rest.popFirst() {
      if character != "\"" {
        item.append(character)
      } else if rest.first == "\"" {
        item.append(rest.removeFirst())
      } else {
        rest = rest.drop { $0 == " " }
        return rest.isEmpty || rest.first == "," ? (item, rest) : nil
      }
    }
    return nil
  }

  /// What the API reads and judges: what is no number goes to it as it was written.
  private static func number(_ text: String) -> JSON { JSON(number: text) ?? .string(text) }

  private var options: [(String, JSON)] {
    func object(_ members: [(String, Field)], _ value: (String) -> JSON) -> JSON? {
      let filled = members.compactMap { key, field in given(field).map { (key, value($0)) } }
      return filled.isEmpty ? nil : .object(filled)
    }
    let members: [(String, JSON?)] = [
      ("throttle_per_second", given(.throttle).map(Self.number)),
      ("starts_at", given(.startsAt).map(JSON.string)), ("repeat", given(.repeat).map(JSON.string)),
      ("quiet_hours", object([("from", .quietFrom), ("to", .quietTo)], JSON.string)),
      ("cap", object([("count", .capCount), ("per_s", .capSeconds)], Self.number)),
      ("holdout", given(.holdout).map(Self.number)),
    ]
    return members.compactMap { name, value in value.map { (name, $0) } }
  }
}
