import AppBundle
import AppSiteAssociation
import LinkspanCore
import Testing

/// The examples of the reference page are what the checker finds.
@Suite struct EntitlementRuleTests {
  @Test(arguments: EntitlementChecker.rules.map(\.identifier))
  func theExampleIsFound(_ identifier: String) throws {
    let rule = try #require(EntitlementChecker.rules.first { $0.identifier == identifier })
    for example in rule.bad {
      let lines = example.isEmpty ? [] : example.split(separator: "\n", omittingEmptySubsequences: false)
      // An example of one line feed is the entry that is empty.
      let entries = (example == "\n" ? [""] : lines).filter { !$0.hasPrefix("<") }.map(String.init)
      let keys = lines.filter { $0.hasPrefix("<") }.joined()
      let found = EntitlementChecker.check(try Fixture.claiming(entries, more: keys))
      let finding = found.first { $0.rule == identifier }
      #expect(finding?.severity == rule.severity, "\(found.map(\.rule))")
      #expect(finding?.source == nil || finding?.source == rule.source)
    }
    #expect(rule.summary.hasSuffix("."))
  }

  @Test func aPlistExampleIsFound() throws {
    for rule in PropertyListError.rules where rule.identifier.hasPrefix("plist.") {
      for example in rule.bad {
        let isWhole = !example.hasPrefix("<") || example.hasPrefix("<plist")
        let text =
          isWhole || example.hasPrefix("<dict><key>a</key>") && !example.hasSuffix("</dict>")
          ? example : "<plist version=\"1.0\">\(example)</plist>"
        var found: [String] = []
        do throws(PropertyListError) {
          found = try Entitlements(Array(text.utf8), name: "file").findings.map(\.rule)
        } catch {
          found = [error.finding.rule]
        }
        #expect(found.contains(rule.identifier), "\(example): \(found)")
      }
    }
  }
}
