import Foundation
import TestSupport
import Testing

/// `linkspan review`.
@Suite struct ReviewTests {
  private static let fixtures = Fixtures.root.appending(path: "Tests/Fixtures/review")

  private func folder() throws -> Tool {
    let tool = try Tool()
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.path) {
      let text = try String(contentsOf: Self.fixtures.appending(path: name), encoding: .utf8)
      try tool.write(text, to: "\(name.hasPrefix("Bad") ? "bad" : "good")/\(name)")
    }
    return tool
  }

  @Test func printsFindingsAsCheckDoes() throws {
    let tool = try folder()
    let outcome = try tool.run("review", "bad/BadAppDelegate.swift", "--json")
    #expect(outcome.status == 1, "\(outcome.errors)")
    let json = try outcome.json()
    #expect(json["type"] as? String == "review")
    let findings = try #require(json["findings"] as? [[String: Any]])
    #expect(
      findings.map { $0["rule"] as? String } == [
        "review.handled-twice", "review.activity-type", "review.link-dropped", "review.cover-never-removed",
      ])
    let first = try #require(findings.first)
    #expect(first["file"] as? String == "bad/BadAppDelegate.swift")
    #expect(first["line"] as? Int == 15)
    #expect(first["column"] as? Int == 34)
    #expect(first["severity"] as? String == "error")
    #expect(first["source"] as? String == "SR5")
    #expect((json["summary"] as? [String: Any])?["errors"] as? Int == 2)
    #expect(json["not_checked"] is [String])
  }

  /// A pull request shows a finding beside its line by the path that the repository has.
  @Test func namesFilesOfThisFolderWithoutADot() throws {
    let tool = try folder()
    for folder in [".", "./"] {
      let lines = try tool.run("review", folder, "--format", "github").lines
      #expect(lines.contains { $0.contains(" file=bad/BadAppDelegate.swift,") }, "\(lines)")
      #expect(!lines.contains { $0.contains("file=./") })
    }
  }

  @Test func isQuietAboutGoodFolders() throws {
    let tool = try folder()
    let outcome = try tool.run("review", "good")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.hasPrefix("5 files: no problems found\n"))
  }

  private static func sceneManifest(_ configurations: String) -> String {
    "<key>UIApplicationSceneManifest</key><dict><key>UISceneConfigurations</key><dict>\(configurations)</dict></dict>"
  }
  private static let manifest = sceneManifest(
    "<key>UIWindowSceneSessionRoleApplication</key><array><dict/></array>")

  /// The sources say nothing of scenes, and the Info.plist does.
  @Test(arguments: [
    ("App/Info.plist", manifest, 1 as Int32), ("App/Shop-Info.plist", manifest, 1),
    ("App/Info.plist", "\n#ifdef SCENES\n\(manifest)\n  #endif\n", 1),
    ("App/Info.plist", sceneManifest(""), 0),
    ("App/Info.plist", "<key>UIApplicationSceneManifest</key><dict/>", 0),
    ("App/Info.plist", "<key>UIApplicationSceneManifest</key><string>no</string>", 0),
    ("App/Info.plist", "", 0), ("App/Pods/Info.plist", manifest, 0),
  ])
  func anInfoPlistSaysThatTheAppHasScenes(path: String, key: String, status: Int32) throws {
    let tool = try Tool()
    let delegate = """
      class AppDelegate: UIResponder, UIApplicationDelegate {
        func application(_ app: UIApplication, open url: URL, options: OpenOptions) -> Bool { router.handle(url) }
      }
      """
    try tool.write(delegate, to: "App/AppDelegate.swift")
    try tool.write("<plist><dict>\(key)</dict></plist>", to: path)
    let outcome = try tool.run("review", "App")
    #expect(outcome.status == status, "\(outcome.output)")
    #expect(outcome.output.contains("review.delegate-bypassed") == (status == 1))
    #expect(
      try tool.run("review", "App/AppDelegate.swift", path).status == (path.contains("Pods") ? 1 : status))
    #expect(try tool.run("review", path).errors.contains("there is no file of Swift or Objective-C"))
  }

  @Test func aBrokenInfoPlistIsNamed() throws {
    let tool = try Tool()
    try tool.write("struct A {}\n", to: "App/A.swift")
    try tool.write("<plist><dict>", to: "App/Info.plist")
    let outcome = try tool.run("review", "App")
    #expect(outcome.status == 0)
    #expect(
      outcome.output.contains(
        "  - whether the app of 'App/Info.plist' has scenes: it is no property list that can be read\n"))
  }

  @Test(arguments: ["sarif", "junit", "github"])
  func writesTheReportsOfCI(format: String) throws {
    let tool = try folder()
    let outcome = try tool.run("review", "bad", "--format", format)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("review.handled-twice") || format == "github")
    #expect(outcome.output.contains("BadAppDelegate.swift"))
  }

  /// A word that a rule looks for in each of ten files of a megabyte: the work ends before the last two of them.
  /// What is too much keeps nothing smaller from being reviewed.
  @Test func filesBeyondTheWorkAreLeftOutAndNamed() throws {
    let tool = try Tool()
    let text = "// onOpenURL" + String(repeating: " ", count: 1_048_000)
    for number in 10..<40 { try tool.write(text, to: "app/F\(number).swift") }
    try tool.write("func a(_ o: Options) { b(o.userActivities.first) }\n", to: "app/Small.swift")
    let sentence =
      "4 files were not reviewed: one call does a limited amount of work. The first that was left out is "
      + "'app/F36.swift'."
    let outcome = try tool.run("review", "app", "--json")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(sentence))
    let json = try outcome.json()
    #expect(json["decided"] as? Bool == false)
    #expect(json["files"] as? Int == 27)
    #expect((json["not_checked"] as? [String])?.contains { $0.hasPrefix(sentence) } == true)
    let findings = try #require(json["findings"] as? [[String: Any]])
    #expect(findings.map { $0["file"] as? String } == ["app/Small.swift"])
    #expect(try tool.run("review", "app/F10.swift", "--json").json()["decided"] as? Bool == true)
  }

  @Test func codeOfOthersIsLeftOut() throws {
    let tool = try folder()
    let text = try String(contentsOf: Self.fixtures.appending(path: "BadAppDelegate.swift"), encoding: .utf8)
    for place in ["app/Pods/A.swift", "app/.build/A.swift", "app/node_modules/A.swift"] {
      try tool.write(text, to: place)
    }
    try tool.write("struct A {}\n", to: "app/A.swift")
    #expect(try tool.run("review", "app").output.hasPrefix("1 file: no problems found\n"))
    #expect(try tool.run("review", "app/Pods").status == 1)
  }

  /// What cannot be reviewed keeps nothing else from being reviewed, and is not "no problems".
  @Test func namesWhatItCannotReview() throws {
    let tool = try folder()
    let text = try String(contentsOf: Self.fixtures.appending(path: "BadAppDelegate.swift"), encoding: .utf8)
    let utf16 = try #require(text.data(using: .utf16))
    try utf16.write(to: tool.folder.appending(path: "good/Wide.swift"))
    let name = Array("\(tool.folder.path)/good/n".utf8).map { CChar(bitPattern: $0) } + [-1, 0x2E, 0x6D, 0]
    close(open(name, O_WRONLY | O_CREAT, 0o644))
    defer { unlink(name) }
    let outcome = try tool.run("review", "good")
    #expect(outcome.status == 2, "\(outcome.output)")
    #expect(outcome.output.hasPrefix("5 files: no problems found\n"))
    #expect(
      outcome.output.contains(
        "  - 'good/Wide.swift' is not text in UTF-8. Save it as UTF-8; UTF-16 is not read.\n"))
    #expect(outcome.output.contains("  - The name of 'good/n\u{FFFD}.m' is not UTF-8. Rename it.\n"))
    #expect(try tool.run("review", "good", "bad").status == 1)
    let alone = try tool.run("review", "good/Wide.swift", "--format", "github")
    #expect(alone.status == 2)
    #expect(alone.output == "no file was reviewed\n")
    #expect(alone.errors.contains("'good/Wide.swift' is not text in UTF-8."))
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func anUnreadableFileKeepsTheOthersFindings() throws {
    let tool = try folder()
    let path = try tool.write("@implementation A\n@end\n", to: "bad/C.m")
    chmod(tool.folder.appending(path: path).path, 0)
    let outcome = try tool.run("review", "bad")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("review.handled-twice"))
    #expect(outcome.output.contains("  - 'bad/C.m' cannot be read: Permission denied.\n"))
  }

  @Test(arguments: ["text", "json", "github"])
  func whereAllWasTooLargeNothingIsReviewed(format: String) throws {
    let tool = try Tool()
    try tool.write(String(repeating: "let a = 1\n", count: 110_000), to: "large/Made.swift")
    let outcome = try tool.run("review", "large", "--format", format)
    #expect(outcome.status == 2, "\(outcome.output)")
    if format == "text" { #expect(outcome.output.contains("no file was reviewed")) }
  }

  @Test func saysWhatIsWrong() throws {
    let tool = try Tool()
    try tool.write("", to: "empty/a.txt")
    for (path, message) in [
      ("missing", "there is no file 'missing'."),
      ("empty", "there is no file of Swift or Objective-C in 'empty'."),
      ("empty/a.txt", "'empty/a.txt' is not a source file that is reviewed."),
    ] {
      let outcome = try tool.run("review", path)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
  }
}
