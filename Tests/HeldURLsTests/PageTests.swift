import HeldURLs
import LinkspanCore
import TestSupport
import Testing

@Suite struct PageTests {
  @Test(arguments: [
    ("https://example.com/café", "https://example.com/caf%C3%A9", [HeldURL.Step.encoding]),
    ("https://example.com/caf\u{65}\u{301}", "https://example.com/cafe%CC%81", [.encoding]),
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a", [.host]),
    ("https://Example.COM/A", "https://example.com/A", [.letterCase]),
    ("https://example.com/a b?c d#e f", "https://example.com/a%20b?c%20d#e%20f", [.encoding]),
    ("  https://example.com/a\t\n", "https://example.com/a", [.blanks]),
    ("https://example.com/a\tb", "https://example.com/ab", [.lineBreaks]),
    ("https:\\\\example.com\\a\\b", "https://example.com/a/b", [.slashes]),
    ("https:example.com/a", "https://example.com/a", [.slashes]),
    ("https://example.com/a/../b/./c/%2E%2e/d", "https://example.com/b/d", [.dotSegments]),
    ("https://example.com:443/a", "https://example.com/a", [.port]),
    ("http://example.com:0080/a", "http://example.com/a", [.port]),
    ("https://example.com", "https://example.com/", [.rootPath]),
    ("https://0x7f.1/a", "https://127.0.0.1/a", [.address]),
    ("https://example.com/100%", "https://example.com/100%25", [.systemEncoding]),
    ("https://example.com/a|b?c|{d}#e#f", "https://example.com/a%7Cb?c%7C%7Bd%7D#e%23f", [.systemEncoding]),
    ("https://@example.com/a", "https://example.com/a", [.credentials]),
  ])
  func tellsWhatABrowserChanges(written: String, held: String, steps: [HeldURL.Step]) {
    let url = HeldURL(written)
    #expect(url.text == held)
    #expect(url.steps == steps)
    #expect(url.fault == nil)
    #expect(HeldURL(held).steps.isEmpty, "a held URL is held as it is")
  }

  @Test(arguments: [
    "https://example.com/a", "http://example.com/", "https://example.com/caf%c3%a9?q=%2F&r=+#!/x",
    "https://example.com//a///b/", "https://example.com:8443/a", "https://example.com/100%25",
    "https://example.com/a?b=[1]", "https://example.com/.well-known/x", "myapp:thing \u{E9}",
    "example.com/é", "",
  ])
  func changesNothingElse(written: String) {
    let url = HeldURL(written)
    #expect(url.text == written)
    #expect(!url.isChanged)
    #expect(url.members.isEmpty)
  }

  @Test(arguments: [
    ("https:///", "it has no host"),
    ("https://a b/", "the host contains a control character or blank, which is not allowed in host names"),
    ("https://example.com:x/", "the port 'x' is not a number up to 65535"),
    ("https://ann:sec/ret@example.com/", "the port '…' is not a number up to 65535"),
    ("https://ann:secret%40example.com/", "the port '…' is not a number up to 65535"),
    ("https://example.com:65536/", "the port '65536' is not a number up to 65535"),
    ("https://1.2.3.4.5/", "the host '1.2.3.4.5' ends in a number and is no IPv4 address"),
    ("https://xn--a-/", "the host has the label 'xn--a-', which is not Punycode"),
    ("https://[::1/", "the address '[::1' is not IPv6"),
  ])
  func saysWhyThereIsNoURL(written: String, reason: String) {
    #expect(HeldURL(written).fault == "a browser makes no URL of it: \(reason)")
  }

