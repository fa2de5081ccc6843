package import LinkspanCore
internal import Testing

/// One of a rule's own examples: a bad one is found at its mark, a good one is not found at all.
package struct RuleExample: Sendable, CustomTestStringConvertible {
  package var rule: CheckRule
  package var text: String
  package var isBad: Bool
  package var testDescription: String {
    "\(rule.identifier) \(isBad ? "finds" : "passes") \(text.prefix(80))"
  }

  package static func all(of rules: [CheckRule]) -> [RuleExample] {
    rules.flatMap { rule in
      rule.bad.map { RuleExample(rule: rule, text: $0, isBad: true) }
        + rule.good.map { RuleExample(rule: rule, text: $0, isBad: false) }
    }
  }

  package func isKept(by find: (SourceText) -> [Finding]) throws {
    let scalars = text.unicodeScalars
    let plain = String(String.UnicodeScalarView(scalars.filter { $0 != "⟦" && $0 != "⟧" }))
    let source = SourceText(name: "example", plain)
    let findings = find(source)
    guard isBad else {
      #expect(findings == [])
      return
    }
    let finding = try #require(findings.first)
    let opening = try #require(scalars.firstIndex(of: "⟦"))
    let closing = try #require(scalars.firstIndex(of: "⟧"))
    let lower = String(scalars[..<opening]).utf8.count
    let upper = lower + String(scalars[opening..<closing].dropFirst()).utf8.count
    #expect(finding.location.start == source.position(at: lower))
    #expect(finding.location.end == source.position(at: upper))
    #expect(findings.map(\.severity).contains(rule.severity) || rule.bad.count > 1)
    #expect(finding.help?.isEmpty == false)
  }
}
