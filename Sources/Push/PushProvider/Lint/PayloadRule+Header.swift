internal import LinkspanCore

/// Rules about the headers that a payload goes out with.
extension PayloadRule {
  static let header: [PayloadRule] = [unknownType, priority, topic, collapseIdentifier, expiration]

  private static func example(_ headers: String) -> String {
    #"{"headers":{\#(headers)},"payload":\#(exampleAlert)}"#
  }

  private static let unknownType = PayloadRule(
    "push-type", "The push type is one of Apple's eleven.", .error, source: .request,
    bad: [example(#""apns-push-type":⟦"banana"⟧"#)], good: [example(#""apns-push-type":"alert""#)]
  ) { source, report in
    guard let field = source.headers.type, PushType(rawValue: field.text) == nil else { return }
    let known = PushType.allCases.map(\.rawValue)
    report.add(
      field.range ?? source.start, source.pointer, "'\(field.text)' is not a push type",
      help: Spelling.nearest(to: field.text, among: known).map {
        "APNs answers 400 InvalidPushType. Did you mean '\($0)'?"
      } ?? "APNs answers 400 InvalidPushType. There are \(known.joined(separator: ", ")).")
  }

  private static let priority = PayloadRule(
    "priority", "The priority is 1, 5 or 10.", .error, source: .request,
    bad: [example(#""apns-priority":⟦"7"⟧"#), example(#""apns-priority":⟦"high"⟧"#)],
    good: [example(#""apns-priority":"10""#)]
  ) { source, report in
    guard let field = source.headers.priority, PushPriority(field.text) == nil else { return }
    report.add(
      field.range ?? source.start, source.pointer, "the priority '\(field.text)' is not 1, 5 or 10",
      help: "APNs answers 400 BadPriority.")
  }

  private static let topic = PayloadRule(
    "topic", "The topic has the suffix of its push type.", .error, source: .request,
    bad: [
      example(#""apns-push-type":"voip","apns-topic":⟦"com.example.app"⟧"#),
      example(#""apns-push-type":"alert","apns-topic":⟦"com.example.app "⟧"#),
    ], good: [example(#""apns-push-type":"voip","apns-topic":"com.example.app.voip""#)]
  ) { source, report in
    guard let field = source.headers.topic else { return }
    guard let topic = PushTopic(field.text) else {
      report.add(
        field.range ?? source.start, source.pointer, "'\(field.text)' is not a topic",
        help:
          "APNs answers 400 BadTopic. A topic is the bundle identifier, for most push types with a suffix.")
      return
    }
    guard let type = source.type, !topic.fits(type) else { return }
    report.add(
      field.range ?? source.start, source.pointer,
      "the topic '\(topic.text)' is not one for push type \(type.rawValue)",
      help:
        "APNs answers 400 TopicDisallowed. Write '\(topic.expected(for: type))', or send another push type.")
  }

  /// Of `apns-collapse-id`.
  private static let collapseLimitBytes = 64

  private static let collapseIdentifier = PayloadRule(
    "collapse-id", "A collapse identifier has at most 64 bytes.", .error, source: .request,
    bad: [example("\"apns-collapse-id\":⟦\"\(String(repeating: "é", count: 33))\"⟧")],
    good: [example("\"apns-collapse-id\":\"\(String(repeating: "a", count: 64))\"")]
  ) { source, report in
    guard let field = source.headers.collapseIdentifier, field.text.utf8.count > collapseLimitBytes else {
      return
    }
    report.add(
      field.range ?? source.start, source.pointer,
      "the collapse identifier has \(field.text.utf8.count) bytes; at most \(collapseLimitBytes) are allowed",
      help: "APNs answers 400 BadCollapseId. Shorten it, for example to a hash.")
  }

  private static let expiration = PayloadRule(
    "expiration", "The expiration is a time in Unix seconds.", .error, source: .request,
    bad: [example(#""apns-expiration":⟦"1700000000000"⟧"#), example(#""apns-expiration":⟦"abc"⟧"#)],
    good: [example(#""apns-expiration":"0""#)]
  ) { source, report in
    guard let field = source.headers.expiration else { return }
    guard let number = Int(field.text), number >= 0 else {
      report.add(
        field.range ?? source.start, source.pointer, "the expiration '\(field.text)' is not an integer ≥ 0",
        help: "APNs answers 400 BadExpirationDate. Write Unix seconds, or 0 for one attempt.")
      return
    }
    guard number > 100_000_000_000 else { return }
    report.add(
      field.range ?? source.start, source.pointer, "the expiration is in milliseconds",
      help: "It names a day thousands of years ahead, so a stale push is never discarded. Write Unix seconds."
    )
  }
}
