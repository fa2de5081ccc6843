internal import LinkspanCore

/// What a push is about: a bundle identifier, with a suffix for most push types.
package struct PushTopic: Hashable, Sendable {
  /// Ours; Apple publishes no limit, and a bundle identifier may have 155 characters.
  package static let limitBytes = 255

  package let text: String
  package let bundleIdentifier: String
  /// The push type that the suffix stands for; nil without a suffix.
  package let impliedType: PushType?

  /// - Returns: nil for an empty topic, one that is too long, and one with other characters than letters, digits, `.`, `-` and `_`.
  package init?(_ text: String) {
    let isPlain = text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || ".-_".utf8.contains($0) }
    guard isPlain, (1...Self.limitBytes).contains(text.utf8.count) else { return nil }
    let type = PushType.allCases.filter {
      !$0.topicSuffix.isEmpty && text.hasSuffix($0.topicSuffix) && text != $0.topicSuffix
    }.max { $0.topicSuffix.utf8.count < $1.topicSuffix.utf8.count }
    self.text = text
    impliedType = type
    bundleIdentifier = String(text.dropLast(type?.topicSuffix.count ?? 0))
  }

  /// The topic that pushes of a type to the same app have.
  package func expected(for type: PushType) -> String { bundleIdentifier + type.topicSuffix }

  /// Whether a push of the type may have this topic.
  package func fits(_ type: PushType) -> Bool {
    impliedType == nil ? type.topicSuffix.isEmpty : impliedType == type
  }
}
