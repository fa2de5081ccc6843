import AppBundle
import LinkspanCore
import TestSupport
import Testing

@Suite struct ThinningTests {
  static let one = """

    App Thinning Size Report for All Variants of Clip

    Variant: Clip.ipa
    Supported variant descriptors: Universal
    App + On Demand Resources size: 4 MB compressed, 10.3 MB uncompressed
    App size: 4 MB compressed, 10.3 MB uncompressed
    On Demand Resources size: Zero KB compressed, Zero KB uncompressed

    """

  private func report(_ text: String) throws(BundleError) -> ThinningReport {
    try ThinningReport(text: SourceText(name: "report.txt", text))
  }

  private func line(of text: String) -> Int? {
    do throws(BundleError) {
      return try report(text).findings.first { $0.severity == .error }?.location.start?.line
    } catch {
      return error.location.start?.line
    }
  }

  // MARK: - Sizes (Z3)

  @Test(arguments: [
    (0, "Zero KB"), (999, "999 bytes"), (1000, "1 KB"), (933_834, "934 KB"), (1_649_880, "1.6 MB"),
    (3_849_518, "3.8 MB"), (3_850_325, "3.9 MB"),
    (53_650_215, "53.7 MB"), (4_272_355, "4.3 MB"), (7_000_000, "7 MB"), (163_696_874, "163.7 MB"),
  ])
  func formatsAsXcodeDoes(_ bytes: Int, _ text: String) {
    #expect(ThinningSizeText.text(bytes) == text)
    let interval = ThinningSizeText.bytes(Substring(text))
    #expect(interval.map { ($0.lower...$0.upper).contains(bytes) } == true)
  }

  @Test func aTextCoversWhatRoundsToIt() {
    #expect(ThinningSizeText.bytes("10 MB") == ByteCount(9_950_000, 10_049_999))
    #expect(ThinningSizeText.bytes("934 KB") == ByteCount(933_500, 934_499))
    #expect(ThinningSizeText.bytes("5,9 MB") == ByteCount(5_850_000, 5_949_999))
    #expect(ThinningSizeText.bytes("17 bytes") == ByteCount(17))
    for bad in ["", "MB", "1 TB", "1.2.3 MB", "-1 MB", "1  MB", ".5 MB", "1. MB", "99999999999999999999 MB"] {
      #expect(ThinningSizeText.bytes(Substring(bad)) == nil, "\(bad)")
    }
  }

  /// Every size text covers exactly the bytes that print as it.
  @Test func intervalsAgreeWithTheFormatter() {
    for bytes in stride(from: 1_000, to: 30_000_000, by: 7_919) {
      let interval = ThinningSizeText.bytes(Substring(ThinningSizeText.text(bytes)))!
      #expect((interval.lower...interval.upper).contains(bytes), "\(bytes)")
    }
  }

  @Test func peopleReadZeroAsBytes() {
    #expect(ThinningSizeText.words(0) == "0 bytes")
    #expect(ThinningSizeText.words(4_272_355) == "4.3 MB")
  }

  // MARK: - Text

  @Test func readsAndWritesOneVariant() throws {
    let report = try report(Self.one)
    #expect(report.productName == "Clip")
    #expect(report.variants.map(\.isUniversal) == [true])
    #expect(report.variants[0].app.uncompressed == ByteCount(10_250_000, 10_349_999))
    #expect(report.text() == Self.one)
  }

