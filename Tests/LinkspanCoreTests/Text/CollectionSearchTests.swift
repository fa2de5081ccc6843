import LinkspanCore
import Testing

/// Searches for texts, by bytes where that is the same, beside the same searches of their characters.
@Suite struct CollectionSearchTests {
  /// Among them what joins with what stands beside it, and letters that Unicode calls equivalent.
  private static let pieces = [
    "a", "b", "e", "\r", "\n", "\u{301}", "é", "K", "\u{212A}", "🇦", "\u{200D}", "👩", " ", ",", "\u{600}",
  ]

  private static func text(_ generator: inout SeededGenerator, _ most: Int64) -> String {
    let count = generator.draw(0...most)
    // Many are plain, so that the search by bytes has its part.
    let known = generator.draw(0...2) == 0 ? Int64(pieces.count - 1) : 2
    return (0..<count).map { _ in pieces[Int(generator.draw(0...known))] }.joined()
  }

  private static func offsets(_ range: Range<String.Index>?, in text: String) -> Range<Int>? {
    range.map {
      text.distance(
        from: text.startIndex, to: $0.lowerBound)..<text.distance(from: text.startIndex, to: $0.upperBound)
    }
  }

  @Test func findTheSameAsByCharacters() {
    var generator = SeededGenerator(seed: 20_261_201)
    var found = 0
    for _ in 0..<20_000 {
      let text = Self.text(&generator, 12)
      let wanted = Self.text(&generator, 3)
      let (characters, others) = (Array(text), Array(wanted))
      #expect(
        Self.offsets(text.firstRange(of: wanted), in: text) == characters.firstRange(of: others),
        "\(text)|\(wanted)")
      #expect(text.contains(wanted) == (characters.firstRange(of: others) != nil))
      #expect(text.ranges(of: wanted).map { Self.offsets($0, in: text) } == characters.ranges(of: others))
      let rest = text.dropFirst()
      #expect(rest.contains(wanted) == characters.dropFirst().contains(others))
      for isOmitted in [false, true] {
        for most in [0, 1, Int.max] {
          let parts = text.split(separator: wanted, maxSplits: most, omittingEmptySubsequences: isOmitted)
          let same = characters.split(
            separator: others, maxSplits: most, omittingEmptySubsequences: isOmitted)
          #expect(parts.map(Array.init) == same.map(Array.init))
        }
      }
      let replaced = text.ranges(of: wanted).reversed().reduce(into: text) {
        $0.replaceSubrange($1, with: "<>")
      }
      #expect(text.replacing(wanted, with: "<>") == replaced)
      if text.contains(wanted), !wanted.isEmpty { found += 1 }
    }
    #expect(found > 3_000)
  }

  /// Characters, not scalars or bytes, as the standard library searches.
  @Test(arguments: [
    ("a\r\nb", "\n", false), ("a\r\nb", "\r\n", true), ("cafe\u{301}", "e", false),
    ("cafe\u{301}", "é", true),
    ("\u{212A}", "K", true), ("", "", true), ("a", "", true), ("ab", "abc", false),
  ])
  func compareCharacters(_ text: String, _ wanted: String, _ isFound: Bool) {
    #expect(text.contains(wanted) == isFound)
    #expect((text.firstRange(of: wanted) != nil) == isFound)
  }

  @Test func bytesAreFoundInsideOfCharacters() {
    #expect("cafe\u{301}".holds("e"))
    #expect(Array("a\r\nb".utf8).holds("\n"))
    #expect(!"abc".holds("cb"))
    #expect("".holds(""))
  }
}
