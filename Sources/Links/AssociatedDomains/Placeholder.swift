internal import LinkspanCore

/// Text that somebody was meant to replace and did not.
///
/// Only what cannot be meant is taken for one: `ABCDE12345` and `example.com` are somebody's example, and a
/// possible value all the same.
package enum Placeholder {
  /// Whether Xcode puts a value in here when it builds: `$(NAME)` or `${NAME}`.
  package static func hasBuildSetting(_ text: some StringProtocol) -> Bool {
    ["$(", "${"].contains { String(text).holds($0) }
  }

  /// Whether a host, or a name in front of a colon, is one: `<YOUR-DOMAIN>`, `YOUR_DOMAIN.com`, `{{host}}`.
  package static func isHost(_ text: some StringProtocol) -> Bool {
    hasMarks(text)
      || text.split(separator: ".").contains { isHostLabel($0) }
  }

  /// Whether the prefix of an application identifier is one: `TEAM_ID`, `YOURTEAMID`, `XXXXXXXXXX`.
  package static func isPrefix(_ text: some StringProtocol) -> Bool {
    let word = letters(of: text)
    return hasMarks(text) || prefixWords.contains { word.holds($0) }
      || (text.utf8.count >= 6 && Set(text.utf8).count == 1)
  }

  /// Whether a bundle identifier is one: `PRODUCT_BUNDLE_IDENTIFIER`, `<bundle>`, `com.YOUR_COMPANY.app`.
  package static func isBundleIdentifier(_ text: some StringProtocol) -> Bool {
    hasMarks(text) || bundleWords.contains(letters(of: text))
      || text.split(separator: ".").contains { bundleWords.contains(letters(of: $0)) || isConstant($0) }
  }

  private static func isHostLabel(_ label: some StringProtocol) -> Bool {
    let word = letters(of: label)
    if word.hasPrefix("REPLACE") || word.hasPrefix("CHANGEME") || word == "YOURAPP" { return true }
    // Searching in a text is slow, and a file may have 50,000 hosts: what is too short is not searched.
    if word.utf8.count >= placeholder.utf8.count, word.holds(placeholder) { return true }
    // 'custom-domain' may be a host; 'CUSTOM_DOMAIN' and 'CustomDomainHere' are nobody's.
    guard word.hasPrefix("YOUR") || word.hasSuffix("HERE") || isConstant(label) else { return false }
    return hostNouns.contains { word.holds($0) }
  }

  private static let placeholder = "PLACEHOLDER"

  private static let hostNouns = ["DOMAIN", "HOST", "SITE", "SERVER", "COMPANY", "TENANT", "URL"]

  /// Whether a word is written as constants are in source code: `CUSTOM_DOMAIN`.
  private static func isConstant(_ text: some StringProtocol) -> Bool {
    text.utf8.contains(UInt8(ascii: "_"))
      && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || ASCII.isDigit($0) || $0 &- 0x41 < 26 }
  }

  private static let prefixWords = [
    "TEAMID", "YOURTEAM", "DEVELOPMENTTEAM", "IDENTIFIERPREFIX", "REPLACE", "PLACEHOLDER",
  ]

  private static let bundleWords: Set = [
    "PRODUCTBUNDLEIDENTIFIER", "BUNDLEID", "BUNDLEIDENTIFIER", "YOURBUNDLEID", "YOURBUNDLEIDENTIFIER",
    "YOURCOMPANY", "YOURAPP",
  ]

  private static func hasMarks(_ text: some StringProtocol) -> Bool {
    text.utf8.contains { "<>{}".utf8.contains($0) }
  }

  /// The letters and digits, in upper case.
  private static func letters(of text: some StringProtocol) -> String {
    String(String(text).unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
      .uppercased()
  }
}
