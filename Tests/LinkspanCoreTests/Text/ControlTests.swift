import LinkspanCore
import Testing

/// Characters that nobody sees, and what a terminal gets of them.
@Suite struct ControlTests {
  @Test(
    arguments: [
      ("\u{1F}", true), ("\u{20}", false), ("\u{7E}", false), ("\u{7F}", true), ("\u{9F}", true),
      ("\u{A0}", false),
      ("\u{61B}", false), ("\u{61C}", true), ("\u{200D}", false), ("\u{200E}", true), ("\u{200F}", true),
      ("\u{2010}", false),
      ("\u{2027}", false), ("\u{2028}", true), ("\u{2029}", true), ("\u{202A}", true), ("\u{202E}", true),
      ("\u{202F}", false),
      ("\u{2065}", false), ("\u{2066}", true), ("\u{2069}", true), ("\u{206A}", false),
    ] as [(Unicode.Scalar, Bool)])
  func controlsAreWhatNobodySees(scalar: Unicode.Scalar, isControl: Bool) {
    #expect(scalar.isControl == isControl)
    let text = "a\(Character(scalar))b"
    #expect((text.onOneLine != text) == isControl)
    #expect(text.withoutControls(keepsColours: true) == text.onOneLine)
  }

  /// The sequences that the program writes itself stay where they may, and nothing that only begins like one.
  @Test func ownColoursStayWhereTheyMay() {
    let coloured = "\u{1B}[0mx\u{1B}[9z"
    #expect(coloured.withoutControls(keepsColours: true) == "\u{1B}[0mx\\u{1b}[9z")
    #expect(coloured.withoutControls(keepsColours: false) == "\\u{1b}[0mx\\u{1b}[9z")
  }
}
