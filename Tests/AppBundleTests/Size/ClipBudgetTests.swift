import AppBundle
import LinkspanCore
import Testing

/// A budget for CI, and what has grown since an older build.
@Suite struct ClipBudgetTests {
  private func answer(_ files: [(String, [UInt8])]) throws -> ClipSizeAnswer {
    let sizes = try BundleSizes(
      FileIndex(MemoryTree(contents: files)), root: "", isWholeArchive: false)
    var answer = ClipSizeAnswer(
      variants: [
        ClipSizeAnswer.Variant(
          name: "Clip", devices: [], isUniversal: true, compressed: nil,
          uncompressed: ByteCount(sizes.uncompressedBytes))
      ], rule: ClipSizeAnswer.Rule(minimumOS: 16, invocation: .physical))
    answer.parts = sizes.parts
    answer.files = sizes.files
    return answer
  }

  /// Section 1: a later minimum is no remedy where no larger limit comes with it.
  @Test(
    arguments: [
      (14, ClipInvocation.physical, true), (16, .physical, false), (17, .physical, false),
      (16, .digital, true),
      (17, .digital, false), (18, .demo, false), (nil, .physical, true),
    ] as [(Int?, ClipInvocation, Bool)])
  func aLaterMinimumIsAdvisedWhereItHelps(minimum: Int?, invocation: ClipInvocation, isAdvised: Bool) {
    let advice = SizeAdvice.all(under: ClipSizeAnswer.Rule(minimumOS: minimum, invocation: invocation))
    #expect(advice.contains { $0.lever.hasPrefix("Raise") } == isAdvised)
  }

  static let files: [(String, [UInt8])] = [
    ("a.json", [UInt8](repeating: 1, count: 2500)), ("b.ttf", [UInt8](repeating: 1, count: 1000)),
  ]

  @Test(arguments: [
    ("3500", [String]()), ("3499", ["Has 3500 bytes, 1 more than the budget of 3499."]), ("3.5KB", []),
    ("3.4 KB", ["Has 3500 bytes, 100 more than the budget of 3400."]), ("json=2.5 KB", []),
    ("json=2KB", ["'json' has 2500 bytes, 500 more than the budget of 2000."]), ("code=0", []),
    ("json=0 MB", ["'json' has 2500 bytes, 2500 more than the budget of 0."]),
    ("json=0.0 MB", ["'json' has 2500 bytes, 2500 more than the budget of 0."]),
    ("json=0KB", ["'json' has 2500 bytes, 2500 more than the budget of 0."]),
  ])
  func aBuildIsHeldToIt(_ line: String, _ messages: [String]) throws {
    var budget = ClipBudget()
    #expect(budget.add(line) == nil)
    let findings = budget.findings(try answer(Self.files), file: "Clip.ipa")
    #expect(findings.map(\.message) == messages)
    #expect(findings.allSatisfy { $0.severity == .error && $0.rule == "clip.over-budget" })
  }

  /// "10 MB" of a report is anything from 9,950,000 to 10,049,999 bytes; what may be above the budget is not within it.
  @Test(arguments: [
    ("9.9MB", "Has up to 10049999 bytes, 149999 more than the budget of 9900000.", "Look what has grown"),
    ("10MB", "Has up to 10049999 bytes, 49999 more than the budget of 10000000.", "The report rounds"),
  ])
  func aRoundedSizeIsSaidToBeOne(_ line: String, _ message: String, _ help: String) throws {
    var budget = ClipBudget()
    #expect(budget.add(line) == nil)
    let size = try #require(ThinningSizeText.bytes("10 MB"))
    let variant = ClipSizeAnswer.Variant(
      name: "Clip", devices: [], isUniversal: true, compressed: nil, uncompressed: size)
    let answer = ClipSizeAnswer(
      variants: [variant], rule: ClipSizeAnswer.Rule(minimumOS: 16, invocation: .physical))
    let findings = budget.findings(answer, file: "Report.txt")
    #expect(findings.map(\.message) == [message])
    #expect(findings.first?.help?.hasPrefix(help) == true)
  }

  @Test func aFileIsReportedAtItsLine() throws {
    var budget = ClipBudget()
    let text = "{\n  // agreed in May\n  total: \"10 KB\",\n  font: 999,\n}"
    #expect(budget.add(SourceText(name: "budget.json5", bytes: Array(text.utf8))).isEmpty)
    let findings = budget.findings(try answer(Self.files), file: "Clip.ipa")
    #expect(findings.map(\.location.file) == ["budget.json5"])
    #expect(findings.first?.location.start?.line == 4)
  }

