/// The characters of which the path, query and fragment of a URL on a device consist.
package enum HeldCharacter {
  /// Whether a character may be written in a URL. `?` ends a path, and `#` stands for no text.
  package static func isOne(_ byte: UInt8) -> Bool {
    (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}#".utf8.contains(byte)
  }

  /// Whether a character may be written in a query, where a browser writes `'` as an escape.
  ///
  /// - Source: URL standard, "special-query percent-encode set".
  package static func isOneOfQuery(_ byte: UInt8) -> Bool { isOne(byte) && byte != UInt8(ascii: "'") }
}
