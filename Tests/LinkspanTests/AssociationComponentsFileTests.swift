import AssociationCheck
import Foundation
import Linkspan
import LinkspanCore
import Testing

import struct Linkspan.Route
import struct Linkspan.Router

@testable import LinkspanDecisions

/// The library's association files, as the checker reads them.
@Suite struct AssociationComponentsFileTests {
  private static let limitBytes = 131_072

  private static func findings(_ text: String) -> [Finding] {
    AssociationChecker.findings(in: AssociationSource(SourceText(name: "file", text)))
  }

  /// Errors, and notes above five; what older releases read otherwise is told apart.
  private static func complaints(_ text: String) -> [Finding] {
    let findings = findings(text).filter { $0.rule != "aasa.release-dependent" }
    let notes = findings.filter { $0.severity == .note }
    return findings.filter { $0.severity == .error } + (notes.count > 5 ? notes : [])
  }

  /// Fifty seeded tables; `LINKSPAN_ROUND_TRIPS` asks for more.
  @Test func theFileOfARandomTablePassesTheCheck() throws {
    let count = ProcessInfo.processInfo.environment["LINKSPAN_ROUND_TRIPS"].flatMap(UInt64.init) ?? 50
    for seed in 0..<count {
      let answer = try RouteTableSample(seed: seed).router().associationComponents()
      guard !answer.components.isEmpty else { continue }
      let text = answer.json(appIDs: ["ABCDE12345.com.example.app"])
      let complaints = Self.complaints(text)
      #expect(complaints.isEmpty, "seed \(seed): \(complaints.map { "\($0.rule) \($0.message)" }) \(text)")
    }
  }

