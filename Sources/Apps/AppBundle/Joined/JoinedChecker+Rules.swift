package import LinkspanCore

extension JoinedChecker {
  /// Every rule about an app together with its hosts, for the reference; an example is what both sides say.
  package static let rules: [CheckRule] = [
    rule(
      "joined.host-without-file", .error, "E7", "Every claimed host has a file.",
      "app: applinks:www.example.com\nhosts: example.com"),
    rule(
      "joined.claims-nothing", .error, "E1", "The app claims a domain.",
      "App.entitlements: no com.apple.developer.associated-domains"),
    rule(
      "joined.app-not-named", .error, "V1", "The file of a claimed host lists the app.",
      "app: ABCDE12345.com.example.app, applinks:example.com\nexample.com: ABCDE12345.com.example.other"),
    rule(
      "joined.other-prefix", .error, "J5", "The file lists the app with the prefix that it is signed with.",
      "app: ABCDE12345.com.example.app, applinks:example.com\nexample.com: QWERT12345.com.example.app"),
    rule(
      "joined.other-case", .error, "J5", "The file lists the app's identifier with the same case.",
      "app: ABCDE12345.com.example.App, applinks:example.com\nexample.com: ABCDE12345.com.example.app"),
    rule(
      "joined.host-not-claimed", .warning, "E8", "The app claims the hosts whose files list it.",
      "app: ABCDE12345.com.example.app, applinks:example.com\nexample.org: ABCDE12345.com.example.app"),
    rule(
      "joined.file-not-consulted", .warning, "E6", "A host with its own file has its own entry.",
      "app: applinks:*.example.com\nhosts: example.com, www.example.com"),
    rule(
      "joined.old-release", .warning, "J8",
      "The oldest iOS release that the app supports can read the "
        + "files.",
      "app: MinimumOSVersion 12.0, applinks:example.com\nexample.com: \"appIDs\" and \"components\" only"),
    rule(
      "app.watch-target", .warning, "E18", "On watchOS the WatchKit extension claims the domains.",
      "WatchApp.entitlements: applinks:example.com\nInfo.plist: WKWatchKitApp"),
    rule(
      "app.bundle-identifier-mismatch", .warning, "J5", "Entitlements and Info.plist belong to the same app.",
      "App.entitlements: ABCDE12345.com.example.app\nInfo.plist: com.example.other"),
  ]

  private static func rule(
    _ identifier: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(identifier: identifier, summary: summary, severity: severity, source: source, bad: [bad])
  }
}