  /// What chats, editors and web pages make of it. Two variants show that blocks are told apart without blank lines.
  static let manglings: [(name: String, change: @Sendable (String) -> String)] = [
    ("as it is", { $0 }),
    ("no blank line before the title", { String($0.dropFirst()) }),
    ("no final line feed", { String($0.dropLast()) }),
    ("more blank lines", { "\n\n" + $0.replacing("\n", with: "\n\n") + "\n\n\n" }),
    ("no blank lines", { $0.split(separator: "\n").joined(separator: "\n") }),
    ("blanks at ends", { $0.replacing("\n", with: " \t \n") }),
    ("indented", { $0.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n") }),
    ("indented by tabs", { $0.replacing("\n", with: "\n\t") }),
    ("blank lines of blanks", { $0.replacing("\n\n", with: "\n \t\n\t \n") }),
    ("CR LF and a byte order mark", { "\u{FEFF}" + $0.replacing("\n", with: "\r\n") }),
    ("CR alone", { $0.replacing("\n", with: "\r") }),
    ("decimal commas", { $0.replacing("10.3", with: "10,3") }),
    ("in quotation marks", { "“" + $0.dropFirst().dropLast() + "”" }),
    (
      "in straight marks on each line",
      { $0.split(separator: "\n").map { "\"\($0)\"" }.joined(separator: "\n") }
    ),
    ("quoted in a mail", { $0.replacing("\n", with: "\n> ") }),
    ("in a code block", { "```\n" + $0 + "```\n" }),
    ("in a code block with a language", { "```text\n" + $0 + "```\n" }),
    ("with no-break spaces", { $0.replacing(" MB", with: "\u{A0}MB") }),
  ]

  @Test(arguments: manglings.indices)
  func readsWhatPeoplePassOn(_ index: Int) throws {
    let block = Self.one.split(separator: "\n\n")[1]
    let other = block.replacing("Clip.ipa", with: "Clip-2.ipa").replacing(
      "Universal", with: "[device: iPhone12,1, os-version: 15.0]")
    let text = Self.one + "\n\n" + other
    let report = try report(Self.manglings[index].change(text))
    #expect(report.text() == text, "\(Self.manglings[index].name)")
  }

  /// As Git on Windows checks it out, and as editors there save it.
  @Test(arguments: ["", "\u{FEFF}"], ["\n", "\r\n"])
  func readsWhatWindowsMakesOfIt(_ mark: String, _ end: String) throws {
    let text = mark + Self.one.replacing("\n", with: end)
    #expect(try report(text).text() == Self.one)
    // A problem has its line and column all the same.
    #expect(line(of: text.replacing("App size: 4 MB", with: "App size: 4 XB")) == 7)
  }

  @Test func commasInModelsAreNoSeparators() throws {
    let list =
      "[device: iPhone12,1, os-version: 15.0], [device: iPad14,5-A, os-version: 15.0], and [device: X, os-version: 9]"
    let report = try report(Self.one.replacing("Universal", with: list))
    #expect(report.variants[0].devices.map(\.model) == ["iPhone12,1", "iPad14,5-A", "X"])
    #expect(report.text() == Self.one.replacing("Universal", with: list))
  }

  @Test func namesOfXcode9() throws {
    let text = Self.one.replacing(
      "Supported variant descriptors: Universal", with: "Supported devices: iPad 2 and iPad mini")
    #expect(try report(text).variants[0].devices.map(\.model) == ["iPad 2", "iPad mini"])
    #expect(try report(text).text() == text)
  }

  @Test(arguments: [
    ("App size: 4 MB", "App size: 4 XB", 7), ("compressed, 10.3 MB uncompressed\nApp size", "App size", 6),
    ("Universal", "[device: X, os-version: 9], [device: Y, os-version: 9]", 5),
    ("Variant: ", "Variation: ", 4),
    ("Clip.ipa", "Clip", 4), ("Variants of Clip\n", "Variants of \n", 2),
    ("App size: 4 MB compressed, 10.3", "App size: 4 MB compressed, 20.3", 7),
  ])
  func anEditedReportIsAnErrorAtItsLine(_ old: String, _ new: String, _ expected: Int) {
    #expect(line(of: Self.one.replacing(old, with: new)) == expected)
  }

  @Test func everyTruncationIsAnErrorAtTheLastLine() {
    let text = Array(Self.one.utf8)
    // Without its final line feed it is whole.
    for count in 1..<text.count - 1 {
      let part = String(decoding: text.prefix(count), as: UTF8.self)
      #expect(line(of: part) == part.utf8.count { $0 == 0x0A } + 1, "after \(count) bytes")
    }
  }

  // MARK: - Verdicts (Z2)

  private func answer(_ text: String, _ minimumOS: Int?, _ invocation: ClipInvocation = .physical) throws
    -> ClipSizeAnswer
  {
    ClipSizeAnswer(try report(text), rule: .init(minimumOS: minimumOS, invocation: invocation))
  }

  @Test func theSeedsCase() throws {
    let old = try answer(Self.one, 14)
    #expect(old.verdict(old.variants[0]) == .tooLarge)
    #expect(
      old.error(old.variants[0])
        == "ITMS-90865: Thinned app clip size is too large - The size of the universal variant app clip "
        + "/Payload/Clip.app exceeds the maximum allowable size of 10MB.")
    let new = try answer(Self.one, 16)
    #expect(new.verdict(new.variants[0]) == .fits)
    #expect(new.error(new.variants[0]) == nil)
  }

  @Test func roundedTextAtTheLimitIsUndecided() throws {
    let answer = try answer(Self.one.replacing("10.3 MB", with: "10 MB"), 14)
    #expect(answer.verdict(answer.variants[0]) == .undecided)
  }

  @Test(
    arguments: [
      (nil, 9_000_000, ClipVerdict.fits), (nil, 12_000_000, .undecided), (nil, 16_000_000, .tooLarge),
      (14, 10_000_000, .fits), (14, 10_000_001, .tooLarge), (16, 15_000_000, .fits),
      (17, 15_000_001, .tooLarge),
    ] as [(Int?, Int, ClipVerdict)])
  func exactSizesAreDecided(_ minimumOS: Int?, _ bytes: Int, _ verdict: ClipVerdict) {
    let variant = ClipSizeAnswer.Variant(
      name: "Clip", devices: [], isUniversal: true, compressed: nil, uncompressed: ByteCount(bytes))
    let rule = ClipSizeAnswer.Rule(minimumOS: minimumOS, invocation: .physical)
    #expect(ClipSizeAnswer(variants: [variant], rule: rule).verdict(variant) == verdict)
  }

  @Test(arguments: [
    ("2020-09-01", 17, ClipInvocation.digital, 10_000_000), ("2023-01-01", 17, .digital, 15_000_000),
    ("2024-01-01", 17, .digital, 50_000_000), ("2024-01-01", 17, .demo, 15_000_000),
    ("2026-01-01", 17, .digital, 100_000_000), ("2026-01-01", 17, .demo, 100_000_000),
    ("2026-01-01", 17, .physical, 15_000_000), ("2026-01-01", 16, .digital, 15_000_000),
    ("2026-01-01", 15, .digital, 10_000_000),
  ])
  func limitsHaveTheirDay(_ day: String, _ os: Int, _ invocation: ClipInvocation, _ bytes: Int) {
    #expect(ClipSizeLimit.bytes(minimumOS: os, invocation, on: day) == bytes)
  }
}

@Suite(.enabled(if: RealFiles.arePresent, Comment(rawValue: RealFiles.absence)))
struct RealThinningTests {
  private static func files(_ ending: String) throws -> [(name: String, bytes: [UInt8])] {
    try RealFiles.all(in: "thinning").filter { $0.name.hasSuffix(ending) }
  }

