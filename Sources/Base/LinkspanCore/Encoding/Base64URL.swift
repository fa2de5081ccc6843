/// Bytes as text that needs no escaping in a URL, without padding (RFC 4648, section 5; RFC 7515, 2).
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  package static func text(of bytes: [UInt8]) -> String { Base64.text(of: bytes, alphabet, isPadded: false) }

  /// - Returns: nil for other characters, a length that no bytes have, and bits that no byte takes up.
  package static func bytes(of text: some Sequence<UInt8>) -> [UInt8]? {
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
