extension ASCII {
  /// The bytes that hexadecimal digits of either case stand for; blanks, colons and hyphens between them don't count.
  ///
  /// - Returns: nil for another character, or for an odd number of digits.
  package static func bytes(hex text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for byte in text.utf8 where !" :-\n\t".utf8.contains(byte) {
      guard let digit = hexValue(byte) else { return nil }
      if let first = high { bytes.append(first << 4 | digit) }
      high = high == nil ? digit : nil
    }
    return high == nil ? bytes : nil
  }
}
