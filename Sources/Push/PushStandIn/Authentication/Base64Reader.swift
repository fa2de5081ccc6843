internal import LinkspanCore

/// Base64 in both alphabets of RFC 4648, read without leniency.
enum Base64Reader {
  /// The parts of a token: the alphabet of URLs, without padding (RFC 7515, 2).
  static func urlBytes(_ text: some Sequence<UInt8>) -> [UInt8]? {
    bytes(text, UInt8(ascii: "-"), UInt8(ascii: "_"))
  }

  /// A channel identifier: the usual alphabet, with its padding.
  static func plainBytes(_ text: String) -> [UInt8]? {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard text.utf8.count % 4 == 0, padding <= 2 else { return nil }
    return bytes(text.utf8.dropLast(padding), UInt8(ascii: "+"), UInt8(ascii: "/"))
  }

  private static func bytes(_ text: some Sequence<UInt8>, _ plus: UInt8, _ slash: UInt8) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (value, bits) = (UInt32(0), 0)
    for byte in text {
      guard let digit = digit(byte, plus, slash) else { return nil }
      value = value << 6 | digit
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
        value &= (1 << UInt32(bits)) - 1
      }
    }
    // What is left over has to be less than a digit, and zero.
    return bits < 6 && value == 0 ? bytes : nil
  }

  private static func digit(_ byte: UInt8, _ plus: UInt8, _ slash: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case plus: 62
    case slash: 63
    default: nil
    }
  }
}
