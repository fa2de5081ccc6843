import Testing

@testable import RegistryDatabases

@Suite struct PushIdentifierTests {
  /// RFC 9562, 5.4: the version is 4 and the variant 10, whatever was drawn.
  @Test func everyBitButVersionAndVariantIsDrawn() {
    #expect(PushIdentifier.text(0, 0) == "00000000-0000-4000-8000-000000000000")
    #expect(PushIdentifier.text(.max, .max) == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(
      PushIdentifier.text(0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF)
        == "01234567-89ab-4def-8123-456789abcdef")
    #expect(PushIdentifier.random() != PushIdentifier.random())
  }
}
