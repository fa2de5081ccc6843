internal import LinkspanCore

/// URLs that nothing changes, told without parsing them: nearly all, and logs have millions.
enum PlainURL {
  /// Whether a text is an http or https URL with a name as host and a path, all of letters that no reader changes. Others
  /// may be URLs that nothing changes as well.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { isPlain($0[...]) } ?? isPlain(Array(text.utf8)[...])
  }

  private static func isPlain<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes) -> Bool
  where Bytes.SubSequence == Bytes {
    var rest = bytes
    guard drop("http", from: &rest) else { return false }
    _ = drop("s", from: &rest)
    guard drop("://", from: &rest), let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return false }
    var startsLabel = true
    var startsInLetter = false
    var hyphens = 0
    for byte in rest[..<slash] {
      guard kinds[Int(byte)] & inHost != 0 else { return false }
      if startsLabel { startsInLetter = byte >= UInt8(ascii: "a") }
      startsLabel = byte == UInt8(ascii: ".")
      hyphens = byte == UInt8(ascii: "-") ? hyphens + 1 : 0
      // May be Punycode.
      if hyphens == 2 { return false }
    }
    // The last label may be a number.
    if startsLabel || !startsInLetter { return false }
    var last: UInt8 = 0
    var before: UInt8 = 0
    var digits = 0
    var hasNumberSign = false
    for byte in rest[slash...] {
      if kinds[Int(byte)] & behindHost == 0 { return false }
      if digits > 0 {
        if ASCII.hexValue(byte) == nil { return false }
        digits -= 1
      } else if byte == UInt8(ascii: "%") {
        digits = 2
      } else if byte == UInt8(ascii: "#") {
        if hasNumberSign { return false }
        hasNumberSign = true
      }
      // May be a dot segment.
      if byte == UInt8(ascii: "."), last == UInt8(ascii: "/") { return false }
      if byte | 0x20 == UInt8(ascii: "e"), last == UInt8(ascii: "2"), before == UInt8(ascii: "%") {
        return false
      }
      before = last
      last = byte
    }
    return digits == 0
  }

  private static func drop<Bytes: RandomAccessCollection<UInt8>>(_ text: StaticString, from rest: inout Bytes)
    -> Bool
  where Bytes.SubSequence == Bytes {
    text.withUTF8Buffer { text in
      guard rest.starts(with: text) else { return false }
      rest = rest.dropFirst(text.count)
      return true
    }
  }

  private static let inHost: UInt8 = 1
  private static let behindHost: UInt8 = 2

  private static let kinds: [UInt8] = (0...UInt8.max).map { byte in
    let isName = byte >= 0x61 && byte <= 0x7A || ASCII.isDigit(byte) || "-._".utf8.contains(byte)
    let isKept = byte > 0x20 && byte < 0x7F && !"\"'<>\\^`{|}".utf8.contains(byte)
    return (isName ? inHost : 0) | (isKept ? behindHost : 0)
  }
}
