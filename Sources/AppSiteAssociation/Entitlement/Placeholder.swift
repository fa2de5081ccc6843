/// Text that somebody was meant to replace and did not.
///
/// Only what cannot be meant is taken for one: `ABCDE12345` and `example.com` are somebody's example, and a
/// possible value all the same.
enum Placeholder {
  /// Whether Xcode puts a value in here when it builds: `$(NAME)` or `${NAME}`.
  static func hasBuildSetting(_ text: some StringProtocol) -> Bool {
    text.contains("$(") || text.contains("${")
  }

  /// Whether a host, or a name in front of a colon, is one: `<YOUR-DOMAIN>`, `YOUR_DOMAIN.com`, `{{host}}`.
  static func isHost(_ text: some StringProtocol) -> Bool {
    hasMarks(text)
      || text.split(separator: ".").contains { label in
        let word = letters(of: label)
        return hostWords.contains(word) || word.hasPrefix("REPLACE")
      }
  }

  /// Whether the prefix of an application identifier is one: `TEAM_ID`, `YOURTEAMID`, `XXXXXXXXXX`.
  static func isPrefix(_ text: some StringProtocol) -> Bool {
    let word = letters(of: text)
    return hasMarks(text) || prefixWords.contains { word.contains($0) }
      || (text.utf8.count >= 6 && Set(text.utf8).count == 1)
  }

  /// Whether a bundle identifier is one: `PRODUCT_BUNDLE_IDENTIFIER`, `<bundle>`, `com.YOUR_COMPANY.app`.
  static func isBundleIdentifier(_ text: some StringProtocol) -> Bool {
    hasMarks(text) || bundleWords.contains(letters(of: text))
      || text.split(separator: ".").contains { bundleWords.contains(letters(of: $0)) }
  }

  private static let hostWords: Set = [
    "YOURDOMAIN", "YOURDOMAINNAME", "YOURDOMAINHERE", "YOURHOST", "YOURHOSTNAME", "YOURSITE", "YOURWEBSITE",
  ]

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
