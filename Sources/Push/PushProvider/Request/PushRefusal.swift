internal import LinkspanCore

/// A "no" of APNs that follows from a request's headers and the size of its payload alone, whoever sends it to whom.
package struct PushRefusal: Hashable, Sendable {
  package let reason: RejectionReason
  /// The header at fault, with its place where a file has one; nil for the payload, and for a header that is missing.
  package let field: PushHeaders.Field?

  init(_ reason: RejectionReason, _ field: PushHeaders.Field? = nil) {
    self.reason = reason
    self.field = field
  }
}

/// What APNs refuses for a request's headers and size. The lint, the explanation, the stories, the registry's API, the
/// senders and the stand-in ask these functions, so that they cannot disagree.
///
/// They look at the push type in the header and at the suffix of the topic. A type that was only inferred from the payload
/// is no ground for a refusal: APNs does not infer any.
extension PushHeaders {
  /// Of `apns-collapse-id`.
  static let collapseLimitBytes = 64

  /// Everything that is refused, in the order in which the stand-in asks.
  ///
  /// - Parameter isStrict: As documented; else as observed, where a background push of priority 10 is taken (push 7.11).
  package func refusals(isStrict: Bool = true) -> [PushRefusal] {
    repeated.map { PushRefusal(.duplicateHeaders, $0) }
      + [
        identifierRefusal, typeRefusal, priorityRefusal, isStrict ? backgroundRefusal : nil,
        expirationRefusal,
        collapseRefusal, topicRefusal,
      ].compactMap { $0 }
  }

  /// What is refused for the size of the payload.
  package func payloadRefusal(bytes count: Int) -> PushRefusal? {
    if count == 0 { return PushRefusal(.payloadEmpty) }
    return count > payloadLimitBytes ? PushRefusal(.payloadTooLarge) : nil
  }

  /// The most bytes that a payload may have: those of the type in the header, else of the one that the topic's suffix stands
  /// for.
  package var payloadLimitBytes: Int { (knownType ?? .alert).payloadLimitBytes }

  /// The type in the header, else the one that the topic's suffix stands for.
  var knownType: PushType? {
    namedType ?? topic.flatMap { PushTopic.parts(of: $0.text).implied }
  }

  /// The type in the header, where it is one.
  package var namedType: PushType? { type.flatMap { PushType(rawValue: $0.text) } }

  private var identifierRefusal: PushRefusal? {
    guard let messageIdentifier, !ASCII.isUUID(messageIdentifier.text) else { return nil }
    return PushRefusal(.badMessageIdentifier, messageIdentifier)
  }

  private var typeRefusal: PushRefusal? {
    guard let type, namedType == nil else { return nil }
    return PushRefusal(.invalidPushType, type)
  }

  package var priorityRefusal: PushRefusal? {
    guard let priority, PushPriority(priority.text) == nil else { return nil }
    return PushRefusal(.badPriority, priority)
  }

  /// A background push has priority 5, or 1; absent is 10, which Apple calls an error.
  package var backgroundRefusal: PushRefusal? {
    guard namedType == .background else { return nil }
    guard let priority else { return extent == .whole ? PushRefusal(.badPriority) : nil }
    return priority.text == "10" ? PushRefusal(.badPriority, priority) : nil
  }

  package var expirationRefusal: PushRefusal? {
    guard let expiration, !expiration.text.utf8.allSatisfy(ASCII.isDigit) || Int64(expiration.text) == nil
    else {
      return nil
    }
    return PushRefusal(.badExpirationDate, expiration)
  }

  private var collapseRefusal: PushRefusal? {
    guard let collapseIdentifier, collapseIdentifier.text.utf8.count > Self.collapseLimitBytes else {
      return nil
    }
    return PushRefusal(.badCollapseIdentifier, collapseIdentifier)
  }

  package var topicRefusal: PushRefusal? {
    guard let topic else { return extent == .whole ? PushRefusal(.missingTopic) : nil }
    guard PushTopic.isWellFormed(topic.text) else { return PushRefusal(.badTopic, topic) }
    let implied = PushTopic.parts(of: topic.text).implied
    guard let namedType, namedType.topicSuffix != (implied?.topicSuffix ?? "") else { return nil }
    return PushRefusal(.topicDisallowed, topic)
  }
}

/// A header that nobody named and that decides about the push.
package struct MissingPushHeader: Hashable, Sendable {
  package let name: String
  /// What its absence means: a clause without capital letter and full stop.
  package let consequence: String
}

extension PushHeaders {
  /// The headers that are not known and that a refusal, or the delivery, depends on; none where all are known.
  ///
  /// - Parameter type: The push type that is inferred where the header is not known.
  package func missing(for type: PushType?) -> [MissingPushHeader] {
    guard extent != .whole else { return [] }
    var missing: [MissingPushHeader] = []
    if topic == nil {
      missing.append(
        .init(
          name: "apns-topic",
          consequence:
            "without it APNs answers 400 MissingTopic, unless the connection's certificate stands for one topic"
        ))
    }
    if self.type == nil {
      missing.append(
        .init(
          name: "apns-push-type",
          consequence: "watchOS 6 and later drops a push without it"
            + (type.map { "; the payload looks like '\($0.rawValue)'" } ?? "")))
    }
    if priority == nil, (namedType ?? type) == .background {
      missing.append(
        .init(
          name: "apns-priority",
          consequence: "absent means 10, and APNs answers 400 BadPriority to a background push; send 5"))
    }
    return missing
  }
}
