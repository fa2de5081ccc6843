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
    var text = text
    let isPlain = text.withUTF8 { $0.allSatisfy(Self.isPlain) }
    guard isPlain, (1...Self.limitBytes).contains(text.utf8.count) else { return nil }
    let suffix = text.withUTF8 { bytes in
      Self.suffixes.first {
        bytes.count > $0.bytes.count && bytes.suffix($0.bytes.count).elementsEqual($0.bytes)
      }
    }
    self.text = text
    impliedType = suffix?.type
    bundleIdentifier =
      suffix.map { String(text.utf8.prefix(text.utf8.count - $0.bytes.count)) ?? text } ?? text
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
    }
  }

  /// What topics may end with, the longest first.
  private static let suffixes: [(bytes: [UInt8], type: PushType)] = PushType.allCases
    .map { (Array($0.topicSuffix.utf8), $0) }
    .filter { !$0.0.isEmpty }
    .sorted { $0.0.count > $1.0.count }

  /// The topic that pushes of a type to the same app have.
  package func expected(for type: PushType) -> String { bundleIdentifier + type.topicSuffix }

  /// Whether a push of the type may have this topic.
  package func fits(_ type: PushType) -> Bool {
    impliedType == nil ? type.topicSuffix.isEmpty : impliedType == type
  }
}
