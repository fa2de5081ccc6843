internal import LinkspanCore

/// A URL split as RFC 3986 (appendix B) splits it, and otherwise left exactly as it was written.
///
/// Nothing is normalised or decoded: Apple's matcher compares the text as written (spec K3, P10).
package struct LinkURL: Hashable, Sendable {
  /// Longer ones are decided as no match. Our choice, near what Safari takes (about 80,000 characters by reports);
  /// it bounds what hostile patterns can cost.
  package static let lengthLimitBytes = 65_536

  package let text: String
  package let bytes: [UInt8]
  /// Lower-cased; empty when there is none.
  package let scheme: String
  /// Lower-cased, without user information and port; empty when there is none.
  package let host: String
  /// The digits after the host's colon; nil when there is no colon or nothing behind it.
  package let port: String?
  /// Byte ranges; an absent component is an empty range.
  package let path: Range<Int>
  package let query: Range<Int>
  package let fragment: Range<Int>

  package init(_ text: String) {
    self.text = text
    let bytes = Array(text.utf8)
    self.bytes = bytes
    let end = bytes.count
    /// The first of up to three stops at or after a place, or the end.
    func first(_ a: UInt8, _ b: UInt8, _ c: UInt8, from start: Int) -> Int {
      var index = start
      while index < end, bytes[index] != a, bytes[index] != b, bytes[index] != c { index += 1 }
      return index
    }
    let slash = UInt8(ascii: "/")
    let question = UInt8(ascii: "?")
    let hash = UInt8(ascii: "#")
    let colon = UInt8(ascii: ":")

    var rest = 0
    let schemeEnd = min(first(slash, question, hash, from: 0), first(colon, colon, colon, from: 0))
    if schemeEnd > 0, schemeEnd < end, bytes[schemeEnd] == colon {
      scheme = Self.lowercased(bytes[..<schemeEnd])
      rest = schemeEnd + 1
    } else {
      scheme = ""
    }

    if end - rest >= 2, bytes[rest] == slash, bytes[rest + 1] == slash {
      let authorityEnd = first(slash, question, hash, from: rest + 2)
      var authority = bytes[(rest + 2)..<authorityEnd]
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
      if let mark = authority.lastIndex(of: colon), !authority[mark...].contains(UInt8(ascii: "]")) {
        let digits = authority[(mark + 1)...]
        port = digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
        authority = authority[..<mark]
      } else {
        port = nil
      }
      host = Self.lowercased(authority)
      rest = authorityEnd
    } else {
      host = ""
      port = nil
    }

    let pathEnd = first(question, hash, hash, from: rest)
    path = rest..<pathEnd
    let queryEnd =
      pathEnd < end && bytes[pathEnd] == question ? first(hash, hash, hash, from: pathEnd) : pathEnd
    query = min(pathEnd + 1, queryEnd)..<queryEnd
    fragment = min(queryEnd + 1, end)..<end
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(
      decoding: bytes.contains { $0 &- 0x41 < 26 } ? bytes.map(ASCII.lowercased)[...] : bytes, as: UTF8.self)
  }

  /// Whether the port is absent or the scheme's own (spec M3, inferred from E3).
  package var hasDefaultPort: Bool {
    guard let port else { return true }
    return (scheme == "https" && port == "443") || (scheme == "http" && port == "80")
  }

  package func text(of range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
