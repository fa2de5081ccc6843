internal import LinkspanCore

/// Rules about the headers that a payload goes out with. What APNs refuses is decided by `PushHeaders.refusals`; each rule
/// says its reasons in words.
extension PayloadRule {
  static let header: [PayloadRule] = [
    unknownType, priority, backgroundPriority, topic, collapseIdentifier, expiration, pastExpiration,
    messageIdentifier, duplicateHeader, missingHeader, headerInPayload,
  ]

  /// A recorded request with these headers, and with what else it needs.
  private static func example(_ headers: String, _ payload: String = exampleAlert) -> String {
    let needed = [
      ("apns-topic", #""com.example.app""#), ("apns-push-type", #""alert""#),
    ].filter { !headers.contains("\"\($0.0)\"") }.map { "\"\($0.0)\":\($0.1)" }
    return #"{"headers":{\#(([headers] + needed).joined(separator: ","))},"payload":\#(payload)}"#
  }

  private static let unknownType = PayloadRule(
    "push-type", "The push type is one of Apple's eleven.", .error, source: .request,
    bad: [example(#""apns-push-type":⟦"banana"⟧"#)], good: [example(#""apns-push-type":"alert""#)]
  ) { source, report in
    for field in source.refused(.invalidPushType) {
      let known = PushType.allCases.map { $0.rawValue }
      report.add(
        source.place(of: field), "'\(field.text)' is not a push type",
        help: Spelling.nearest(to: field.text, among: known).map {
          "APNs answers 400 InvalidPushType. Did you mean '\($0)'?"
        } ?? "APNs answers 400 InvalidPushType. There are \(known.joined(separator: ", ")).")
    }
  }

  private static let priority = PayloadRule(
    "priority", "The priority is 1, 5 or 10.", .error, source: .request,
    bad: [example(#""apns-priority":⟦"7"⟧"#), example(#""apns-priority":⟦"high"⟧"#)],
    good: [example(#""apns-priority":"10""#)]
  ) { source, report in
    guard let refusal = source.headers.priorityRefusal, let field = refusal.field else { return }
    report.add(
      source.place(of: field), "the priority '\(field.text)' is not 1, 5 or 10",
      help: "APNs answers 400 BadPriority.")
  }

  private static let backgroundPriority = PayloadRule(
    "background-priority", "A background push has priority 5.", .error, source: .request,
    bad: [example(#""apns-push-type":"background","apns-priority":⟦"10"⟧"#, exampleSilent)],
    good: [example(#""apns-push-type":"background","apns-priority":"5""#, exampleSilent)],
    effect: .seenToWake
  ) { source, report in
    guard let refusal = source.headers.backgroundRefusal else { return }
    report.add(
      source.place(of: refusal.field),
      refusal.field == nil
        ? "a background push has no apns-priority, which means 10"
        : "the priority of a background push is 10",
      help:
        "Apple calls it an error: APNs answers 400 BadPriority, or delays or drops the push. Send it with apns-priority 5."
    )
  }

  private static let topic = PayloadRule(
    "topic", "The topic has the suffix of its push type.", .error, source: .request,
    bad: [
      example(#""apns-push-type":"voip","apns-topic":⟦"com.example.app"⟧"#),
      example(#""apns-push-type":"alert","apns-topic":⟦"com.example.app "⟧"#),
      example(#""apns-push-type":"alert","apns-topic":⟦"com/example"⟧"#),
    ], good: [example(#""apns-push-type":"voip","apns-topic":"com.example.app.voip""#)]
  ) { source, report in
    let place = source.place(of: source.headers.topic)
    let text = source.headers.topic?.text ?? ""
    switch source.headers.topicRefusal?.reason {
    case .missingTopic:
      report.add(
        place, "the request has no apns-topic",
        help: "APNs answers 400 MissingTopic, unless the connection's certificate stands for one topic.")
    case .badTopic:
      report.add(
        place, "'\(text)' is not a topic",
        help:
          "APNs answers 400 BadTopic. A topic is the bundle identifier, for most push types with a suffix.")
    case .topicDisallowed:
      guard let type = source.headers.namedType else { return }
      report.add(
        place, "the topic '\(text)' is not one for push type \(type.rawValue)",
        help:
          "APNs answers 400 TopicDisallowed. Write '\(PushTopic.parts(of: text).bundle)\(type.topicSuffix)', "
          + "or send another push type.")
    default:
      guard source.headers.topic != nil, PushTopic(text) == nil else { return }
      report.add(
        place, "the topic '\(text)' is no bundle identifier",
        help:
          "No app has it, so APNs refuses every token. A bundle identifier has letters, digits, '-' and '.'.",
        severity: .warning)
    }
  }

  private static let collapseIdentifier = PayloadRule(
    "collapse-id", "A collapse identifier has at most 64 bytes.", .error, source: .request,
    bad: [example("\"apns-collapse-id\":⟦\"\(String(repeating: "é", count: 33))\"⟧")],
    good: [example("\"apns-collapse-id\":\"\(String(repeating: "a", count: 64))\"")]
  ) { source, report in
    for field in source.refused(.badCollapseIdentifier) {
      report.add(
        source.place(of: field),
        "the collapse identifier has \(field.text.utf8.count) bytes; at most \(PushHeaders.collapseLimitBytes) are allowed",
        help: "APNs answers 400 BadCollapseId. Shorten it, for example to a hash.")
    }
  }

  private static let expiration = PayloadRule(
    "expiration", "The expiration is a time in Unix seconds.", .error, source: .request,
    bad: [example(#""apns-expiration":⟦"1700000000000"⟧"#), example(#""apns-expiration":⟦"abc"⟧"#)],
    good: [example(#""apns-expiration":"0""#)], effect: .valueOnly
  ) { source, report in
    for field in source.refused(.badExpirationDate) {
      report.add(
        source.place(of: field), "the expiration '\(field.text)' is not an integer ≥ 0",
        help: "APNs answers 400 BadExpirationDate. Write Unix seconds, or 0 for one attempt.")
    }
    guard let field = source.headers.expiration, let number = Int64(field.text), number > 100_000_000_000
    else { return }
    report.add(
      source.place(of: field), "the expiration is in milliseconds",
      help: "It names a day thousands of years ahead, so a stale push is never discarded. Write Unix seconds."
    )
  }

  /// 2001-09-09, years before there was APNs.
  private static let earliestExpiration: Int64 = 1_000_000_000

  private static let pastExpiration = PayloadRule(
    "past-expiration", "The expiration is a moment, not a number of seconds from now.", .warning,
    source: .request, bad: [example(#""apns-expiration":⟦"3600"⟧"#)],
    good: [example(#""apns-expiration":"1700000000""#), example(#""apns-expiration":"0""#)]
  ) { source, report in
    guard let field = source.headers.expiration, let number = Int64(field.text),
      (1..<earliestExpiration).contains(number)
    else { return }
    report.add(
      source.place(of: field), "the expiration '\(field.text)' lies decades in the past",
      help:
        "APNs counts from 1970, so the push is out of date at once. Add the seconds to the current time, or write 0"
        + " for one attempt.")
  }

  private static let messageIdentifier = PayloadRule(
    "message-id", "A message identifier is a UUID.", .error, source: .request,
    bad: [example(#""apns-id":⟦"nope"⟧"#)],
    good: [example(#""apns-id":"123e4567-e89b-12d3-a456-4266554400a0""#)]
  ) { source, report in
    for field in source.refused(.badMessageIdentifier) {
      report.add(
        source.place(of: field), "the message identifier '\(field.text)' is not a UUID",
        help:
          "APNs answers 400 BadMessageId. Write 32 hexadecimal digits as 8-4-4-4-12, or leave apns-id out.")
    }
  }

  private static let duplicateHeader = PayloadRule(
    "duplicate-header", "Every header is sent once.", .error, source: .request,
    bad: [example(#""apns-priority":"5","apns-priority":⟦"10"⟧"#)], good: [example(#""apns-priority":"10""#)]
  ) { source, report in
    for field in source.refused(.duplicateHeaders) {
      report.add(
        source.place(of: field), "the header '\(field.text)' is sent more than once",
        help: "APNs answers 400 DuplicateHeaders. Send it once.")
    }
  }

  private static let missingHeader = PayloadRule(
    "missing-header", "A recorded request has every header that decides about the push.", .note,
    source: .request,
    bad: [#"{"headers":⟦{"apns-push-type":"alert"}⟧,"payload":\#(exampleAlert)}"#],
    good: [example(#""apns-push-type":"alert""#)]
  ) { source, report in
    guard source.headers.extent == .recorded, let range = source.headers.range else { return }
    for header in source.headers.missing(for: source.type) {
      report.add(
        range, PayloadSource.headersPointer, "the recorded request has no \(header.name)",
        help: "If it was sent like this: \(header.consequence).")
    }
  }

  private static let headerInPayload = PayloadRule(
    "header-in-payload", "Headers stand in the request, not in the payload.", .warning, source: .request,
    bad: [
      #"{"aps":{"alert":"Hello",⟦"apns-priority"⟧:10}}"#,
      #"{⟦"apns-topic"⟧:"com.example.app","aps":{"alert":"Hello"}}"#,
    ]
  ) { source, report in
    let aps = source.aps
    let places: [(JSONNode?, JSONPointer)] = [
      (source.payload, source.pointer), (aps, source.apsPointer),
      (aps?["alert"], source.apsPointer.appending("alert")),
    ]
    for (node, pointer) in places {
      for member in node?.object ?? [] {
        guard let name = headerName(member.name) else { continue }
        report.add(
          member.nameRange, pointer.appending(member.name),
          "'\(member.name)' is a header, not a key of the payload",
          help: "APNs does not read it there. Send '\(name)' as a header of the request.")
      }
    }
  }

  /// The header that a key is called like, in any case and with either hyphen.
  static func headerName(_ key: String) -> String? {
    let name = ASCII.lowercased(key).replacing("_", with: "-")
    return name.hasPrefix("apns-") && PushHeaders.names.contains(name) ? name : nil
  }
}

extension CheckRule.Report {
  /// Notes a finding about a header.
  fileprivate mutating func add(
    _ place: PushHeaders.Field.Place, _ message: String, help: String, severity: Finding.Severity? = nil
  ) {
    add(place.range, place.pointer, message, help: help, severity: severity)
  }
}

extension PayloadSource {
  /// Where a finding about a header is: at its value, or at the payload where no file has it.
  fileprivate func place(of field: PushHeaders.Field?) -> PushHeaders.Field.Place {
    field?.place ?? .init(range: start, pointer: pointer)
  }

  /// The headers that are refused for a reason.
  fileprivate func refused(_ reason: RejectionReason) -> [PushHeaders.Field] {
    refusals.filter { $0.reason == reason }.compactMap { $0.field }
  }
}
