/// Bytes as text (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(of bytes: [UInt8]) -> String { text(of: bytes, alphabet, isPadded: true) }

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