  @Test(arguments: [
    ("much", "expected a size such as '9.5 MB', got 'much'"),
    ("jsn=1", "unknown part 'jsn'; did you mean 'json'?"),
    ("json=-1", "expected a size such as '9.5 MB', got '-1'"),
    ("json=+1", "expected a size such as '9.5 MB', got '+1'"),
  ])
  func aMistakeIsSaid(_ line: String, _ reason: String) {
    var budget = ClipBudget()
    #expect(budget.add(line) == reason)
    let twice = SourceText(name: "b", bytes: Array(#"{"json": 1, "json": "9 MB"}"#.utf8))
    #expect(budget.add(twice).map(\.message) == ["'json' occurs twice in the budget."])
    let text = #"{"total": []}"#
    #expect(budget.add(SourceText(name: "b", bytes: Array(text.utf8))).map(\.rule) == ["clip.budget"])
    #expect(budget.add(SourceText(name: "b", bytes: Array("[]".utf8))).map(\.rule) == ["clip.budget"])
  }

  /// A line for what the bundle does not have would always hold.
  @Test func aPartThatDoesNotExistIsSaid() throws {
    var budget = ClipBudget()
    for line in ["1KB", "code=0", "bogus=1KB", "bogus=2KB", "Frameworks/Old=1"] {
      #expect(budget.add(line) == nil)
    }
    let answer = try answer(Self.files)
    #expect(budget.unknownParts(answer) == ["bogus", "Frameworks/Old"])
    #expect(ClipBudget.partNames(answer).prefix(2) == ["total", "code"])
    let program: [UInt8] = [0xCF, 0xFA, 0xED, 0xFE] + [UInt8](repeating: 0, count: 60)
    #expect(budget.unknownParts(try self.answer(Self.files + [("bogus", program)])) == ["Frameworks/Old"])
  }

  @Test func whatHasGrownIsNamed() throws {
    let new: [(String, [UInt8])] = [
      ("a.json", [UInt8](repeating: 1, count: 4500)), ("c.png", [UInt8](repeating: 1, count: 200)),
    ]
    let comparison = ClipSizeComparison(
      try answer(new), against: try answer(Self.files), name: "old.ipa")
    #expect(comparison.bytes == 1200)
    #expect(comparison.files.map(\.name) == ["a.json", "b.ttf", "c.png"])
    #expect(comparison.files.map(\.bytes) == [2000, -1000, 200])
    #expect(comparison.files.map(\.oldBytes) == [2500, 1000, nil])
    #expect(comparison.parts.map(\.name) == ["json", "font", "image"])
    #expect(ClipSizeComparison(try answer(new), against: try answer(new), name: "o").files.isEmpty)
  }

  /// The picture and the page hold every file, and nothing that a name could break out with.
  @Test func theTreemapHasAnAreaForEachFile() throws {
    let files = Self.files + [("<b>&\"x.png", [UInt8](repeating: 1, count: 500))]
    let page = TreemapPage(try answer(files), name: "Clip.ipa")
    for name in ["a.json", "b.ttf", "&lt;b&gt;&amp;&quot;x.png"] {
      #expect(page.svg.contains("<title>\(name), ") && page.html.contains("<title>\(name), "))
    }
    #expect(!page.html.contains("<b>") && !page.html.contains("<script"))
    #expect(page.html.contains("default-src 'none'; style-src 'sha256-"))
    #expect(page.svg == TreemapPage(try answer(files), name: "Clip.ipa").svg)
  }

  /// Areas are to one another as sizes are: 2500 to 1000, within what one decimal leaves open.
  @Test func areasAreProportional() throws {
    let svg = TreemapPage(try answer(Self.files), name: "Clip").svg
    let areas = svg.matches(of: /class="group" x="[0-9.]+" y="[0-9.]+" width="([0-9.]+)" height="([0-9.]+)"/)
      .map { (Double($0.1) ?? 0) * (Double($0.2) ?? 0) }
    #expect(areas.count == 2)
    #expect(abs(areas[0] / areas[1] - 2.5) < 0.05, "\(areas)")
  }
}
