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
    let families =
      "aasa|assetlinks|entitlement|info-plist|plist|app|joined|site|fetch|cdn|json|bundle|signature|thinning|clip"
    let literal = try Regex("\"((?:\(families))\\.[a-z0-9][a-z0-9-]*)\"")
    var named: [String: String] = [:]
    for folder in [
      "Links/AppSiteAssociation", "Links/AssetLinks", "Links/AssociationDelivery", "Apps/AppBundle",
      "Program/LinkspanSiteCommands/Check", "Program/LinkspanAppCommands/Clip",
      "Input/SiteInput/Sites",
    ] {
      for (name, text) in try Fixtures.sources(folder) {
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

  /// Whatever number an answer can cite can be looked up: every number in a literal of the sources is.
  @Test func everyCitedNumberIsListed() throws {
    let listed = try Self.identifiers()
    let number =
      #"(?:(?:DF|AC|HO|LC|SR|[EFTRCVJMPQKSD])\d{1,2}|B\.\d|G\ds|push (?:(?:section|edge|device) )?\d+(?:\.\d+)?|"#
      + #"section \d+(?:\.\d+)?(?: row \d+)?)"#
    // Alone in a literal, in brackets inside one, or a bare section behind 'source:'.
    let patterns = [
      try Regex(#""(\#(number))""#), try Regex(#"[(\[](\#(number))[)\],]"#),
      try Regex(#"source: "(\d+(?:\.\d+)?)""#), try Regex(#" \((\d+\.\d+)\)[ .,;]"#),
    ]
    var cited: [String: String] = [:]
    for (name, text) in try Fixtures.sources(".") where !name.hasPrefix("Base/LinkspanSpecification/") {
      for line in text.split(separator: "\n") where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        guard line.contains("\"") else { continue }
        for pattern in patterns {
          for match in line.matches(of: pattern) {
            let found = String(match.output[1].substring ?? "")
            cited[found.first?.isNumber == true ? "section \(found)" : found] = name
          }
        }
      }
    }
    #expect(cited.count > 100)
    for (number, file) in cited.sorted(by: { $0.key < $1.key }) {
      #expect(listed.contains(number), "\(file) cites '\(number)', which 'linkspan rules' does not know")
    }
    for rule in try Tool().run("rules", "--json").lines {
      let object = try JSONSerialization.jsonObject(with: Data(rule.utf8)) as? [String: Any]
      guard object?["type"] as? String == "rule", let source = object?["source"] as? String else { continue }
      // Rules about pushes name the page of Apple's documentation, which has no numbers.
      if source.hasPrefix("Apple: ") { continue }
      let name = source.first?.isNumber == true ? "section \(source)" : source
      #expect(listed.contains(name), "\(object?["rule"] ?? "")")
    }
  }

  @Test(arguments: [["E13"], ["e13"]]) func aNumberIsPrintedWithSourceAndCertainty(words: [String]) throws {
    let outcome = try Tool().run(["rules"] + words)
    #expect(
      outcome.output == """
        E13  documented
          'developer' only works on devices with Associated Domains Development switched
          on and for apps signed with a development profile; the device fetches the file
          from the host and accepts any certificate.
          Source: Apple: Associated Domains Entitlement; Apple: WWDC20 session 10098.


        """)
  }

  @Test(arguments: [
    ["6.2"], ["section 6.2"], ["section", "10", "row", "6"], ["section 10 row 6"], ["G1s"], ["11.4"],
  ])
  func sectionsAreFoundToo(words: [String]) throws {
    #expect(try Tool().run(["rules"] + words).status == 0)
  }

  @Test func thePageIsFresh() throws {
    let page = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/rules.md"), encoding: .utf8)
    let printed = try Tool().run("rules", "--markdown")
    #expect(printed.status == 0)
    #expect(page == printed.output, "Documentation/rules.md is stale: 'make docs' makes it anew")
  }

  @Test func thePageOfChainsIsFresh() throws {
    let page = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/navigation.md"), encoding: .utf8)
    let printed = try Tool().run("simulate", "--matrix", "links")
    #expect(printed.status == 0)
    #expect(page == printed.output, "Documentation/navigation.md is stale: 'make docs' makes it anew")
    let cells = try Tool().run("simulate", "--matrix", "links", "--json").lines
    #expect(cells.count > 400 && cells.allSatisfy { $0.contains("\"rules\":[\"") })
  }

  @Test func oneRuleIsPrintedForReading() throws {
    let outcome = try Tool().run("rules", "entitlement.port", "json.trailing-comma")
    #expect(
      outcome.output == """
        json.trailing-comma  error  R5
          There is no comma after the last value.
          bad   {"applinks":{"details":[],}}
          good  {"applinks":{"details":[]}}

        entitlement.port  error  E3
          No entry names a port.
          bad   applinks:example.com:8080
          good  applinks:example.com


        """)
  }
}
