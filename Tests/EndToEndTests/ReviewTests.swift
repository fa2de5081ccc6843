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

  @Test func isQuietAboutGoodFolders() throws {
    let tool = try folder()
    let outcome = try tool.run("review", "good")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.hasPrefix("4 files: no problems found\n"))
  }

  @Test(arguments: ["sarif", "junit", "github"])
  func writesTheReportsOfCI(format: String) throws {
    let tool = try folder()
    let outcome = try tool.run("review", "bad", "--format", format)
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("review.handled-twice") || format == "github")
    #expect(outcome.output.contains("BadAppDelegate.swift"))
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

  @Test func saysWhatIsWrong() throws {
    let tool = try Tool()
    try tool.write("", to: "empty/a.txt")
    for (path, message) in [
      ("missing", "There is no file 'missing'."),
      ("empty", "There is no file of Swift or Objective-C in empty."),
      ("empty/a.txt", "'empty/a.txt' is not a source file that is reviewed."),
    ] {
      let outcome = try tool.run("review", path)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }
  }
}
