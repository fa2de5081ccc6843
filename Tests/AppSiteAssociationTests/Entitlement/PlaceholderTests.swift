import AssociatedDomains
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
}
