import LinkspanCore
import Testing

/// Words that somebody forgot to replace.
@Suite struct PlaceholderTests {
  @Test(
    arguments: [
      ("example.com", false), ("<YOUR-DOMAIN>", true), ("{{host}}", true), ("a>b", true),
      ("YOUR_DOMAIN.com", true),
      ("your-site.example", true), ("CustomDomainHere", true), ("CUSTOM_DOMAIN", true),
      ("custom-domain.com", false),
      ("CUSTOM_NAME", false), ("yours.com", false), ("yourserver", true), ("somewhere.com", false),
      ("www.hosthere.org", true),
      ("replace-me.com", true), ("changeme", true), ("yourapp", true), ("yourapp2", false),
      ("a-placeholder.com", true),
      ("placehold.er", false), ("A_TENANT", true), ("a_TENANT", false), ("YOUR_URL", true),
      ("YOUR_COMPANY", true), ("", false),
    ] as [(String, Bool)])
  func hosts(text: String, isOne: Bool) { #expect(Placeholder.isHost(text) == isOne, "\(text)") }

  @Test(
    arguments: [
      ("ABCDE12345", false), ("TEAM_ID", true), ("YOURTEAMID", true), ("DEVELOPMENT_TEAM", true),
      ("AppIdentifierPrefix", true),
      ("XXXXXXXXXX", true), ("XXXXXX", true), ("XXXXX", false), ("XXXXXY", false), ("<team>", true),
      ("replaceme1", true), ("", false),
    ] as [(String, Bool)])
  func prefixes(text: String, isOne: Bool) { #expect(Placeholder.isPrefix(text) == isOne, "\(text)") }

  @Test(
    arguments: [
      ("com.example.app", false), ("PRODUCT_BUNDLE_IDENTIFIER", true), ("<bundle>", true),
      ("com.YOUR_COMPANY.app", true),
      ("com.yourcompany.app", true), ("com.yourapp", true), ("bundle.id", true), ("com.my_app", false),
      ("com.MY_APP", true),
      ("com.MYAPP", false), ("com.A1_", true), ("com.A[_", false), ("com.A@_", false), ("com.Z_", true),
      ("", false),
    ] as [(String, Bool)])
  func bundleIdentifiers(text: String, isOne: Bool) {
    #expect(Placeholder.isBundleIdentifier(text) == isOne, "\(text)")
  }

  @Test(arguments: [("$(NAME)", true), ("a${NAME}", true), ("$NAME", false), ("(NAME)", false)])
  func buildSettings(text: String, hasOne: Bool) { #expect(Placeholder.hasBuildSetting(text) == hasOne) }

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
