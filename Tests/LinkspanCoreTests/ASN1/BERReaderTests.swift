import LinkspanCore
import Testing

/// ITU-T X.690, sections 8.1 and 8.7.
@Suite struct BERReaderTests {
  static let strings: [(id: String, bytes: [UInt8], octets: [UInt8]?)] = [
    ("primitive", [0x04, 0x02, 1, 2], [1, 2]),
    ("long length", [0x04, 0x81, 0x02, 1, 2], [1, 2]),
    ("four bytes of length", [0x04, 0x84, 0, 0, 0, 1, 7], [7]),
    ("parts", [0x24, 0x06, 0x04, 0x01, 1, 0x04, 0x01, 2], [1, 2]),
    ("indefinite", [0x24, 0x80, 0x04, 0x01, 1, 0x04, 0x01, 2, 0, 0], [1, 2]),
    ("nested", [0x24, 0x80, 0x24, 0x80, 0x04, 0x01, 1, 0, 0, 0, 0], [1]),
    ("no end", [0x24, 0x80, 0x04, 0x01, 1], nil),
    ("too short", [0x04, 0x03, 1, 2], nil),
    ("length too long", [0x04, 0x85, 0, 0, 0, 0, 1, 1], nil),
    ("indefinite and primitive", [0x04, 0x80, 0, 0], nil),
    ("another tag", [0x02, 0x01, 1], nil),
    ("nothing", [], nil),
  ]

  @Test(arguments: strings)
  func readsOctetStrings(id: String, bytes: [UInt8], octets: [UInt8]?) {
    var reader = BERReader(bytes)
    #expect(reader.next().flatMap { reader.octets(of: $0) } == octets)
  }

  @Test func nestingIsBounded() {
    for (depth, isRead) in [(11, true), (12, false), (100_000, false)] {
      let bytes = Array([[UInt8]](repeating: [0x24, 0x80], count: depth).joined()) + [0x04, 0x00]
      var reader = BERReader(bytes + [UInt8](repeating: 0, count: 2 * depth))
      #expect((reader.next() != nil) == isRead, "\(depth) deep")
    }
  }

  @Test func anotherTagStaysInItsPlace() {
    var reader = BERReader([0x02, 0x01, 5])
    #expect(reader.next(0x04) == nil && !reader.isAtEnd)
    #expect(reader.next(0x02)?.content == 2..<3 && reader.isAtEnd)
  }
}
