internal import AssociationDelivery

/// Who asks, as far as the User-Agent field tells (T6). It is a hint for counting: anybody
/// may send anything.
package enum ClientClass: String, CaseIterable, Sendable {
  /// The crawler of Apple's CDN: `AASA-Bot/1.0.0`.
  case crawler = "AASA-Bot"
  /// A device that asks directly: `com.apple.swcd (unknown version) CFNetwork/… Darwin/…`.
  case device = "swcd"
  /// What begins like a browser and doesn't call itself a bot.
  case browser
  case other

  /// Allocates nothing: it is called for every request.
  package init(userAgent: String?) {
    guard var text = userAgent else {
      self = .other
      return
    }
    self = text.withUTF8 { Self.classify($0) }
  }

  private static func classify(_ bytes: UnsafeBufferPointer<UInt8>) -> ClientClass {
    if begins(bytes, AssociationUserAgent.crawlerPrefix) { return .crawler }
    if AssociationUserAgent.devicePrefixes.contains(where: { begins(bytes, $0) }) { return .device }
    guard begins(bytes, "Mozilla/") || begins(bytes, "Opera/") else { return .other }
    return namesBot(bytes) ? .other : .browser
  }

  private static func begins(_ bytes: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where bytes[index] != word.utf8Start[index] { return false }
    return true
  }

  /// Whether `bot` stands in it in any case, as crawlers that dress as browsers write it.
  private static func namesBot(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.indices.dropLast(2).contains { index in
      bytes[index] | 0x20 == UInt8(ascii: "b") && bytes[index + 1] | 0x20 == UInt8(ascii: "o")
        && bytes[index + 2] | 0x20 == UInt8(ascii: "t")
    }
  }
}