  /// S2: a blank in a variable's name is legal, and the file with it works.
  @Test func aListOfWordsPassesTheCheck() throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["a.example"])],
      routes: [
        Route("course", "/courses/{c:~(starter|main|dessert)}") {
          try $0("c")
        } write: {
          ["c": $0]
        }
      ])
    let text = router.associationComponents().json(appIDs: ["ABCDE12345.com.example.app"])
    #expect(text.contains("$(course c)"))
    #expect(Self.complaints(text).isEmpty, "\(Self.findings(text).map(\.message))")
  }

  private static func integers(_ count: Int, _ template: (Int) -> RouteTableSample.Sample) -> RouteTableSample
  {
    RouteTableSample((0..<count).map(template))
  }

  private static func integer(_ name: String, _ first: String, _ more: [RouteTableSample.Segment] = [])
    -> RouteTableSample.Sample
  {
    RouteTableSample.Sample(
      name: name, segments: [.literal(first), .parameter(kind: 3, prefix: "", suffix: "")] + more,
      hasRest: false,
      items: [], fragment: nil, isBrowser: false)
  }

  /// 300 routes of one shape have the rules of one route; the walk of the library and the algebra of the checker agree.
  @Test func threeHundredIntegersShareTheirRules() throws {
    let table = Self.integers(300) { Self.integer("route \($0)", "catalogue-\($0)") }
    let answer = try table.router().associationComponents()
    #expect(answer.isExact, "\(answer.differences)")
    let text = answer.json(appIDs: ["ABCDE12345.com.example.app"])
    print("components: 300 integers in \(answer.components.count) rules, \(text.utf8.count) bytes")
    #expect(text.utf8.count < 65_536)
    #expect(Self.complaints(text).isEmpty, "\(Self.complaints(text))")
    #expect(Self.findings(text).count <= 5, "\(Self.findings(text))")
    let found = AssociationComponentsTests.Proof(table.routes, answer).differences()
    #expect(found.isDecided && found.lost.isEmpty && found.caught.isEmpty, "\(found)")
  }

  /// Up to forty rules are written one by one, and each route of a whole number has four.
  @Test(arguments: [(9, 36...36), (10, 40...40), (11, 1...8)])
  func fewRoutesKeepTheirRules(routes: Int, rules: ClosedRange<Int>) throws {
    let answer = try Self.integers(routes) { Self.integer("route \($0)", "catalogue-\($0)") }.router()
      .associationComponents()
    #expect(answer.isExact && rules.contains(answer.components.count), "\(answer.components.count)")
  }

  /// Routes that share no shape have four rules each.
  @Test func integersOfManyShapesFitAFile() throws {
    let table = Self.integers(75) { index in
      Self.integer("route \(index)", "area-\(index)", [.literal("edit-\(index)")])
    }
    let answer = try table.router().associationComponents()
    #expect(answer.isExact, "\(answer.differences)")
    #expect(answer.components.count < 310)
    #expect(answer.json(appIDs: ["ABCDE12345.com.example.app"]).utf8.count < 65_536)
  }

  /// Tables of many routes, whose rules share what differs in one segment, by the algebra of the checker.
  @Test(arguments: 0..<3)
  func sharedRulesOpenWhatTheRoutesDo(seed: UInt64) throws {
    var routes: [RouteTableSample.Sample] = []
    for index in 0..<9 {
      // Every third table again under another first segment, so that shapes repeat.
      for sample in RouteTableSample(seed: seed * 100 + UInt64(index % 3)).routes {
        var sample = sample
        sample.name = "\(index) \(sample.name)"
        sample.segments.insert(.literal("area-\(index)"), at: 0)
        routes.append(sample)
      }
    }
    let answer = try RouteTableSample(routes).router().associationComponents(patternsPerRoute: 9)
    let text = answer.json(appIDs: ["ABCDE12345.com.example.app"])
    let found = AssociationComponentsTests.Proof(routes, answer).differences()
    #expect(found.isDecided && found.lost.isEmpty, "seed \(seed): \(text) lost \(found.lost)")
    #expect(
      answer.isExact == found.caught.isEmpty,
      "seed \(seed): \(text) caught \(found.caught), said \(answer.differences)")
    #expect(Self.findings(text).allSatisfy { $0.severity != .error })
  }

  /// R4: rules that no device takes are not exact, whatever they say.
  @Test func aFileThatIsTooLargeIsNotExact() {
    func answer(_ count: Int) -> AssociationComponents {
      AssociationComponents(
        components: (0..<count).map {
          AssociationComponent(path: "/\(String(repeating: "a", count: 1_000))\($0)")
        },
        substitutionVariables: [:], differences: [])
    }
    let small = answer(120)
    #expect(small.isExact && small.json(appIDs: ["T.a"]).utf8.count < Self.limitBytes)
    let large = answer(140)
    #expect(!large.isExact)
    #expect(large.json(appIDs: ["T.a"]).utf8.count > Self.limitBytes)
    #expect(
      large.differences.last?.description.contains("devices take an association file of at most 131072 bytes")
        == true)
  }

  /// R4: 512 bytes are left for the identifiers of the apps.
  @Test func theLargestFileIsExactAndAByteMoreIsNot() {
    func answer(_ count: Int) -> AssociationComponents {
      let paths = (0..<120).map { "/\(String(repeating: "a", count: 1_000))\($0)" }
      return AssociationComponents(
        components: (paths + ["/" + String(repeating: "b", count: count)]).map {
          AssociationComponent(path: $0)
        },
        substitutionVariables: [:], differences: [])
    }
    let wanted = Self.limitBytes - 512
    let count = 1_000 + wanted - answer(1_000).json(appIDs: []).utf8.count
    #expect(answer(count).json(appIDs: []).utf8.count == wanted)
    #expect(answer(count).isExact)
    #expect(answer(count + 1).differences.count == 1)
    #expect(answer(count + 1).differences.first?.description.contains("have \(wanted + 1) bytes") == true)
  }

  /// Where blanks would make a file too large, it has none.
  @Test func aLargeFileHasNoBlanks() {
    let components = (0..<2_000).map {
      AssociationComponent(path: "/\(String(repeating: "a", count: 40))\($0)")
    }
    let answer = AssociationComponents(components: components, substitutionVariables: [:], differences: [])
    #expect(answer.isExact)
    let text = answer.json(appIDs: ["ABCDE12345.com.example.app"])
    #expect(text.utf8.count < Self.limitBytes && !text.contains(" "))
    let details = JSONParser.parse(Array(text.utf8)).root?["applinks"]?["details"]?.array
    #expect(details?.first?["components"]?.array?.count == 2_000)
  }
}
