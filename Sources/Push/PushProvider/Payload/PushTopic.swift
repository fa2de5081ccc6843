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
    let parts = Self.parts(of: text)
    self.text = text
    impliedType = parts.implied
    bundleIdentifier = parts.bundle
  }

  /// The bundle identifier in a topic of any characters, and the push type that its suffix stands for; of two suffixes the
  /// longest counts.
  package static func parts(of text: String) -> (bundle: String, implied: PushType?) {
    var text = text
    let suffix = text.withUTF8 { bytes in
      suffixes.first {
        bytes.count > $0.bytes.count && bytes.suffix($0.bytes.count).elementsEqual($0.bytes)
      }
    }
    guard let suffix else { return (text, nil) }
    return (String(text.utf8.prefix(text.utf8.count - suffix.bytes.count)) ?? text, suffix.type)
  }

  /// Whether APNs takes a text for a topic at all: visible ASCII, at most ``limitBytes``. Ours; Apple says no more than
  /// "malformed". What this program sends is written in fewer characters.
  package static func isWellFormed(_ text: String) -> Bool {
    (1...limitBytes).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
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

  /// This topic, and without a suffix those of the same app for every type of push.
  package var family: [PushTopic] {
    guard impliedType == nil else { return [self] }
    return [self] + Self.suffixes.compactMap { PushTopic(bundleIdentifier + $0.type.topicSuffix) }
  }

  /// Whether a push of the type may have this topic.
  package func fits(_ type: PushType) -> Bool {
    impliedType == nil ? type.topicSuffix.isEmpty : impliedType == type
  }
}
