/// Reads the elements of BER one after the other: the encoding of certificates and signatures (ITU-T X.690), of
/// which DER is the strict part.
///
/// Takes definite lengths and the indefinite ones that older or streaming tools write. Every length is checked
/// against what is left, and nesting is bounded.
package struct BERReader: Sendable {
  /// One value with its tag and places; its content is not looked into.
  package struct Element: Hashable, Sendable {
    /// The first byte: class, whether other elements are inside, and number.
    package var tag: UInt8
    /// Where the content lies, without tag, length and the end of an indefinite length.
    package var content: Range<Int>
    /// Where all of it lies.
    package var encoded: Range<Int>
  }

  /// Our choice: SignedData down to the parts of its OCTET STRING needs eight.
  private static let depthLimit = 12

  package let bytes: [UInt8]
  private var rest: Range<Int>

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    rest = bytes.indices
  }

  private init(_ bytes: [UInt8], _ rest: Range<Int>) {
    self.bytes = bytes
    self.rest = rest
  }

  package var isAtEnd: Bool { rest.isEmpty }

  /// Where the next element begins.
  package var offset: Int { rest.lowerBound }

  /// A reader of what is inside an element.
  package func inside(_ element: Element) -> BERReader { BERReader(bytes, element.content) }

  /// The next element, or nil at the end and where the bytes are no BER; the reader then stays in its place.
  package mutating func next() -> Element? { Self.element(in: bytes, at: &rest, depth: 0) }

  /// The next element if it has this tag; the reader stays in its place for any other.
  package mutating func next(_ tag: UInt8) -> Element? {
    guard !rest.isEmpty, bytes[rest.lowerBound] == tag else { return nil }
    return next()
  }

  /// The bytes of an OCTET STRING in one part, or in several inside a constructed one; nil for anything else.
  package func octets(of element: Element) -> [UInt8]? {
    var octets: [UInt8] = []
    return collect(element, into: &octets, depth: 0) ? octets : nil
  }

  private func collect(_ string: Element, into octets: inout [UInt8], depth: Int) -> Bool {
    guard depth < Self.depthLimit else { return false }
    if string.tag == 0x04 {
      octets += bytes[string.content]
      return true
    }
    guard string.tag == 0x24 else { return false }
    var parts = inside(string)
    while !parts.isAtEnd {
      guard let part = parts.next(), collect(part, into: &octets, depth: depth + 1) else { return false }
    }
    return true
  }

  /// The element at the front of a range, which is moved behind it.
  private static func element(in bytes: [UInt8], at rest: inout Range<Int>, depth: Int) -> Element? {
    guard depth < depthLimit, rest.count >= 2, bytes[rest.lowerBound] & 0x1F != 0x1F else { return nil }
    let begin = rest.lowerBound
    let tag = bytes[begin]
    let first = bytes[begin + 1]
    var start = begin + 2
    if first == 0x80 {
      // Indefinite: runs to the two zero bytes that end it.
      guard tag & 0x20 != 0 else { return nil }
      var inside = start..<rest.upperBound
      while !bytes[inside].starts(with: [0, 0]) {
        guard element(in: bytes, at: &inside, depth: depth + 1) != nil else { return nil }
      }
      rest = (inside.lowerBound + 2)..<rest.upperBound
      return Element(tag: tag, content: start..<inside.lowerBound, encoded: begin..<rest.lowerBound)
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
    return Element(tag: tag, content: start..<start + length, encoded: begin..<start + length)
  }
}
