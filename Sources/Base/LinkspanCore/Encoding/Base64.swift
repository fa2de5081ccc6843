/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// By character, the value of a digit; 255 for what is none.
  static let values = table(of: alphabet)

  package static func text(of bytes: [UInt8]) -> String { text(of: bytes, alphabet, isPadded: true) }

  /// What ``text(of:)`` writes.
  ///
  /// - Parameter ignoresSpareBits: Whether bits that no byte takes up may be set.
  /// - Returns: nil for other characters, a length or a padding that no bytes have, and spare bits.
  package static func bytes(
    of text: some BidirectionalCollection<UInt8>, ignoresSpareBits: Bool = false
  ) -> [UInt8]? {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard text.count % 4 == 0, padding <= 2 else { return nil }
    return bytes(of: text.dropLast(padding), values, ignoresSpareBits: ignoresSpareBits)
  }

  /// The decoding of both alphabets, of digits without padding.
  static func bytes(
    of digits: some Sequence<UInt8>, _ values: [UInt8], ignoresSpareBits: Bool = false
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (value, bits) = (UInt32(0), 0)
    for digit in digits {
      guard values[Int(digit)] < 64 else { return nil }
      value = value << 6 | UInt32(values[Int(digit)])
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(bits)))
        value &= (1 << UInt32(bits)) - 1
      }
    }
    // What is left over has to be less than a digit.
    return bits < 6 && (ignoresSpareBits || value == 0) ? bytes : nil
  }

  static func table(of alphabet: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }

  /// The encoding of both alphabets of RFC 4648.
  ///
  /// - Parameter isPadded: Whether the last group is filled up with '='.
  static func text(of bytes: [UInt8], _ alphabet: [UInt8], isPadded: Bool) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for place in 0...group.count { text.append(alphabet[Int(value >> UInt32(18 - 6 * place) & 63)]) }
      if isPadded, group.count < 3 { text += [UInt8](repeating: 0x3D, count: 3 - group.count) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
