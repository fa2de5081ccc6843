import Foundation
import Testing

/// `linkspan clip size` (Z1 to Z5).
@Suite struct ClipSizeTests {
  static func report(_ uncompressed: String) -> String {
    """

    App Thinning Size Report for All Variants of Clip

    Variant: Clip.ipa
    Supported variant descriptors: Universal
    App + On Demand Resources size: 4 MB compressed, \(uncompressed) uncompressed
    App size: 4 MB compressed, \(uncompressed) uncompressed
    On Demand Resources size: Zero KB compressed, Zero KB uncompressed

    """
  }

  static func list(_ uncompressed: Int) -> String {
    let sizes = [
      ("sizeCompressedApp", 4_000_000), ("sizeUncompressedApp", uncompressed),
      ("sizeCompressedAppAndODR", 4_000_000), ("sizeUncompressedAppAndODR", uncompressed),
      ("sizeCompressedODR", 0), ("sizeUncompressedODR", 0),
    ]
    return
      #"<?xml version="1.0"?><plist version="1.0"><dict><key>variants</key><dict><key>Apps/Clip.ipa</key><dict>"#
      + sizes.map { "<key>\($0.0)</key><integer>\($0.1)</integer>" }.joined()
      + "</dict></dict></dict></plist>"
  }

  private func variant(_ outcome: Tool.Outcome) throws -> [String: Any] {
    let variants = try outcome.json()["variants"] as? [[String: Any]]
    return try #require(variants?.first)
  }

