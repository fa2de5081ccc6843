import AppSiteAssociation
import AssetLinks
import AssociationCheck
import Foundation
import LinkspanCore
import Testing

/// What the server says about files it does not own contains no text of them.
///
/// `LINKSPAN_EVERY_POSITION=1 swift test --filter WithheldFindingTests` puts the canary at every position; without it, at
/// one in ``usualStride``.
@Suite struct WithheldFindingTests {
  /// A kind of file: its rules, and what is said of one.
  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var rules: [CheckRule]
    var withheld: @Sendable (SourceText) -> [WithheldFinding]
    var quoted: @Sendable (SourceText) -> [Finding]

    static let all = [
      Kind(
        testDescription: "association file",
        rules: AssociationRule.all.map(\.record) + JSONSyntaxRules.all,
        withheld: { AssociationChecker.withheldFindings(in: AssociationSource($0)) },
        quoted: { AssociationChecker.findings(in: AssociationSource($0)) }),
      Kind(
        testDescription: "statement list", rules: StatementRule.all.map(\.record) + JSONSyntaxRules.all,
        withheld: { StatementChecker.withheldFindings(in: StatementSource($0)) },
        quoted: { StatementChecker.findings(in: StatementSource($0)) }),
    ]

    /// Every example without its marks, each once, in order.
    var examples: [[UInt8]] {
      var seen: Set<[UInt8]> = []
      let texts: [String] = rules.flatMap { $0.bad + $0.good }
      let plain: [[UInt8]] = texts.map { text in Array(text.filter { $0 != "⟦" && $0 != "⟧" }.utf8) }
      return plain.filter { seen.insert($0).inserted }
    }
  }

  /// Letters that neither a rule's summary nor a key of a format has, so that half of them in an answer is enough.
  static let canary = "qzQZqz"

  static let usualStride = 61
  static let stride =
    ProcessInfo.processInfo.environment["LINKSPAN_EVERY_POSITION"] == nil ? usualStride : 1

  /// The text with the canary at some positions, and in the place of each string.
  static func variants(of text: [UInt8], number: Int) -> [[UInt8]] {
    let canary = Array(Self.canary.utf8)
    var variants: [[UInt8]] = []
    for offset in Swift.stride(from: number % stride, through: text.count, by: stride) {
      var variant = text
      variant.insert(contentsOf: canary, at: offset)
      variants.append(variant)
    }
    let quotes: [Int] = text.indices.filter { text[$0] == UInt8(ascii: "\"") }
    for index in Swift.stride(from: 0, to: quotes.count - 1, by: 2) {
      guard stride == 1 || (index / 2 + number) % 4 == 0 else { continue }
      var variant = text
      variant.replaceSubrange(quotes[index] + 1..<quotes[index + 1], with: canary)
      variants.append(variant)
    }
    return variants
  }

  static func shows(_ text: String) -> Bool { text.lowercased().contains("qz") }

  @Test(arguments: Kind.all)
  func noPositionOfAFileIsQuoted(_ kind: Kind) {
    var found = 0
    for (number, text) in kind.examples.enumerated() {
      for variant in Self.variants(of: text, number: number) {
        for finding in kind.withheld(SourceText(name: "file", bytes: variant)) {
          found += 1
          #expect(!Self.shows(finding.text), "\(String(decoding: variant, as: UTF8.self))")
          #expect(!Self.shows(finding.json.text), "\(String(decoding: variant, as: UTF8.self))")
        }
      }
    }
    #expect(found > kind.examples.count)
  }

  /// The law above can fail: the same files are quoted to their owner.
  @Test(arguments: Kind.all)
  func theOwnerSeesTheText(_ kind: Kind) {
    let findings = kind.examples.enumerated().prefix(12).flatMap { number, text in
      Self.variants(of: text, number: number).flatMap { kind.quoted(SourceText(name: "file", bytes: $0)) }
    }
    #expect(findings.contains { Self.shows($0.message) })
    #expect(findings.contains { Self.shows($0.location.excerpt ?? "") })
    #expect(findings.contains { Self.shows($0.location.pointer ?? "") })
  }

  @Test(arguments: Kind.all)
  func everyFindingHasTheSummaryOfItsRule(_ kind: Kind) {
    let summaries = Set(kind.rules.map(\.summary))
    for text in kind.examples {
      for finding in kind.withheld(SourceText(name: "file", bytes: text)) {
        #expect(summaries.contains(finding.summary), "\(finding.rule)")
      }
    }
  }

  /// Files of other programs that a link may lead to.
  @Test(arguments: [
    "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIqzQZqz\n-----END EC PRIVATE KEY-----\n",
    "PATH=/usr/bin\0PGPASSWORD=qzQZqz\0HOME=/root\0", "qzQZqz\n", "\u{0}0\u{82}qzQZqz",
    #"{"users":[{"name":"ada","salt":"qzQZqz","key":"qzQZqz"}]}"#,
    "{ registry: \"postgres://u:qzQZqz@db/x\" }",
    "{\"qzQZqz\":{\"qzQZqz\":[{\"qzQZqz\":1}]}}",
  ])
  func noSecretFileIsQuoted(_ text: String) {
    for kind in Kind.all {
      let findings = kind.withheld(SourceText(name: "file", text))
      #expect(!findings.isEmpty)
      for finding in findings { #expect(!Self.shows(finding.text + finding.json.text), "\(finding.text)") }
    }
  }

  @Test func unknownKeysAreCounted() throws {
    let text = """
      {"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.a"],"note of mine":1,
        "components":[{"/":"/a","one/two~1":1,"exlude":true}]}]}}
      """
    let findings = AssociationChecker.withheldFindings(
      in: AssociationSource(SourceText(name: "sites/a.example/file", text)))
    let unknown = findings.filter { $0.rule == "aasa.unknown-key" }
    #expect(
      unknown.map(\.pointer) == [
        "/applinks/details/0/[unknown 1]", "/applinks/details/0/components/0/[unknown 1]",
        "/applinks/details/0/components/0/[unknown 2]",
      ])
    let last = try #require(unknown.last)
    #expect(
      last.text
        == "sites/a.example/file:2:41: error[aasa.unknown-key] at /applinks/details/0/components/0/[unknown 2]."
        + " The rule: Every key is one that iOS reads.")
    #expect(
      last.json.text
        == #"{"rule":"aasa.unknown-key","severity":"error","file":"sites/a.example/file","line":2,"column":41,"#
        + #""pointer":"/applinks/details/0/components/0/[unknown 2]","#
        + #""message":"The rule: Every key is one that iOS reads.","releases":{"from":"ios:15.0","to":null}}"#
    )
  }

  /// A pointer that leads nowhere ends where it leaves the document.
  @Test(arguments: [
    ("/applinks/details/7", "/applinks/details/[unknown]"), ("/applinks/gone/0", "/applinks/[unknown]"),
    ("/applinks/details/0/appID/x", "/applinks/details/0/appID/[unknown]"), ("", ""), ("/", "/[unknown]"),
  ])
  func aPointerStaysInTheDocument(pointer: String, shown: String) {
    let root = JSONParser.parse(Array(#"{"applinks":{"details":[{"appID":"a"}]}}"#.utf8)).root
    let finding = Finding(
      rule: "aasa.x", severity: .error, at: .init(file: "file", pointer: pointer), message: "x")
    let format = WithheldFinding.Format(rules: [], keys: ["applinks", "details", "appID"])
    #expect(WithheldFinding(finding, in: root, format).pointer == shown)
  }
}
