internal import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore

extension EntitlementChecker {
  /// Every rule about entitlements, for the reference. A line of an example is an entry of the list of
  /// associated domains, or, when it begins with `<`, another key of the file.
  package static let rules: [CheckRule] =
    AssociatedDomainProblem.Kind.allCases.map { kind in
      let (severity, source, summary, bad) = entry(kind)
      return rule(kind.rawValue, severity, source, summary, bad)
    } + [
      rule(
        "wrong-type", .error, "E1", "Every value has the type that its key expects.",
        "<key>application-identifier</key><true/>"),
      rule("empty-list", .note, "E1", "The list of associated domains is not empty.", ""),
      rule(
        "unchecked", .warning, "E20", "The list is short enough to be checked completely.",
        (0...entryLimit).map { "applinks:h\($0).example.com" }.joined(separator: "\n")),
      rule(
        "duplicate", .note, "E10", "No entry occurs twice.", "applinks:example.com\napplinks:EXAMPLE.com"),
      rule(
        "developer-mode-only", .warning, "E16",
        "A host that is claimed with '?mode=developer' is also claimed without a mode.",
        "applinks:example.com?mode=developer"),
      rule(
        "bare-host", .note, "E8", "A wildcard is accompanied by the host itself, which it does not include.",
        "applinks:*.example.com"),
      rule(
        "many-hosts", .note, "E20", "The app claims no more hosts than Apple once recommended.",
        (0...advisedHostCount).map { "applinks:h\($0).example.com" }.joined(separator: "\n")),
      rule(
        "browser", .error, "E22", "A browser does not claim 'applinks'.",
        "applinks:example.com\n<key>com.apple.developer.web-browser</key><true/>"),
      rule(
        "developer-mode-distribution", .note, "E13",
        "An app signed for distribution has no entry with '?mode=developer'.",
        "applinks:example.com\napplinks:example.com?mode=developer\n<key>get-task-allow</key><false/>"),
      rule(
        "prefix-not-team", .note, "J5", "The prefix of the application identifier is the Team ID.",
        "<key>application-identifier</key><string>ABCDE12345.com.example.app</string>"
          + "<key>com.apple.developer.team-identifier</key><string>QWERT12345</string>"),
      rule(
        "application-identifier", .error, "J5",
        "The application identifier is a prefix, a dot and the bundle identifier.",
        "<key>application-identifier</key><string>com.example.app</string>"),
      rule(
        "clip-on-demand", .error, "AC3", "A clip is installed on demand.",
        "<key>\(Entitlements.onDemandKey)</key><false/>"),
      rule(
        "clip-parent", .error, "AC4", "A clip names its app, and no other, by its whole identifier.",
        "<key>\(Entitlements.parentsKey)</key><array><string>com.example.app</string></array>"),
      rule(
        "app-clip", .error, "AC5", "An app names its clip, and no other, by its whole identifier.",
        "<key>\(Entitlements.clipsKey)</key><array/>"),
    ]

  private static func rule(
    _ name: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(
      identifier: "entitlement.\(name)", summary: summary, severity: severity, source: source, bad: [bad],
      good: ["applinks:example.com"])
  }

  private static func entry(
    _ kind: AssociatedDomainProblem.Kind
  ) -> (Finding.Severity, String, String, String) {
    switch kind {
    case .empty: (.error, "E1", "No entry is empty.", "\n")
    case .tooLong:
      (
        .error, "E1", "No entry is longer than a host name can be.",
        "applinks:" + String(repeating: "a.", count: 1200) + "com"
      )
    case .blank: (.error, "E1", "No entry contains a blank.", "applinks: example.com")
    case .onlyStar: (.error, "E19", "The entries are domains, not the profile's '*'.", "*")
    case .buildSetting: (.note, "E1", "Build settings are expanded.", "applinks:$(DOMAIN)")
    case .missingService: (.error, "E1", "Every entry begins with its service.", "example.com")
    case .unknownService: (.error, "E1", "The service is a known service.", "applink:example.com")
    case .scheme: (.error, "E2", "No entry holds a scheme.", "applinks:https://example.com")
    case .placeholder: (.error, "E1", "The host is not a placeholder.", "applinks:your-domain.com")
    case .emptyHost: (.error, "E1", "Every entry has a host.", "applinks:")
    case .path: (.error, "E2", "No entry holds a path.", "applinks:example.com/a")
    case .trailingSlash: (.error, "E2", "No entry ends in a slash.", "applinks:example.com/")
    case .query: (.error, "E2", "The only query is '?mode='.", "applinks:example.com?id=1")
    case .fragment: (.error, "E2", "No entry holds a fragment.", "applinks:example.com#a")
    case .mode:
      (
        .error, "E12",
        "The mode is 'developer', 'managed' or "
          + "'developer+managed'.", "applinks:example.com?mode=dev"
      )
    case .port: (.error, "E3", "No entry names a port.", "applinks:example.com:8080")
    case .wildcardPlace: (.error, "E4", "A '*' is the whole first label.", "applinks:*my.com")
    case .wildcardAppClip:
      (.error, "E4", "'appclips' entries have no wildcard.", "appclips:*.example.com")
    case .notPunycode: (.error, "E11", "Hosts are written in Punycode.", "applinks:bücher.example")
    case .ipAddress: (.warning, "E1", "Hosts are names, not IP addresses.", "applinks:192.0.2.1")
    case .trailingDot: (.error, "E1", "No host ends in a dot.", "applinks:example.com.")
    case .invalidHost: (.error, "E1", "Hosts are valid host names.", "applinks:-example.com")
    case .upperCase: (.note, "E1", "Hosts are written in lower case.", "applinks:Example.com")
    case .underscore: (.warning, "E1", "Hosts contain no underscore.", "applinks:my_site.example.com")
    case .singleLabel: (.warning, "E1", "Hosts are fully qualified.", "applinks:intranet")
    case .topLevelWildcard: (.error, "E6", "No wildcard covers a top-level domain.", "applinks:*.com")
    case .localHost: (.warning, "T9", "Apple's CDN can reach the hosts.", "applinks:printer.local")
    case .endedService:
      (.warning, "E7", "No host belongs to a service that was shut down.", "applinks:example.page.link")
    }
  }
}
