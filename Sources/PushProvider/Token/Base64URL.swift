/// Bytes as text that needs no escaping in a URL, without padding (RFC 4648, section 5; RFC 7515, 2).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0...group.count { text.append(alphabet[Int(value >> UInt32(18 - 6 * place) & 63)]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: nil for other characters, a length that no bytes have, and bits that no byte takes up.
  static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (value, bits) = (UInt32(0), 0)
    for byte in text {
      guard values[Int(byte)] < 64 else { return nil }
      value = value << 6 | UInt32(values[Int(byte)])
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
        value &= (1 << UInt32(bits)) - 1
      }
    }
    return bits < 6 && value == 0 ? bytes : nil
  }
}
