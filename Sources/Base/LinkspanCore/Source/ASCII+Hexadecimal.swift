extension ASCII {
  /// Adds the two hexadecimal digits of a byte.
  package static func appendHex(_ byte: UInt8, isUpperCase: Bool, to text: inout [UInt8]) {
    text.append(digit(byte >> 4, isUpperCase))
    text.append(digit(byte & 15, isUpperCase))
  }

  private static func digit(_ value: UInt8, _ isUpperCase: Bool) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: isUpperCase ? "A" : "a") + value - 10
  }

  /// The bytes in hexadecimal digits of lower case, two for each.
  package static func hexText(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes { appendHex(byte, isUpperCase: false, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes as a URL carries them: `%` and two digits of upper case for each that is not kept (RFC 3986, 2.1).
  package static func percentEncoded(
    _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool
  ) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if isKept(byte) {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        appendHex(byte, isUpperCase: true, to: &text)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