  /// AC14: the limit of a release before the first with clips is nobody's.
  @Test(arguments: ["13.0", "1", "0", "abc"]) func theMinimumIsOneWithClips(version: String) throws {
    let outcome = try Tool().run("clip", "size", "report.txt", "--minimum-os", version)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        "'--minimum-os': expected a version such as 16.0, from 14 on (AC14), got '\(version)'"),
      "\(outcome.errors)")
  }

  @Test(arguments: [("14.0", 1 as Int32, "tooLarge"), ("16.0", 0, "fits")])
  func theSeedsCase(_ os: String, _ status: Int32, _ verdict: String) throws {
    let tool = try Tool()
    try tool.write(Self.report("10.3 MB"), to: "report.txt")
    let outcome = try tool.run("clip", "size", "report.txt", "--minimum-os", os, "--json")
    #expect(outcome.status == status)
    let variant = try variant(outcome)
    #expect(variant["verdict"] as? String == verdict)
    #expect(variant["uncompressed_bytes"] as? [Int] == [10_250_000, 10_349_999])
    #expect((variant["error"] as? String)?.hasPrefix("ITMS-90865: ") == (status == 1 ? true : nil))
  }

  /// Section 1: the limit that decides is told, also where the minimum is not known.
  @Test(
    arguments: [
      (120_000_000, [], "tooLarge", 15_000_000), (9_000_000, [], "fits", 10_000_000),
      (12_000_000, [], "undecided", nil), (12_000_000, ["--minimum-os", "17.0"], "fits", 15_000_000),
      (120_000_000, ["--invocation", "digital"], "tooLarge", 100_000_000),
    ] as [(Int, [String], String, Int?)])
  func theLimitThatDecidesIsTold(bytes: Int, flags: [String], verdict: String, limit: Int?) throws {
    let tool = try Tool()
    try tool.write(Self.list(bytes), to: "list.plist")
    let variant = try variant(try tool.run(["clip", "size", "list.plist", "--json"] + flags))
    #expect(variant["verdict"] as? String == verdict && variant["limit_bytes"] as? Int == limit, "\(variant)")
  }

  /// Why a size is undecided, and which limit was chosen by what.
  @Test func theAnswerSaysWhatItRestsOn() throws {
    let tool = try Tool()
    try tool.write(Self.report("10 MB"), to: "report.txt")
    let rounded = try tool.run("clip", "size", "report.txt", "--minimum-os", "14.0").output
    #expect(rounded.contains("undecided") && rounded.contains("9950000 to 10049999 bytes"), "\(rounded)")
    #expect(rounded.contains("Limit: 10 MB for a clip from iOS 14.0 on with physical invocations"))
    try tool.write(Self.list(12_000_000), to: "list.plist")
    let unknown = try tool.run("clip", "size", "list.plist").output
    #expect(
      unknown.contains("--minimum-os decides") && unknown.contains("Limit: 10 MB to 15 MB"), "\(unknown)")
  }

  /// What a report without variants lacks.
  @Test func aReportWithoutVariantsIsToldSo() throws {
    let tool = try Tool()
    try tool.write(
      "<plist version=\"1.0\"><dict><key>variants</key><dict/></dict></plist>", to: "list.plist")
    let outcome = try tool.run("clip", "size", "list.plist")
    #expect(
      outcome.status == 2 && outcome.errors.contains("'variants' is empty")
        && outcome.errors.contains("Export again"), "\(outcome.errors)")
  }

  /// As Git and editors on Windows save them.
  @Test func readsFilesWithCarriageReturnsAndAMark() throws {
    let tool = try Tool()
    try tool.write("\u{FEFF}" + Self.report("9 MB").replacing("\n", with: "\r\n"), to: "report.txt")
    try tool.write("\u{FEFF}" + Self.list(9_000_000), to: "list.plist")
    for file in ["report.txt", "list.plist"] {
      let outcome = try tool.run("clip", "size", file, "--minimum-os", "14.0")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(!outcome.output.contains("Zero KB"))
    }
  }

  @Test func roundedIsUndecidedAndExactIsNot() throws {
    let tool = try Tool()
    try tool.write(Self.report("10 MB"), to: "report.txt")
    try tool.write(Self.list(10_000_000), to: "fits.plist")
    try tool.write(Self.list(10_000_001), to: "large.plist")
    for (file, verdict) in [("report.txt", "undecided"), ("fits.plist", "fits"), ("large.plist", "tooLarge")]
    {
      let outcome = try tool.run("clip", "size", file, "--minimum-os", "14.0", "--json")
      #expect(try variant(outcome)["verdict"] as? String == verdict)
      #expect(outcome.status == (verdict == "tooLarge" ? 1 : 0))
      #expect(outcome.output.contains("clip.binary-megabytes") == (verdict == "tooLarge"))
    }
    #expect(try tool.run("clip", "size", "fits.plist", "--format", "report").output == Self.report("10 MB"))
  }

  /// Rounded, a size just above the limit reads like the limit.
  @Test func saysHowFarAboveTheLimit() throws {
    let tool = try Tool()
    for (bytes, words) in [
      (10_000_001, "10 MB uncompressed, 1 byte above the limit\n"),
      (10_000_900, ", 900 bytes above the limit\n"),
      (10_400_000, "10.4 MB uncompressed\n"), (10_000_000, "10 MB uncompressed\n"),
    ] {
      try tool.write(Self.list(bytes), to: "list.plist")
      let outcome = try tool.run("clip", "size", "list.plist", "--minimum-os", "14.0")
      #expect(outcome.output.contains(words), "\(outcome.output)")
    }
  }

  /// A limit that nothing is held against would always hold.
  @Test(arguments: [
    (["--format", "report", "--json"], "'--json' and '--format report' ask for two formats."),
    (["--format", "report", "--max", "1KB"], "'--max' does not go with '--format report'."),
    (["--format", "report", "--html", "size.html"], "'--html' does not go with '--format report'."),
    (["--resources", "*.json"], "'--resources' needs a bundle; a size report has no files."),
    (["--fonts", "*.ttf"], "'--fonts' needs a bundle; a size report has no files."),
  ])
  func whatAReportCannotAnswerIsRefused(flags: [String], message: String) throws {
    let tool = try Tool()
    try tool.write(Self.list(10_000_000), to: "fits.plist")
    let outcome = try tool.run(["clip", "size", "fits.plist"] + flags)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func withoutAMinimumTheVerdictHoldsForAll() throws {
    let tool = try Tool()
    try tool.write(Self.report("12 MB"), to: "report.txt")
    let outcome = try tool.run("clip", "size", "report.txt", "--json")
    #expect(try variant(outcome)["verdict"] as? String == "undecided")
    #expect(try variant(outcome)["limit_bytes"] is NSNull)
    #expect(outcome.errors.contains("--minimum-os"))
  }

  @Test func aBundleSaysWhatWouldHelp() throws {
    let tool = try Tool()
    let layout = String(repeating: "{\"view\":\"label\"}", count: 200_000)
    try tool.write(InspectTests.info, to: "Payload/Clip.app/Info.plist")
    try tool.write(layout, to: "Payload/Clip.app/layouts/a.json")
    try tool.write(layout, to: "Payload/Clip.app/layouts/b.json")
    try InspectTests.pack(tool, "Clip.ipa")
    let outcome = try tool.run("clip", "size", "Clip.ipa", "--resources", "layouts/*.json", "--json")
    #expect(outcome.status == 0)
    let size = try FileManager.default.attributesOfItem(atPath: tool.folder.path + "/Clip.ipa")[.size] as? Int
    let variant = try variant(outcome)
    #expect(variant["compressed_bytes"] as? Int == size)
    #expect(variant["uncompressed_bytes"] as? Int == 2 * layout.utf8.count + InspectTests.info.utf8.count)
    let text = try tool.run("clip", "size", "Clip.ipa", "--resources", "layouts/*.json").output
    #expect(text.contains("Largest parts:\n") && !text.contains("smaller ones are not listed"))
    let levers = try #require(try outcome.json()["what_if"] as? [[String: Any]])
    #expect(levers.map { $0["lever"] as? String } == ["zip", "symbols", "slice", "duplicate"])
    #expect(levers[0]["files"] as? [String] == ["layouts/a.json", "layouts/b.json"])
    #expect((levers[0]["saves_bytes"] as? Int).map { $0 > 2 * layout.utf8.count - 20_000 } == true)
    #expect(levers[3]["saves_bytes"] as? Int == layout.utf8.count)
  }

  /// An app has one clip at most (AC2); what was not measured is said, and is no yes.
  @Test func ofSeveralClipsOneIsMeasuredAndSaid() throws {
    let tool = try Tool()
    for folder in ["", "AppClips/A.app/", "AppClips/B.app/"] {
      try tool.write(InspectTests.info, to: "App.app/\(folder)Info.plist")
    }
    let outcome = try tool.run("clip", "size", "App.app")
    #expect(outcome.status == 1)
    let text = outcome.output
    #expect(text.contains("App.app: error[clip.several]: The app has 2 clips.\n"), "\(text)")
    #expect(text.contains("  Only 'AppClips/A.app' was measured; to measure another, "), "\(text)")
    #expect(try tool.run("clip", "size", "App.app/AppClips/B.app").status == 0)
  }

  /// A report has no files to draw; its page has the sizes.
  @Test func aReportHasAPageAndNoTreemap() throws {
    let tool = try Tool()
    try tool.write(Self.report("9 MB"), to: "report.txt")
    let page = try tool.run("clip", "size", "report.txt", "--minimum-os", "14.0", "--html", "a.html")
    #expect(page.status == 0, "\(page.errors)")
    let text = try String(contentsOf: tool.folder.appending(path: "a.html"), encoding: .utf8)
    #expect(text.contains("report.txt"))
    let picture = try tool.run("clip", "size", "report.txt", "--minimum-os", "14.0", "--svg", "a.svg")
    #expect(picture.status == 2)
    #expect(
      picture.errors == """
        linkspan clip size: error: a treemap needs a bundle; a size report has no files.
          Name the .ipa or .app.

        """)
    #expect(!FileManager.default.fileExists(atPath: tool.folder.path + "/a.svg"))
  }

  @Test(arguments: [
    (["--minimum-os", "new"], "expected a version"),
    (["--invocation", "nfc"], "'--invocation': expected physical, digital or demo, got 'nfc'"),
    (["--on", "today"], "expected a day"),
    (["--format", "yaml"], "'--format': expected text or report, got 'yaml'"),
  ])
  func usageIsChecked(_ flags: [String], _ words: String) throws {
    let tool = try Tool()
    try tool.write(Self.report("10 MB"), to: "report.txt")
    let outcome = try tool.run(["clip", "size", "report.txt"] + flags)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func anEditedReportIsAnErrorAtItsLine() throws {
    let tool = try Tool()
    try tool.write(Self.report("10 XB"), to: "report.txt")
    let outcome = try tool.run("clip", "size", "report.txt")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("report.txt:6:"))
  }
}
