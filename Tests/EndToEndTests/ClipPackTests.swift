import Foundation
import TestSupport
import Testing

/// `linkspan clip pack`, and the case that Linkspan began with: a clip 0.3 MB too large (Z1, Z2).
@Suite struct ClipPackTests {
  /// Four megabytes as an archive, 10.3 MB unpacked: layouts and a font that compress, and what does not.
  static func tool() throws -> Tool {
    let tool = try Tool()
    let info = InspectTests.info.replacing("16.0", with: "14.0").replacing(
      "<dict><key>CFBundleIdentifier</key>",
      with: "<dict><key>NSAppClip</key><dict/><key>CFBundleIdentifier</key>")
    try tool.write(info, to: "Payload/Clip.app/Info.plist")
    var state: UInt64 = 42
    // Six bytes of each number: the two that it stores behind them are overwritten by the next one.
    var noise = [UInt8](repeating: 0, count: 3_700_008)
    noise.withUnsafeMutableBytes { bytes in
      var place = 0
      while place < 3_700_000 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.storeBytes(of: state >> 16, toByteOffset: place, as: UInt64.self)
        place += 6
      }
    }
    try Data(noise.prefix(3_700_000)).write(to: tool.folder.appending(path: "Payload/Clip.app/Assets.car"))
    let zeros = Data(count: 5_600_000 - info.utf8.count)
    try zeros.write(to: tool.folder.appending(path: "Payload/Clip.app/model.bin"))
    let layout = (0..<16_000).map { #"{"view":"label","id":\#($0 % 977)}"# + "\n" }.joined()
    try tool.write(String(layout.prefix(400_000)), to: "Payload/Clip.app/layouts/home.json")
    try tool.write(String(layout.suffix(400_000)), to: "Payload/Clip.app/layouts/menu.json")
    let font = Data((0..<200_000).map { UInt8(truncatingIfNeeded: ($0 / 7) ^ ($0 / 1000)) })
    try font.write(to: tool.folder.appending(path: "Payload/Clip.app/Sans.ttf"))
    try InspectTests.pack(tool, "Clip.ipa")
    return tool
  }

  static let patterns = ["--resources", "layouts/*.json", "--fonts", "*.ttf"]

  private func variant(_ outcome: Tool.Outcome) throws -> [String: Any] {
    try #require((try outcome.json()["variants"] as? [[String: Any]])?.first)
  }

