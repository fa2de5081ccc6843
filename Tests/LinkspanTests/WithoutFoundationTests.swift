import Foundation
import Testing

import struct LinkspanCore.SeededGenerator

@testable import LinkspanDecisions

/// The decisions have no Foundation; what they do in its place gives what Foundation gives.
struct WithoutFoundationTests {
  private static let lists = ["recipe course": ["starter", "main"], "é \u{301}id": ["ä"]]
  private static let pieces =
    ["*", "?", "**", "?*", "$(digit)", "$(upper)", "$(lower)", "$(alpha)", "$(alnum)", "$(xdigit)"]
    + lists.keys.sorted().map { "$(\($0))" } + [
      "a", "Z9", "%C3%A9", "ÿ", "\u{AD}", "\r", "\n", "(", ")", "-",
    ]

  private static func replaced(_ pattern: String) -> String {
    var text = pattern.replacingOccurrences(of: "*", with: "")
    let firsts = ["digit": "0", "upper": "A", "lower": "a", "alpha": "A", "alnum": "0", "xdigit": "0"]
    for (name, value) in firsts { text = text.replacingOccurrences(of: "$(\(name))", with: value) }
    for (name, values) in lists { text = text.replacingOccurrences(of: "$(\(name))", with: values[0]) }
    return text.replacingOccurrences(of: "?", with: "a")
  }

  @Test func anExampleOfAPatternIsWhatFoundationsReplacementsGive() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...8, using: &generator)
      let pattern = (0..<count).map { _ in
        Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &generator)]
      }.joined()
      #expect(ComponentPattern.example(of: pattern, variables: Self.lists) == Self.replaced(pattern))
    }
  }

  @Test func foundationReadsEveryCharacterOfTheAssociationFile() throws {
    let characters = (0..<0x2_00).compactMap { UnicodeScalar($0) } + ["\u{2028}", "\u{FEFF}", "\u{1F372}"]
    let rules = AssociationComponents(components: [], substitutionVariables: [:], differences: [])
    for scalar in characters {
      let text = "a" + String(scalar) + "b"
      let file = try JSONSerialization.jsonObject(with: Data(rules.json(appIDs: [text]).utf8))
      let links = (file as? [String: Any])?["applinks"] as? [String: Any]
      let details = (links?["details"] as? [[String: Any]])?.first
      #expect(details?["appIDs"] as? [String] == [text])
    }
  }

  /// As `String(format: "\\u%04x", …)` writes them.
  @Test func controlCharactersAreEscapedWithFourDigits() {
    let rules = AssociationComponents(components: [], substitutionVariables: [:], differences: [])
    for code in UInt32(0)..<0x20 {
      let text = UnicodeScalar(code).map { String($0) } ?? ""
      #expect(rules.json(appIDs: [text]).contains(String(format: "\"\\u%04x\"", code)))
    }
  }

  @Test func percentEncodingIsThatOfFoundation() {
    var generator = SeededGenerator(seed: 2)
    let allowed = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@")
    for _ in 0..<2_000 {
      let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
        UnicodeScalar(UInt32.random(in: 0...0x3_00, using: &generator))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let encoded = URLText.encoded(text, keeping: URLText.inSegment)
      #expect(encoded == text.addingPercentEncoding(withAllowedCharacters: allowed))
      let decoded = Array(encoded.utf8).withUnsafeBufferPointer { URLText.decoded($0[...]) }
      #expect(decoded == encoded.removingPercentEncoding)
    }
  }
}
