import Foundation
import LinkspanCore
import Testing

@Suite struct ReportPageTests {
  static func page(
    _ standing: ReportPage.Standing = .bad, evidence: [ReportPage.Evidence] = [], remedies: [Markup] = []
  ) -> ReportPage {
    ReportPage("A <report>", verdict: "Two & three.", standing, evidence: evidence, remedies: remedies)
  }

  static let table = ReportPage.Table(
    "What was seen", columns: ["Name", "Count"], counts: [1], rows: [["<b>\"x", "12"]])

  private static func place(of text: String, in page: String) throws -> String.Index {
    try #require(page.range(of: text)?.lowerBound, "\(text)")
  }

  @Test func theFrameIsVerdictThenEvidenceThenRemedy() throws {
    let html = Self.page(evidence: [.table(Self.table)], remedies: ["Mend it."]).html
    let places = try [
      "<h1>A &lt;report&gt;</h1>", "class=\"verdict bad\"", "<h2>Evidence</h2>", "<h2>What to do</h2>",
      "Mend it.",
    ]
    .map { try Self.place(of: $0, in: html) }
    #expect(places == places.sorted())
    #expect(html.contains("Two &amp; three.") || html.contains("Two & three."))
    #expect(
      html.contains(
        "<td data-label=\"Name\">&lt;b&gt;&quot;x</td><td data-label=\"Count\" class=\"count\">12</td>"))
  }

  @Test func whatHasNothingToSayIsSaid() {
    #expect(Self.page(.good).html.contains("<h2>What to do</h2><p>Nothing.</p>"))
    #expect(Self.page(.doubtful).html.contains("<p>No remedy is known.</p>"))
    let empty = ReportPage.Table("Nothing", columns: ["a"], rows: [[String]]())
    #expect(Self.page(evidence: [.table(empty)]).html.contains("<div id=\"page\"><p>None.</p></div>"))
  }

  /// A column without a word takes no room; a table of many texts becomes blocks while a screen is still wide.
  @Test func aTableHasTheColumnsThatSaySomething() {
    func html(_ columns: [String], _ rows: [[String]]) -> String {
      Self.page(evidence: [.table(ReportPage.Table("T", columns: columns, counts: [2], rows: rows))]).html
    }
    let three = html(["a", "b", "c", "d"], [["1", "", "3", "4"], ["5", "", "7", ""]])
    #expect(
      three.contains(
        "<table class=\"sheet\"><caption>T</caption><thead><tr><th scope=\"col\">a</th><th scope=\"col\" class=\"count\">c</th>"
      ))
    #expect(three.contains("<td data-label=\"c\" class=\"count\">7</td><td data-label=\"d\"></td></tr>"))
    #expect(
      html(["a", "b", "c", "d", "e"], [["1", "2", "3", "4", "5"]]).contains("<table class=\"sheet broad\">"))
    #expect(!html(["a", "b", "c", "d"], [["1", "2", "3", "4"]]).contains("class=\"sheet broad\""))
  }

  @Test func aChartHasItsTableBehindIt() throws {
    let chart = ReportPage.Chart(
      "Curve", wide: "<svg id=\"w\"></svg>", narrow: "<svg id=\"n\"></svg>", data: Self.table)
    let html = Self.page(evidence: [.chart(chart)]).html
    #expect(html.contains("<div class=\"wide\"><svg id=\"w\"></svg></div>"))
    #expect(html.contains("<div class=\"narrow\"><svg id=\"n\"></svg></div>"))
    let figure = try Self.place(of: "<figure>", in: html)
    #expect(try figure < Self.place(of: "<details><summary>What was seen</summary>", in: html))
  }

  /// A page without a time or a script of its own has none; else the policy lets in just that one.
  @Test func thePolicyLetsInNothingElse() throws {
    let plain = Self.page().html
    #expect(plain.contains("default-src 'none'; style-src 'sha256-") && !plain.contains("<script"))
    let time = ReportPage.time(WallTime(milliseconds: 0))
    #expect(time.text == "<time datetime=\"1970-01-01T00:00:00.000Z\">1970-01-01 00:00:00 UTC</time>")
    let html = Self.page(remedies: [time]).html
    let script = try #require(
      html.components(separatedBy: "<script>").last?.components(separatedBy: "</script>").first)
    #expect(html.contains("script-src 'sha256-\(ReportPage.hash(script))'"))
    #expect(script == ReaderTimes.script)
  }

  @Test func dataNeverEndsItsBlock() {
    var page = Self.page()
    page.interactive = (Array("{\"a\":\"</script>&\"}".utf8), "show();")
    #expect(page.html.contains("{\"a\":\"\\u003c/script\\u003e\\u0026\"}"))
  }

  @Test func theSameReportGivesTheSameBytes() {
    let one = Self.page(evidence: [.table(Self.table)]).html
    #expect(one == Self.page(evidence: [.table(Self.table)]).html)
  }
}