  @Test func whatIsNotThereIsNotCalledAnArchive() throws {
    let outcome = try Tool().run(["clip", "pack", "none.app"] + Self.patterns)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors == "linkspan clip pack: error: 'none.app' cannot be read: No such file or directory.\n")
  }

  @Test func theSeedsClipFitsAfterPacking() throws {
    let tool = try Self.tool()
    let before = try tool.run(["clip", "size", "Clip.ipa", "--json"] + Self.patterns)
    #expect(before.status == 1)
    let large = try variant(before)
    #expect(large["verdict"] as? String == "tooLarge")
    #expect(large["uncompressed_bytes"] as? Int == 10_300_000)
    let compressed = try #require(large["compressed_bytes"] as? Int)
    #expect((3_700_000..<4_300_000).contains(compressed), "\(compressed)")
    #expect(
      large["error"] as? String
        == "ITMS-90865: Thinned app clip size is too large - The size of the universal "
        + "variant app clip /Payload/Clip.app exceeds the maximum allowable size of 10MB.")
    let newer = try tool.run("clip", "size", "Clip.ipa", "--minimum-os", "16.0", "--json")
    #expect(newer.status == 0)
    #expect(try variant(newer)["verdict"] as? String == "fits")

    let lever = try #require((try before.json()["what_if"] as? [[String: Any]])?.first)
    let predicted = try #require(lever["saves_bytes"] as? Int)
    #expect(lever["files"] as? [String] == ["Sans.ttf", "layouts/home.json", "layouts/menu.json"])
    // Nothing else can be saved, so the sum is what packing saves.
    #expect(try before.json()["total_savings_bytes"] as? Int == predicted)

    let packed = try tool.run(["clip", "pack", "Payload/Clip.app", "--delete", "--json"] + Self.patterns)
    #expect(packed.status == 0, "\(packed.errors)")
    #expect(try packed.json()["saves_bytes"] as? Int == predicted)
    try InspectTests.pack(tool, "Packed.ipa")
    let after = try tool.run("clip", "size", "Packed.ipa", "--json")
    #expect(after.status == 0)
    let small = try variant(after)
    #expect(small["verdict"] as? String == "fits")
    let saved = 10_300_000 - (try #require(small["uncompressed_bytes"] as? Int))
    #expect(saved == predicted)
  }

  @Test func inspectReadsTheSeedsClip() throws {
    let outcome = try Self.tool().run("inspect", "Clip.ipa", "--json")
    #expect(outcome.status == 1 && outcome.output.contains(#""rule":"bundle.no-program","severity":"error""#))
    #expect(try outcome.json()["is_app_clip"] as? Bool == true)
    #expect(try outcome.json()["size_bytes"] as? Int == 10_300_000)
  }

  @Test func withoutDeleteNothingIsDeleted() throws {
    let tool = try Self.tool()
    let outcome = try tool.run(["clip", "pack", "Payload/Clip.app", "--list", "packed.txt"] + Self.patterns)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("To delete:\n  Sans.ttf\n  layouts/home.json\n  layouts/menu.json\n"))
    let list = try String(contentsOf: tool.folder.appending(path: "packed.txt"), encoding: .utf8)
    #expect(list == "Sans.ttf\nlayouts/home.json\nlayouts/menu.json\n")
    let app = tool.folder.appending(path: "Payload/Clip.app").path
    for name in ["Sans.ttf", "layouts/home.json", "ClipResources.zip", "ClipResources.json"] {
      #expect(FileManager.default.fileExists(atPath: app + "/" + name))
    }
  }

  @Test func whatSavesNothingIsNotWritten() throws {
    let tool = try Self.tool()
    try tool.write("{}", to: "Payload/Clip.app/a.json")
    let outcome = try tool.run("clip", "pack", "Payload/Clip.app", "--resources", "a.json", "--delete")
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("Packing would save nothing"))
    #expect(
      FileManager.default.fileExists(atPath: tool.folder.appending(path: "Payload/Clip.app/a.json").path))
  }

  @Test(arguments: [
    (["Clip.ipa", "--resources", "a"], "is not the folder of an .app"),
    (["Payload/Clip.app"], "nothing to pack"),
    (["Payload/Clip.app", "--fonts", "*.otf"], "names no file of the bundle"),
  ])
  func whatCannotBePackedIsSaid(_ words: [String], _ message: String) throws {
    let outcome = try Self.tool().run(["clip", "pack"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  /// The build phase of Examples, as Xcode calls it.
  @Test func theSamplePhaseRuns() throws {
    let tool = try Self.tool()
    let phase = Process()
    phase.executableURL = URL(filePath: "/bin/sh")
    phase.arguments = [Fixtures.root.appending(path: "Examples/clip/pack-resources.sh").path]
    phase.environment = [
      "PATH": "/usr/bin:/bin", "LINKSPAN": Tool.binary.path,
      "CODESIGNING_FOLDER_PATH": tool.folder.appending(path: "Payload/Clip.app").path,
    ]
    phase.standardOutput = FileHandle.nullDevice
    try phase.run()
    phase.waitUntilExit()
    #expect(phase.terminationStatus == 0)
    let app = tool.folder.appending(path: "Payload/Clip.app").path
    #expect(FileManager.default.fileExists(atPath: app + "/ClipResources.zip"))
    #expect(!FileManager.default.fileExists(atPath: app + "/layouts/home.json"))
  }
}

extension ClipPackTests {
  @Test func budgetComparisonAndPicturesComeFromTheBinary() throws {
    let tool = try Self.tool()
    try FileManager.default.moveItem(
      at: tool.folder.appending(path: "Clip.ipa"), to: tool.folder.appending(path: "Old.ipa"))
    try tool.write(String(repeating: "{}", count: 5000), to: "Payload/Clip.app/new.json")
    try InspectTests.pack(tool, "Clip.ipa")
    let flags = ["clip", "size", "Clip.ipa", "--minimum-os", "16.0"]
    let compared = try tool.run(
      flags + ["--against", "Old.ipa", "--html", "size.html", "--svg", "size.svg", "--json"])
    #expect(compared.status == 0, "\(compared.errors)")
    let against = try #require(try compared.json()["against"] as? [String: Any])
    #expect(against["change_bytes"] as? Int == 10_000)
    #expect((against["files"] as? [[String: Any]])?.map { $0["name"] as? String } == ["new.json"])
    #expect((try compared.json()["not_computed"] as? [[String: Any]])?.isEmpty == false)
    let page = try String(contentsOf: tool.folder.appending(path: "size.html"), encoding: .utf8)
    let svg = try String(contentsOf: tool.folder.appending(path: "size.svg"), encoding: .utf8)
    #expect(page.contains("<title>layouts/home.json, 400 KB</title>"))
    #expect(svg.hasPrefix("<?xml ") && svg.contains("layouts/home.json"))

    #expect(try tool.run(flags + ["--max", "json=1MB", "--max", "10.4MB"]).status == 0)
    let over = try tool.run(flags + ["--max", "json=800KB"])
    #expect(over.status == 1)
    #expect(over.output.contains("error[clip.over-budget]: 'json' has 810000 bytes"), "\(over.output)")
    #expect(try tool.run(flags + ["--max", "much"]).status == 2)
    try tool.write(ClipSizeTests.report("9 MB"), to: "report.txt")
    let report = try tool.run("clip", "size", "report.txt", "--max", "json=1MB")
    #expect(report.status == 2)
    #expect(report.errors.contains("needs a bundle"))
  }
}
