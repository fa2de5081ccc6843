import LinkspanCore
import Testing

@testable import PushProvider

/// Identifiers that the seed draws, in the form of RFC 9562, 4.
@Suite struct MessageIdentifierTests {
  @Test func digitsStandInTheOrderOfTheNumbersDrawn() {
    var (generator, numbers) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
    for _ in 0..<2_000 {
      let drawn = [numbers.next(), numbers.next()].map { number in
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
      }
      let text = MessageIdentifier.draw(using: &generator)
      let parts = text.split(separator: "-").map(String.init)
      #expect(parts.map(\.utf8.count) == [8, 4, 4, 4, 12])
      var digits = Array(parts.joined())
      // Version 4 and the variant take the place of what was drawn (RFC 9562, 5.4).
      #expect(digits[12] == "4" && "89ab".contains(digits[16]))
      var expected = Array(drawn.joined())
      (digits[12], digits[16], expected[12], expected[16]) = ("-", "-", "-", "-")
      #expect(digits == expected)
      #expect(ASCII.isUUID(text))
    }
  }
}
