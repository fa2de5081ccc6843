internal import LinkspanCore

/// The character classes and small grammars of RFC 9110 and RFC 9112 that both parsers and the writer share.
enum HTTPSyntax {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// `tchar` of RFC 9110, 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``, one bit for each byte below 128.
  static func isToken(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 64 ? 0x03ff_6cfa_0000_0000 : 0x57ff_ffff_c7ff_fffe
    return byte < 128 && bits >> UInt64(byte & 63) & 1 == 1
  }

  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isToken)
  }

  /// A byte allowed in a field value: tab, space, visible ASCII and the opaque upper half (RFC 9110, 5.5).
  static func isFieldValue(_ byte: UInt8) -> Bool { notFieldValue(byte) == 0 }

  /// 1 where it is not. A number rather than a branch, as ``notTarget(_:)``: so several bytes are looked at at a time.
  static func notFieldValue(_ byte: UInt8) -> UInt8 {
    (byte < 0x20 ? 1 : 0) & (byte == 0x09 ? 0 : 1) | (byte == 0x7F ? 1 : 0)
  }

  /// Whether fields can be written, and are read as they are meant.
  static func areFields(_ fields: [HTTPField]) -> Bool { fields.allSatisfy(isField) }

  static func isField(_ field: HTTPField) -> Bool {
    isName(field.name) && hasNone(of: notFieldValue, field.value)
  }

  static func isName(_ text: String) -> Bool { !text.isEmpty && hasNone(of: { isToken($0) ? 0 : 1 }, text) }

  /// - Parameter isStrange: Tells 1 of a byte that must not be there, else 0. All are asked, without a branch.
  static func hasNone(of isStrange: (UInt8) -> UInt8, _ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.reduce(UInt8(0)) { $0 | isStrange($1) } == 0
    } ?? text.utf8.allSatisfy { isStrange($0) == 0 }
  }

  /// A byte allowed in a request target. The grammar is narrower, but browsers send `|`, `"` and the like
  /// unencoded; none of those can be mistaken for a delimiter. A fragment is never sent (RFC 9112, 3.2).
  static func isTarget(_ byte: UInt8) -> Bool { notTarget(byte) == 0 }

  static func notTarget(_ byte: UInt8) -> UInt8 {
    (byte &- 0x21 < 0x5E ? 0 : 1) | (byte == UInt8(ascii: "#") ? 1 : 0)
  }

  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// The text of bytes from the wire; a byte that is not UTF-8 becomes U+FFFD.
  static func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }

  static func trimmed(_ bytes: Bytes) -> Bytes {
    var (low, high) = (0, bytes.count)
    while low < high, isWhitespace(bytes[low]) { low += 1 }
    while high > low, isWhitespace(bytes[high - 1]) { high -= 1 }
    return Bytes(rebasing: bytes[low..<high])
  }

  /// The field of one line, or nil: a fold, whitespace before the colon, a name or a value with bytes that do
  /// not belong there.
  static func field(_ line: Bytes) -> HTTPField? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else { return nil }
    let value = trimmed(Bytes(rebasing: line[(colon + 1)...]))
    guard value.allSatisfy(isFieldValue) else { return nil }
    return HTTPField(text(Bytes(rebasing: line[..<colon])), text(value))
  }

  /// The longest line, without its line feed, that fits into what is left of a section; the empty line that ends
  /// the section always fits.
  static func lineLimit(_ remainingBytes: Int) -> Int { max(1, remainingBytes - 1) }

  /// The members of a comma-separated list over every field of that name, lower-cased, empty members left out
  /// (RFC 9110, 5.6.1).
  static func list(_ name: String, in fields: HTTPFields) -> [String] {
    fields.values(of: name).flatMap { value in
      value.split(separator: ",").map { ASCII.lowercased(trimmed($0)) }.filter { !$0.isEmpty }
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.utf8.first, isWhitespace(first) { text.removeFirst() }
    while let last = text.utf8.last, isWhitespace(last) { text.removeLast() }
    return text
  }

  /// What one Content-Length value says.
  enum Length: Equatable {
    case bytes(Int)
    /// Digits that no integer holds.
    case overflow
    case invalid
  }

  static func length(_ value: String) -> Length {
    guard !value.isEmpty, value.utf8.allSatisfy(ASCII.isDigit) else { return .invalid }
    return Int(value).map(Length.bytes) ?? .overflow
  }

  /// `major` and `minor` of `HTTP/1.1`, or nil when the bytes are no version at all.
  static func version(_ bytes: some Collection<UInt8>) -> (major: Int, minor: Int)? {
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8) else { return nil }
    let major = bytes.index(bytes.startIndex, offsetBy: 5)
    let dot = bytes.index(after: major)
    let minor = bytes.index(after: dot)
    guard bytes[dot] == UInt8(ascii: "."), ASCII.isDigit(bytes[major]), ASCII.isDigit(bytes[minor]) else {
      return nil
    }
    return (Int(bytes[major] - 0x30), Int(bytes[minor] - 0x30))
  }
}
