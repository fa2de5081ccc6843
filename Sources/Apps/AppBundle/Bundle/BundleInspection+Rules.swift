package import LinkspanCore

extension BundleInspection {
  /// Every rule about signatures, for the reference; an example is what the parts of a bundle say.
  package static let rules: [CheckRule] = [
    rule(
      "signature.domains-lost", .error, "E19", "A signed app claims the domains of its source.",
      "App.ipa, signed: com.apple.developer.associated-domains is '*'\nApp.entitlements: applinks:example.com"
    ),
    rule(
      "signature.missing", .warning, "B3", "The program is signed.", "App.ipa: a program without a signature"),
    rule(
      "signature.entitlements-disagree", .error, "B4",
      "The property list of the entitlements and their DER form say the same.",
      "property list: applinks:example.com\nDER: applinks:example.org"),
    rule(
      "signature.no-der-entitlements", .warning, "B4", "The entitlements are there in DER form.",
      "a signature made by a tool older than iOS 15"),
    rule(
      "signature.directories-disagree", .warning, "B3",
      "All code directories name one identifier and one team.",
      "SHA-1: com.example.app\nSHA-256: com.example.other"),
    rule(
      "signature.identifier-mismatch", .warning, "B3", "The signature is for the bundle's identifier.",
      "Info.plist: com.example.app\nsignature: com.example.other"),
    rule(
      "signature.slices-disagree", .warning, "B3", "All architectures of a program are signed alike.",
      "arm64: com.example.app\narmv7: unsigned"),
    rule(
      "signature.profile-unsigned", .error, "B5", "A provisioning profile is signed.",
      "embedded.mobileprovision: a property list as it is"),
    rule(
      "signature.profile-broken", .error, "B5", "A provisioning profile is as it was signed.",
      "embedded.mobileprovision: a domain was added to its entitlements"),
    rule(
      "signature.profile-not-verified", .warning, "B5",
      "The signature of a provisioning profile can be verified.", "embedded.mobileprovision: a SHA-1 digest"),
    rule(
      "signature.profile-chain", .error, "B5", "An authority named with --ca stands behind the profile.",
      "embedded.mobileprovision: a signer of one's own"),
    rule(
      "signature.profile-other-app", .error, "B6", "A provisioning profile is for the app that it is in.",
      "App.ipa, signed: ABCDE12345.com.example.app\nembedded.mobileprovision: QWERT12345.com.example.app"),
    rule(
      "signature.profile-expired", .warning, "B7", "A provisioning profile has not expired.",
      "embedded.mobileprovision: ExpirationDate is 2024-05-01"),
  ]

  private static func rule(
    _ identifier: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(identifier: identifier, summary: summary, severity: severity, source: source, bad: [bad])
  }
}
