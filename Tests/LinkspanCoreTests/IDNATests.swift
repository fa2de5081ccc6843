import LinkspanCore
import TestSupport
import Testing

@Suite struct IDNATests {
  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
    ("www.münchen.de", "www.xn--mnchen-3ya.de"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
    ("faß.de", "xn--fa-hia.de"), ("example.com", "example.com"), ("a..b", "a..b"),
    ("☃.net", "xn--n3h.net"), ("💩.la", "xn--ls8h.la"), ("bu\u{308}cher.example", "xn--bcher-kva.example"),
    ("XN--BCHER-KVA.example", "xn--bcher-kva.example"), ("ＥＸＡＭＰＬＥ.com", "example.com"),
    ("so\u{AD}ft.example", "soft.example"), ("한글.kr", "xn--bj0bj06e.kr"),
    ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}.kr", "xn--bj0bj06e.kr"),
    ("가나.kr", "xn--o39a40g.kr"), ("\u{1100}\u{1161}\u{1102}\u{1161}.kr", "xn--o39a40g.kr"),
  ])
  func mapsComposesAndEncodes(host: String, expected: String) throws {
    #expect(try IDNA.ascii(host) == expected)
  }

  @Test(arguments: [
    ("xn--a-.example", "has the label 'xn--a-', which is not Punycode"),
    ("xn--.example", "has the label 'xn--', which is not Punycode"),
    ("a\u{2F}\u{FFFD}", "contains U+FFFD, which is not allowed in host names"),
    ("\u{301}a.example", "has a label that begins with the combining mark U+0301"),
    ("a\u{200D}b.example", "has the joiner U+200D where nothing joins"),
    ("אa.example", "has a label that mixes letters of both directions, or begins or ends with neither"),
  ])
  func refusesWhatNoHostIs(host: String, reason: String) {
    #expect(throws: IDNA.Fault.self) { try IDNA.ascii(host) }
    do { _ = try IDNA.ascii(host) } catch { #expect(error.reason == reason) }
  }

  @Test(arguments: [
    ("Example.COM.", "example.com"), ("bücher.example.", "xn--bcher-kva.example"), ("[::1]", "[::1]"),
    (".", "."),
    ("a..", "a."), ("", ""),
  ])
  func aHostThatIsNamedHasNoFinalDot(host: String, expected: String) { #expect(IDNA.named(host) == expected) }

  @Test func boundsTheWorkForALongHost() {
    let host = String(repeating: "\u{4E00}\u{5F00}", count: 4_000)
    #expect(throws: IDNA.Fault.self) { try IDNA.ascii(host) }
  }

  /// Every case of Unicode's file for toASCII, nontransitional. What browsers do not check is left out: hyphens (V2, V3),
  /// lengths and empty labels (A4_1, A4_2), and the letters of STD 3 (U1).
  @Test func agreesWithUnicodesOwnCases() throws {
    guard let corpus = Fixtures.corpus else { return print("skipped: \(Fixtures.corpusAbsence)") }
    let lines = String(
      decoding: try corpus.bytes("urls/IdnaTestV2-Unicode16.txt"), as: UTF8.self
    ).split(separator: "\n")
    var count = 0
    for line in lines where !line.hasPrefix("#") {
      let body = line.firstRange(of: "#").map { line[..<$0.lowerBound] } ?? line
      let columns = body.split(separator: ";", omittingEmptySubsequences: false).map(Self.unescaped)
      guard columns.count == 7, let source = columns[0] else { continue }
      guard let unicode = columns[1], let ascii = columns[3] else { continue }
      func or(_ text: String, _ other: String) -> String { text.isEmpty ? other : text == "\"\"" ? "" : text }
      let input = or(source, "")
      let expected = or(ascii, or(unicode, input))
      let status = [columns[4], columns[2]].compactMap { $0 }.first { !$0.isEmpty } ?? "[]"
      let codes = status.split { "[], ".contains($0) }
      let isFault = codes.contains { !["V2", "V3", "A4_1", "A4_2", "U1"].contains($0) }
      count += 1
      let result = try? IDNA.ascii(input)
      #expect(result == (isFault ? nil : expected), "\(input) \(status)")
    }
    #expect(count > 6_000)
  }

  /// `\uXXXX` and `\x{XXXX}` as characters, without the blanks around; nil for half a surrogate pair.
  private static func unescaped(_ column: Substring) -> String? {
    var text = ""
    var rest = column.drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
    while let character = rest.first {
      guard character == "\\" else {
        text.append(character)
        rest = rest.dropFirst()
        continue
      }
      let isLong = rest.hasPrefix("\\x{")
      let digits = isLong ? rest.dropFirst(3).prefix { $0 != "}" } : rest.dropFirst(2).prefix(4)
      guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else { return nil }
      text.unicodeScalars.append(scalar)
      rest = rest[digits.endIndex...].dropFirst(isLong ? 1 : 0)
    }
    return text
  }
}
