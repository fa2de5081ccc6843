import Foundation
import TestSupport
import Testing

/// The reports that commands write with `--html`.
@Suite struct ReportTests {
  @Test func everyReportIsCleanInABrowser() throws {
    try BrowserTour.run("report-tour", result: "13 reports, 0 problems")
  }

  private static let old = CheckTests.good
  private static let new = CheckTests.good.replacing(#"{"/":"/a"}"#, with: #"{"/":"/b","exlude":true}"#)

  private static func page(_ words: [String], status: Int32) throws -> String {
    let tool = try Tool()
    try tool.write(old, to: "old.json")
    try tool.write(new, to: "new.json")
    let outcome = try tool.run(words + ["--html", "report.html"])
    #expect(outcome.status == status, "\(outcome.errors)")
    return try tool.text("report.html")
  }

  @Test func checkWritesItsFindings() throws {
    let page = try Self.page(["check", "new.json"], status: 1)
    #expect(page.contains("<h1>Check of new.json</h1>"))
    #expect(page.contains("aasa.unknown-key") && page.contains("Did you mean &#39;exclude&#39;?"))
    #expect(page.contains("<caption>Not checked</caption>"))
  }

  @Test func diffWritesWhatChanges() throws {
    let page = try Self.page(["diff", "old.json", "new.json"], status: 1)
    #expect(page.contains("https://example.com/a") && page.contains("https://example.com/b"))
    #expect(page.contains("<p class=\"verdict doubtful\">"))
    #expect(
      try Self.page(["diff", "old.json", "old.json"], status: 0).contains(
        "<h2>What to do</h2><p>Nothing.</p>"))
  }

  @Test func doctorWritesItsCause() throws {
    let page = try Self.page(["doctor", "new.json", "--app", "ABCDE12345.com.example.other"], status: 1)
    #expect(page.contains("The association file does not name this app."))
    #expect(page.contains("Who has to act: the site."))
    #expect(page.contains("<pre tabindex=\"0\">"))
  }

  /// A report and another format have one standard output between them.
  @Test(arguments: [["check", "new.json"], ["diff", "old.json", "new.json"]])
  func twoAnswersDoNotFitOnStandardOutput(words: [String]) throws {
    let tool = try Tool()
    try tool.write(Self.old, to: "old.json")
    try tool.write(Self.new, to: "new.json")
    let outcome = try tool.run(words + ["--html", "-", "--format", "github"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'--html -' and '--format github' both write to standard output"))
  }
}
