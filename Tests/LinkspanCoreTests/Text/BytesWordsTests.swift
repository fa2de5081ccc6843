import LinkspanCore
import Testing

/// Loops over eight bytes at a time answer as loops over one would, on texts that end within, at and behind eight.
@Suite struct BytesWordsTests {
  private static let text = Array("abcdefghijklmnopqrstuvwxyz".utf8)

  private static func isExactly(_ own: [UInt8], _ other: [UInt8]) -> Bool {
    own.withUnsafeBufferPointer { own in other.withUnsafeBufferPointer { own.isExactly($0) } }
  }

  private static func holds(_ wanted: [UInt8], at offset: Int) -> Bool {
    text.withUnsafeBufferPointer { text in
      wanted.withUnsafeBufferPointer { text.holds($0, at: offset) }
    }
  }

  @Test(arguments: 0...20)
  func textsAreTheSameOrDifferInOneByte(length: Int) {
    let own = Array(Self.text.prefix(length))
    #expect(Self.isExactly(own, own))
    #expect(!Self.isExactly(own, Self.text))
    for place in 0..<length {
      var other = own
      other[place] ^= 0x80
      #expect(!Self.isExactly(own, other), "at \(place)")
    }
  }

  @Test(arguments: 0...20)
  func aTextStandsWhereItStands(length: Int) {
    let wanted = Array(Self.text[3..<3 + length])
    for offset in -1...26 {
      #expect(Self.holds(wanted, at: offset) == (length == 0 || offset == 3), "at \(offset)")
    }
  }

  /// The same byte with its highest bit, and its neighbours, are not taken for it.
  @Test(arguments: 0...20)
  func theFirstPlaceOfAByteIsFound(low: Int) {
    let others: [UInt8] = [0x2E, 0xAF, 0x30, 0, 0xFF]
    let text: [UInt8] = others.flatMap { Array(repeating: $0, count: 5) } + [0x2F, 0x2F]
    for high in low...text.count {
      let found = text.withUnsafeBufferPointer { $0.first(0x2F, from: low, to: high) }
      let place = text[low..<high].firstIndex(of: 0x2F) ?? high
      #expect(found == place, "to \(high)")
    }
  }
}
