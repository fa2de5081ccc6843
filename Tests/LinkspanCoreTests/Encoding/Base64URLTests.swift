import LinkspanCore
import Testing

@Suite struct Base64URLTests {
  /// RFC 4648, section 10, without padding, and both characters that are not of the usual alphabet.
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"), ("~~?", "fn4_"), ("~~>", "fn4-"),
  ])
  func writesAndReads(bytes: String, text: String) {
    #expect(Base64URL.text(of: Array(bytes.utf8)) == text)
    #expect(Base64URL.bytes(of: text.utf8) == Array(bytes.utf8))
  }

  /// Two texts of the same bytes would let a signature be spelled in two ways.
  @Test(arguments: [
    "Zh", "Zm9", "Zm9vYh", "Zm9vYmF", "Zg=", "Zg==", "Z", "Zm9vY", "A", "AAAAA", "Zm+v", "Zm/v", "Zm v",
  ])
  func refusesEveryOtherSpelling(text: String) {
    #expect(Base64URL.bytes(of: text.utf8) == nil)
  }
}