  /// The one that is quoted in an issue ends inside its last line.
  @Test func everyReportParses() throws {
    for file in try Self.files(".txt") {
      let source = SourceText(name: file.name, bytes: file.bytes)
      if file.name.contains("quoted") {
        #expect(throws: BundleError.self) { try ThinningReport(text: source) }
        continue
      }
      let report = try ThinningReport(text: source)
      #expect(Array(report.text().utf8) == file.bytes, "\(file.name)")
    }
  }

  @Test func everyPropertyListParses() throws {
    for file in try Self.files(".plist") {
      let report = try ThinningReport(plist: try PropertyListDocument(file.bytes, name: file.name))
      #expect(!report.variants.isEmpty)
    }
  }

  /// A report and its property list share a commit.
  @Test func textFromPropertyListsIsTheRealReport() throws {
    let corpus = try #require(Fixtures.corpus)
    let rows = try corpus.manifest("thinning")
    var pairs = 0
    for row in rows where row[0].hasSuffix(".plist") {
      func folder(_ path: String) -> Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
      let text = rows.first { other in
        other[0].hasSuffix(".txt") && other[3] == row[3] && folder(other[2]) == folder(row[2])
      }
      guard let text else { continue }
      let plist = try PropertyListDocument(try corpus.bytes("thinning/\(row[0])"), name: row[0])
      let real = try corpus.bytes("thinning/\(text[0])")
      // The title names the scheme, which the property list does not have.
      let title = try ThinningReport(text: SourceText(name: text[0], bytes: real)).productName
      let report = try ThinningReport(plist: plist, productName: title)
      #expect(Array(report.text().utf8) == real, "\(row[0]) against \(text[0])")
      pairs += 1
    }
    #expect(pairs >= 10)
  }

  @Test func theEditedReportIsFound() throws {
    let file = try #require(try Self.files(".txt").first { $0.name.hasPrefix("003") })
    let report = try ThinningReport(text: SourceText(name: file.name, bytes: file.bytes))
    #expect(report.findings.map(\.rule) == ["thinning.wrong-sum"])
  }
}
