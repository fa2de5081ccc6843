import Foundation
import TestSupport
import Testing

/// The reference of the rules: complete, and the same on the page and in the program.
@Suite struct RulesTests {
  static func identifiers() throws -> Set<String> {
    let lines = try Tool().run("rules", "--json").lines
    return Set(
      try lines.map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return try #require(object?["rule"] as? String)
      })
  }

  /// Whatever a checker's source names as a rule is in the list.
  @Test func everyRuleOfTheSourceIsListed() throws {
    let listed = try Self.identifiers()
    let families = "aasa|assetlinks|entitlement|info-plist|plist|app|joined|site|fetch|cdn|json"
    let literal = try Regex("\"((?:\(families))\\.[a-z0-9][a-z0-9-]*)\"")
    let sources = Fixtures.root.appending(path: "Sources")
    var named: [String: String] = [:]
    for folder in ["AppSiteAssociation", "AppBundle", "LinkspanCLI/Check", "LinkspanCLI/Input"] {
      let url = sources.appending(path: folder)
      let files = FileManager.default.enumerator(atPath: url.path)
      while let name = files?.nextObject() as? String {
        guard name.hasSuffix(".swift") else { continue }
        let text = try String(contentsOf: url.appending(path: name), encoding: .utf8)
        for match in text.matches(of: literal) {
          let rule = String(match.output[1].substring ?? "")
          // The file's own name has the shape of a rule's.
          if rule != "assetlinks.json" { named[rule] = name }
        }
        // How a host serves its file is reported by name alone.
        let family = name.contains("OriginCheck") ? "fetch" : name.contains("CDNCheck") ? "cdn" : nil
        if let family {
          for match in text.matches(of: /(?:finding\(|rule =|case \..*?:\s+\()\s*"([a-z-]+)"/) {
            named["\(family).\(match.output.1)"] = name
          }
        }
      }
    }
    #expect(named.count > 80)
    for (rule, file) in named.sorted(by: { $0.key < $1.key }) {
      #expect(listed.contains(rule), "\(file) reports '\(rule)', which 'linkspan rules' does not list")
    }
  }

  @Test func everyRuleIsThereOnceWithItsSummary() throws {
    let lines = try Tool().run("rules", "--json").lines
    #expect(try Self.identifiers().count == lines.count)
    #expect(lines.count > 150)
  }

  @Test func thePageIsFresh() throws {
    let page = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/rules.md"), encoding: .utf8)
    let printed = try Tool().run("rules", "--markdown")
    #expect(printed.status == 0)
    #expect(page == printed.output, "Documentation/rules.md is stale: 'make docs' makes it anew")
  }

  @Test func oneRuleIsPrintedForReading() throws {
    let outcome = try Tool().run("rules", "entitlement.port", "json.trailing-comma")
    #expect(
      outcome.output == """
        json.trailing-comma  error  R5
          No comma stands after the last value.
          bad   {"applinks":{"details":[],}}
          good  {"applinks":{"details":[]}}

        entitlement.port  error  E3
          No entry names a port.
          bad   applinks:example.com:8080
          good  applinks:example.com


        """)
  }
}