  @Test func isToldInJSON() {
    let url = HeldURL("https://bücher.example/é")
    #expect(
      JSON.object(url.members).text
        == #"{"normalised":{"from":"https://bücher.example/é","to":"https://xn--bcher-kva.example/%C3%A9","steps":["#
        + #"{"step":"host","what":"host in Punycode","certainty":"documented"},"#
        + #"{"step":"encoding","what":"characters that URLs cannot contain percent-encoded","certainty":"documented"}]}}"#
    )
    #expect(
      url.summary == "host in Punycode, characters that URLs cannot contain percent-encoded [documented]")
  }

  /// Every case of the URL standard's suite whose URL is http or https and needs no base.
  @Test func agreesWithTheSuiteOfTheURLStandard() throws {
    guard let corpus = Fixtures.corpus else { return print("skipped: \(Fixtures.corpusAbsence)") }
    let cases = JSONParser.parse(try corpus.bytes("urls/urltestdata.json")).root?.array ?? []
    var count = 0
    for item in cases where item.object != nil {
      guard let input = item["input"]?.string, item["base"]?.string == nil, Self.isWeb(input) else {
        continue
      }
      count += 1
      let url = HeldURL(input)
      if item["failure"] != nil {
        #expect(url.fault != nil, "\(input)")
      } else {
        #expect(url.fault == nil, "\(input)")
        #expect(url.text == Self.held(item["href"]?.string ?? ""), "\(input)")
        #expect(HeldURL(url.text).text == url.text, "\(input)")
      }
    }
    #expect(count > 250)
  }

  /// A URL of the standard as `NSURL` can hold it: behind the host no `|`, `^`, grave accent, brace or backslash, no `%`
  /// without two digits, and one `#`.
  private static func held(_ href: String) -> String {
    let start = href.firstRange(of: "://")?.upperBound ?? href.startIndex
    let path = href[start...].firstIndex(of: "/") ?? href.endIndex
    var text = String(href[..<path])
    var hasNumberSign = false
    for (place, character) in zip(href.indices, href) where place >= path {
      let digits = href[place...].dropFirst().prefix(2)
      let isEscape = digits.count == 2 && digits.allSatisfy(\.isHexDigit)
      let isLegal =
        character == "%" ? isEscape : character == "#" ? !hasNumberSign : !"|^`{}\\".contains(character)
      text +=
        isLegal ? String(character) : "%" + String(character.asciiValue ?? 0, radix: 16, uppercase: true)
      hasNumberSign = hasNumberSign || character == "#"
    }
    return text
  }

  private static func isWeb(_ input: String) -> Bool {
    let text = String(
      input.unicodeScalars.drop { $0.value <= 0x20 }.filter { !"\t\n\r".unicodeScalars.contains($0) }.map(
        Character.init))
    return ["http:", "https:"].contains { ASCII.lowercased(text).hasPrefix($0) }
  }

  @Test(arguments: [
    ("https://example.com/a/../café", "https://example.com/a/../caf%C3%A9", [HeldURL.Step.encoding]),
    ("https://bücher.example/a", "https://xn--bcher-kva.example/a", [.host]),
    ("https://example.com/a|b^c?d|e#f#g", "https://example.com/a%7Cb%5Ec?d%7Ce#f%23g", [.encoding]),
    ("https://example.com/100%", "https://example.com/100%25", [.encoding]),
    ("https://EXAMPLE.com:443/a%2fb", "https://EXAMPLE.com:443/a%2fb", []),
  ])
  func encodesTextInCodeSinceIOS17(written: String, held: String, steps: [HeldURL.Step]) {
    let url = HeldURL(written, writtenIn: .code)
    #expect(url.text == held)
    #expect(url.steps == steps)
  }

  @Test(arguments: [
    ("https://example.com/café", "it contains 'é'"),
    ("https://example.com/a b", "it contains a blank or a control character"),
    ("https://example.com/100%", "it has a '%' that begins no escape"),
    ("https://example.com/#a#b", "it has a second '#'"),
    ("https://example.com/{a}", "it contains '{'"),
  ])
  func makesNoURLOfTextInCodeBefore(written: String, reason: String) {
    let url = HeldURL(written, writtenIn: .code, encodes: false)
    #expect(url.fault == "NSURL makes no URL of it before iOS 17: \(reason)")
    #expect(url.text == written)
    #expect(url.members.isEmpty)
  }
}
