import LinkspanCore

/// The values that XML writes as text.
enum PropertyListScalar {
  /// Decimal or `0x…`, with a sign; nil when it is none or does not fit 64 bits.
  static func integer(_ text: String) -> PropertyListNode.Value? {
    var digits = Array(ASCII.trimmed(text).utf8)[...]
    var isNegative = false
    if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      digits = digits.dropFirst()
    }
    let isHex = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
    if isHex { digits = digits.dropFirst(2) }
    guard let first = digits.first, ASCII.hexValue(first) != nil,
      let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: isHex ? 16 : 10)
    else { return nil }
    if isNegative {
      if magnitude == UInt64(Int64.max) + 1 { return .integer(.min) }
      return Int64(exactly: magnitude).map { .integer(-$0) }
    }
    return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
  }

  static func real(_ text: String) -> PropertyListNode.Value? {
    Double(ASCII.trimmed(text)).map { .real($0) }
  }

  /// `2026-11-21T07:48:28Z`, and nothing else.
  static func date(_ text: String) -> PropertyListNode.Value? {
    let bytes = Array(ASCII.trimmed(text).utf8)
    guard bytes.count == 20 else { return nil }
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    for (byte, wanted) in zip(bytes, pattern) {
      guard wanted == UInt8(ascii: "0") ? ASCII.isDigit(byte) : byte == wanted else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 { bytes[range].reduce(0) { $0 * 10 + Int64($1 & 0x0F) } }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61 else {
      return nil
    }
    let days = WallTime.days(year: year, month: month, day: day) - WallTime.days(year: 2001, month: 1, day: 1)
    return .date(Double(days * 86_400 + hour * 3_600 + minute * 60 + second))
  }

  /// Base64 (RFC 4648, section 4); blanks may stand anywhere.
  static func data(_ text: String) -> PropertyListNode.Value? {
    let digits = text.utf8.filter { !ASCII.isSpace($0) }
    return Base64.bytes(of: digits, ignoresSpareBits: true).map { .data($0) }
  }
}
