package import LinkspanCore

extension ClipSizeAnswer {
  /// Every rule about sizes, for the reference; an example is what a report, a bundle or a budget says.
  package static let rules: [CheckRule] = [
    rule(
      "thinning.wrong-sum", .error, "Z3", "The sizes of app and on-demand resources add up.",
      "App + On Demand Resources size: 9 MB\nApp size: 4 MB\nOn Demand Resources size: Zero KB"),
    rule(
      "thinning.one-size", .warning, "Z3", "Variants of different compressed size differ unpacked as well.",
      "three variants, each of 10 MB uncompressed"),
    rule(
      "clip.binary-megabytes", .note, "Z3", "A clip fits whichever megabyte Apple counts.",
      "10,300,000 bytes for a limit of 10 MB"),
    rule("clip.not-a-clip", .note, "Z1", "What is measured is an App Clip.", "App.ipa without AppClips/"),
    rule("clip.over-budget", .error, "Z5", "Every part is within its budget.", "code: 5 MB\nbudget: 4 MB"),
    rule("clip.budget", .error, "Z5", "A budget is an object of sizes.", "{\"code\": \"much\"}"),
    rule(
      "clip.packed-font-listed", .warning, "Z4", "The Info.plist lists no font that is packed.",
      "Info.plist: UIAppFonts has 'Sans.ttf'\nClipResources.zip: Sans.ttf"),
  ]

  private static func rule(
    _ identifier: String, _ severity: Finding.Severity, _ source: String, _ summary: String, _ bad: String
  ) -> CheckRule {
    CheckRule(identifier: identifier, summary: summary, severity: severity, source: source, bad: [bad])
  }
}
