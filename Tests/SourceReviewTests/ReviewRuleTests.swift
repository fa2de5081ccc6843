import LinkspanCore
import SourceReview
import Testing

/// Every rule's own examples: each bad one is found where it is marked, each good one is quiet.
@Suite struct ReviewRuleTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let rule: CheckRule
    let text: String
    var testDescription: String { "\(rule.identifier): \(text.prefix(60))" }
  }

  static let bad = SourceReview.rules.flatMap { rule in
    rule.record.bad.map { Example(rule: rule.record, text: $0) }
  }
  static let good = SourceReview.rules.flatMap { rule in
    rule.record.good.map { Example(rule: rule.record, text: $0) }
  }

  @Test(arguments: bad)
  func findsItsBadExamples(example: Example) throws {
    let marked = MarkedSource(example.text)
    let findings = SourceReview([marked.file]).findings
    let own = findings.filter { $0.rule == example.rule.identifier }
    let finding = try #require(own.first, "\(findings.map(\.rule))")
    let source = marked.file.source
    let place = try #require(marked.place)
    #expect(finding.location.start == source.position(at: place.lowerBound))
    #expect(finding.location.end == source.position(at: place.upperBound))
    #expect(finding.severity == example.rule.severity)
    #expect(finding.source == example.rule.source)
    #expect(finding.help != nil)
    #expect(findings.count == 1, "\(findings.map(\.rule))")
  }

  /// As an editor on Windows saves it: what is found is the same, also in a text of several lines.
  @Test(arguments: bad)
  func findsThemInLinesThatEndInCRLF(example: Example) {
    let text = example.text.replacing(
      #""SELECT * FROM recipe WHERE name = '\(name)'""#,
      with: "\"\"\"\n  SELECT * FROM\n  recipe WHERE name = '\\(name)'\n  \"\"\"")
    func rules(_ text: String) -> [String] {
      SourceReview([MarkedSource(text).file]).findings.map(\.rule)
    }
    #expect(rules(text) == [example.rule.identifier])
    #expect(rules(text.replacing("\n", with: "\r\n")) == [example.rule.identifier])
  }

  @Test(arguments: good)
  func isQuietAboutItsGoodExamples(example: Example) {
    let findings = SourceReview([MarkedSource(example.text).file]).findings
    #expect(findings.isEmpty, "\(findings.map { $0.text() })")
  }

  /// `#if` chooses between two heads of one function: what its body does is found once.
  @Test func twoHeadsOfOneFunctionAreOne() {
    let text = """
      final class D: UIResponder, UIApplicationDelegate {
        #if os(iOS)
        func application(_ application: UIApplication, continue userActivity: NSUserActivity) -> Bool {
        #else
        func application(_ application: NSApplication, continue userActivity: NSUserActivity) -> Bool {
        #endif
          guard let url = userActivity.webpageURL else { return false }
          Router.open(url)
          return true
        }
      }
      """
    #expect(SourceReview([MarkedSource(text).file]).findings.map(\.rule) == ["review.activity-type"])
  }

  @Test func everyRuleHasBothExamples() {
    for rule in SourceReview.rules {
      #expect(!rule.record.bad.isEmpty && !rule.record.good.isEmpty, "\(rule.record.identifier)")
      #expect(rule.record.bad.allSatisfy { MarkedSource($0).place != nil }, "\(rule.record.identifier)")
    }
  }
}
