import LinkspanCore
import Testing

/// RFC 4648, sections 4 and 10.
@Suite struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"), ("\u{3E}\u{3F}?>", "Pj8/Pg=="),
  ]) func writesAndReads(_ bytes: String, _ text: String) {
    #expect(Base64.text(of: Array(bytes.utf8)) == text)
    #expect(Base64.bytes(of: text.utf8) == Array(bytes.utf8))
  }

  @Test(arguments: ["Zg", "Zg=", "Zg===", "Z===", "====", "Zm9v=", "Z=g=", "Zm9-", "Zm9_", "Zg= ", "Z"])
  func refuses(_ text: String) {
    #expect(Base64.bytes(of: text.utf8) == nil)
    #expect(Base64.bytes(of: text.utf8, ignoresSpareBits: true) == nil)
  }

  /// Two texts for the same bytes: a signature must not have them, and Apple's property lists may.
  @Test(arguments: [("Zh==", "f"), ("Zm9=", "fo")]) func spareBitsAreTheReadersChoice(
    _ text: String, _ bytes: String
  ) {
    #expect(Base64.bytes(of: text.utf8) == nil)
    #expect(Base64.bytes(of: text.utf8, ignoresSpareBits: true) == Array(bytes.utf8))
  }
}
