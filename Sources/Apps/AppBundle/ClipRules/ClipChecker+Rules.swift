package import LinkspanCore

extension ClipChecker {
  /// Every rule about clips in a bundle, for the reference; an example is what the bundle has.
  package static let rules: [CheckRule] = [
    rule(
      "identifier", .error, "AC1", "The clip's identifier is the app's with a dot and a word behind it.",
      "app: com.example.app\nclip: com.example.appclip", "app: com.example.app\nclip: com.example.app.Clip"),
    rule("several", .error, "AC2", "An app has one clip at most.", "AppClips/A.app\nAppClips/B.app"),
    rule(
      "on-demand-install", .error, "AC3", "The clip is signed as one that is installed on demand.",
      "clip: no com.apple.developer.on-demand-install-capable"),
    rule(
      "parent", .error, "AC4", "The clip's signature names its app, and no other.",
      "app: ABCDE12345.com.example.app\nclip: parent-application-identifiers [ABCDE12345.com.example.other]"),
    rule(
      "app-names-clip", .error, "AC5", "The app's signature names its clip.",
      "app: no com.apple.developer.associated-appclip-app-identifiers"),
    rule(
      "domain-app", .warning, "AC6", "The app claims every 'appclips:' domain of its clip.",
      "app: applinks:example.com\nclip: appclips:example.com"),
    rule(
      "domain-clip", .warning, "AC6", "The clip claims every 'appclips:' domain of its app.",
      "app: appclips:example.com, appclips:example.org\nclip: appclips:example.com"),
    rule(
      "no-domain", .note, "AC6", "Clip and app claim an 'appclips:' domain.",
      "app: applinks:example.com\nclip: none"),
    rule("team", .error, "AC7", "App and clip are signed by one team.", "app: ABCDE12345\nclip: QWERT12345"),
    rule(
      "extension", .error, "AC8", "A clip has no extension but a widget extension for Live Activities.",
      "Clip.app/PlugIns/Share.appex: com.apple.share-services"),
    rule(
      "extension-identifier", .error, "AC8", "The identifier of a clip's extension begins with the clip's.",
      "clip: com.example.app.Clip\nextension: com.example.app.Widget"),
    rule(
      "extension-on-demand", .error, "AC8",
      "A clip's extension is signed as one that is installed on demand.",
      "extension: no com.apple.developer.on-demand-install-capable"),
    rule(
      "info-key", .error, "AC9", "'NSAppClip' holds its two booleans.",
      "<key>NSAppClip</key><dict><key>NSAppClipRequestLocation</key><true/></dict>"),
    rule(
      "dead-framework", .warning, "AC10", "The clip links no framework that does nothing in a clip.",
      "clip: /System/Library/Frameworks/HealthKit.framework/HealthKit"),
    rule(
      "unavailable-key", .warning, "AC11", "The clip's Info.plist has no key that does nothing in a clip.",
      "clip: CFBundleURLTypes"),
    rule("settings-bundle", .warning, "AC11", "The clip has no settings bundle.", "Clip.app/Settings.bundle"),
    rule(
      "on-demand-resources", .warning, "AC11", "The clip has no on-demand resources.",
      "Clip.app/OnDemandResources.plist"),
    rule(
      "cloudkit", .warning, "AC12",
      "The clip claims no iCloud service but reading CloudKit's public database.",
      "clip: com.apple.developer.icloud-services [CloudKit]"),
    rule(
      "feature-os", .note, "AC12", "The clip's oldest release has the features it uses.",
      "clip: MinimumOSVersion 15.0, icloud-services [CloudKit-Anonymous]"),
    rule("contains", .error, "AC13", "A clip has no clip and no watch app in it.", "Clip.app/Watch/W.app"),
    rule(
      "minimum-os", .error, "AC14", "The clip's minimum is iOS 14 or later.", "clip: MinimumOSVersion 13.0"),
  ]

  private static func rule(
    _ name: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String,
    _ good: String? = nil
  ) -> CheckRule {
    CheckRule(
      identifier: "clip." + name, summary: summary, severity: severity, source: source, bad: [bad],
      good: good.map { [$0] } ?? [])
  }
}
