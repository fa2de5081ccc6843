/// The content of a CMS SignedData structure (RFC 5652), found without verifying anything (spec G5s).
///
/// Reads DER and the indefinite lengths of BER, as older tools wrote them. Every length is checked against
/// what is left, and nesting is bounded.
struct SignedFile {
  private struct Element {
    var tag: UInt8
    var content: Range<Int>
  }

  /// Ours: SignedData down to the parts of its OCTET STRING needs eight.
  private static let depthLimit = 12

  private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

  private let bytes: [UInt8]

  /// - Returns: The encapsulated bytes, or nil when this is no SignedData with its content inside.
  static func content(of bytes: [UInt8]) -> [UInt8]? { SignedFile(bytes: bytes).content() }

  private func content() -> [UInt8]? {
    var rest = bytes.indices
    guard let outer = element(&rest), outer.tag == 0x30 else { return nil }
    var fields = outer.content
    guard let type = element(&fields), type.tag == 0x06, bytes[type.content].elementsEqual(Self.signedData),
      let wrapped = element(&fields), wrapped.tag == 0xA0
    else { return nil }
    var inner = wrapped.content
    guard let signed = element(&inner), signed.tag == 0x30 else { return nil }
    // version, digestAlgorithms, then encapContentInfo
    var members = signed.content
    guard element(&members) != nil, element(&members) != nil, let info = element(&members), info.tag == 0x30
    else { return nil }
    var parts = info.content
    guard element(&parts) != nil, let explicit = element(&parts), explicit.tag == 0xA0 else { return nil }
    var octets = explicit.content
    guard let string = element(&octets) else { return nil }
    var content: [UInt8] = []
    return collect(string, into: &content, depth: 0) ? content : nil
  }

  /// An OCTET STRING in one part, or in several inside a constructed one.
  private func collect(_ string: Element, into content: inout [UInt8], depth: Int) -> Bool {
    guard depth < Self.depthLimit else { return false }
    if string.tag == 0x04 {
      content += bytes[string.content]
      return true
    }
    guard string.tag == 0x24 else { return false }
    var parts = string.content
    while !parts.isEmpty {
      guard let part = element(&parts), collect(part, into: &content, depth: depth + 1) else { return false }
    }
    return true
  }

  /// The element at the front of a range, which is moved behind it.
  private func element(_ rest: inout Range<Int>, depth: Int = 0) -> Element? {
    guard depth < Self.depthLimit, rest.count >= 2, bytes[rest.lowerBound] & 0x1F != 0x1F else { return nil }
    let tag = bytes[rest.lowerBound]
    let first = bytes[rest.lowerBound + 1]
    var start = rest.lowerBound + 2
    if first == 0x80 {
      // Indefinite: runs to the two zero bytes that end it.
      guard tag & 0x20 != 0 else { return nil }
      var inside = start..<rest.upperBound
      while !bytes[inside].starts(with: [0, 0]) {
        guard element(&inside, depth: depth + 1) != nil else { return nil }
      }
      rest = (inside.lowerBound + 2)..<rest.upperBound
      return Element(tag: tag, content: start..<inside.lowerBound)
    }
    var length = Int(first)
    if first > 0x80 {
      let count = Int(first & 0x7F)
      guard count <= 4, rest.upperBound - start >= count else { return nil }
      length = bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
      start += count
    }
    guard rest.upperBound - start >= length else { return nil }
    rest = (start + length)..<rest.upperBound
    return Element(tag: tag, content: start..<start + length)
  }
}
