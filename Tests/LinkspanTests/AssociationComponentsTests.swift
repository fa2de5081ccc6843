import Foundation
import LinkLanguages
import Linkspan
import LinkspanCore
import Testing

import struct Linkspan.Route
import struct Linkspan.Router

@testable import AppSiteAssociation

/// The components of a router against its routes, by the algebra of the checker (associated-domains.md 7).
struct AssociationComponentsTests {
  /// Tables; `LINKSPAN_COMPONENTS` asks for more.
  private static let count =
    ProcessInfo.processInfo.environment["LINKSPAN_COMPONENTS"].flatMap(UInt64.init) ?? 60

  @Test(arguments: 0..<count)
  func coverExactlyTheRoutesOrNameTheDifference(seed: UInt64) throws {
    let table = RouteTableSample(seed: seed)
    let router = try table.router()
    // Longer lists of patterns are in a test of their own; they only cost time here.
    let answer = router.associationComponents(patternsPerRoute: 9)
    let proof = Proof(table.routes, answer)
    let found = proof.differences()
    #expect(found.isDecided, "seed \(seed)")
    let text = "seed \(seed): \(table.routes.map(\.template)) \(answer.json(appIDs: ["T.a"]))"
    #expect(found.lost.isEmpty, "\(text) lost \(found.lost)")
    #expect(
      answer.isExact == found.caught.isEmpty, "\(text) caught \(found.caught), said \(answer.differences)")
    let isExpressible = table.routes.allSatisfy { route in
      // Three lengths are three patterns, and 18 are four; nine are allowed above.
      let patterns = route.segments.reduce(1) { count, segment in
        guard case .parameter(let kind, _, _) = segment else { return count }
        return count * (kind == 2 ? 3 : kind == 3 ? 4 : 1)
      }
      guard patterns <= 9 else { return false }
      // Before `/*` an empty segment, as in //a, cannot be told from a parameter.
      return route.segments.allSatisfy { segment in
        guard case .parameter(let kind, _, _) = segment else { return true }
        guard !route.hasRest else { return false }
        return RouteTableSample.kinds[kind].isExpressible
      }
    }
    if isExpressible { #expect(answer.isExact, "\(text) \(answer.differences)") }
    let matcher = try Self.matcher(answer)
    for difference in answer.differences {
      guard let path = difference.alsoCatches else { continue }
      let url = "https://a.example" + path
      #expect(router.match(url) == nil, "\(text) \(difference)")
      let link = LinkURL(url)
      #expect(
        matcher.decide(link, app: "T.a", host: HostScope("a.example")).verdict == .match,
        "\(text) \(difference)")
    }
  }

  private static func matcher(_ answer: AssociationComponents) throws -> AssociationMatcher {
    let text = answer.json(appIDs: ["T.a"])
    let root = try #require(JSONParser.parse(Array(text.utf8)).root)
    return AssociationMatcher(try #require(AssociationFile(root)))
  }

  @Test func aParameterIsGuardedAgainstDeeperPaths() throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["a.example"])],
      routes: [
        Route("recipe", "/recipes/{id}") {
          try $0("id")
        } write: {
          ["id": $0]
        }
      ])
    let answer = router.associationComponents()
    #expect(answer.isExact)
    #expect(
      answer.components == [
        AssociationComponent(path: "/*/*/?*", isExclusion: true), AssociationComponent(path: "/recipes/?*"),
      ])
  }

  /// The album case: only two-level paths, and of them only albums; the pages of the site stay in the browser.
  @Test func albumsAreTwoLevelsAndNothingElse() throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["photos.example"])], clashes: .firstDeclaredWins,
      routes: [
        .browser("help", "/help/*"),
        Route("album", "/{owner}/{album:~[0-9]{1,4}}") {
          "\($0["owner"] ?? "")/\($0["album"] ?? "")"
        } write: {
          let parts = $0.split(separator: "/").map(String.init)
          return ["owner": parts[0], "album": parts[1]]
        },
      ])
    #expect(router.destination(for: "https://photos.example/alice/17") == "alice/17")
    for path in ["/alice", "/alice/17/cover", "/alice/summer", "/help/17", "/about", "/alice/12345"] {
      #expect(router.destination(for: "https://photos.example" + path) == nil)
    }
    let answer = router.associationComponents()
    #expect(answer.isExact, "\(answer.differences)")
    #expect(answer.components.contains(AssociationComponent(path: "/?*/$(digit)$(digit)")))
  }

  @Test func whatCannotBeSaidIsNamedWithAnExample() throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["a.example"])],
      routes: [
        Route("tag", "/tags/{tag:~[a-z]+}") {
          try $0("tag")
        } write: {
          ["tag": $0]
        }
      ])
    let answer = router.associationComponents()
    #expect(!answer.isExact)
    #expect(answer.differences.count == 1)
    #expect(answer.differences[0].route == "tag")
    let example = try #require(answer.differences[0].alsoCatches)
    #expect(example.hasPrefix("/tags/"))
    #expect(router.destination(for: "https://a.example" + example) == nil)
  }

  @Test func alternativesBecomeASubstitutionVariable() throws {
    let router = try Router<String>(
      sources: [.universalLinks(hosts: ["a.example"])],
      routes: [
        Route("menu", "/menus/{course:~starter|main|dessert}") {
          try $0("course")
        } write: {
          ["course": $0]
        }
      ])
    let answer = router.associationComponents()
    #expect(answer.isExact)
    #expect(answer.components == [AssociationComponent(path: "/menus/$(menu course)")])
    #expect(answer.substitutionVariables == ["menu course": ["starter", "main", "dessert"]])
    #expect(
      answer.json(appIDs: ["ABCDE12345.com.example.a"]) == """
        {
          "applinks": {
            "substitutionVariables": {
              "menu course": ["starter", "main", "dessert"]
            },
            "details": [
              {
                "appIDs": ["ABCDE12345.com.example.a"],
                "components": [
                  { "/": "/menus/$(menu course)" }
                ]
              }
            ]
          }
        }

        """)
  }

  @Test func onlyRoutesOfTheKindAreCovered() throws {
    let router = try Router<Int>(
      sources: [.universalLinks(hosts: ["a.example"]), .appClip(hosts: ["a.example"]), .customScheme("a")],
      routes: [
        Route("web", "/web", 1, from: [.universalLink]), Route("clip", "/clip", 2, from: [.appClip]),
        Route("own", "/own", 3, from: [.customScheme]),
      ])
    #expect(router.associationComponents().components.map(\.path) == ["/web"])
    #expect(router.associationComponents(for: .appClip).components.map(\.path) == ["/clip"])
    #expect(router.destination(for: "https://a.example/own") == nil)
    #expect(router.destination(for: "a://own") == 3)
  }

  /// Rules on one side, routes on the other, as sets of URLs.
  struct Proof {
    private let rules: [CompiledRule]
    private let routes: [(language: RuleLanguage, opens: Bool)]

    init(_ samples: [RouteTableSample.Sample], _ answer: AssociationComponents) {
      let variables = SubstitutionVariables(
        Dictionary(uniqueKeysWithValues: answer.substitutionVariables.map { (ExactText($0), $1) }))
      rules = answer.components.enumerated().map { index, component in
        var settings = RuleSettings(path: component.path, exclude: component.isExclusion ? true : nil)
        if !component.query.isEmpty {
          settings.query = .items(
            component.query.sorted { $0.key < $1.key }.map {
              QueryPattern.Item(name: $0.key, pattern: $0.value)
            })
        }
        settings.fragment = component.fragment
        return CompiledRule(entry: 0, rule: index, isPath: false, settings: settings, variables: variables)
      }
      routes = samples.map { (Self.language($0), !$0.isBrowser) }
    }

    private static func scalars(_ text: String) -> [PatternElement] {
      text.unicodeScalars.map { .scalar($0.value) }
    }

    private static func element(_ kind: Int) -> PatternElement {
      let digit = PatternElement.set(ScalarSet(UInt32(48)...57))
      let letter = PatternElement.set(ScalarSet(UInt32(97)...122))
      func words(_ lengths: ClosedRange<Int>, _ element: PatternElement) -> PatternElement {
        .oneOf(Alternatives(literals: [], patterns: lengths.map { Array(repeating: element, count: $0) }))
      }
      return switch kind {
      case 1:
        .oneOf(
          Alternatives(literals: ["en", "de", "fr"].map { $0.unicodeScalars.map(\.value) }, patterns: []))
      case 2: words(1...3, digit)
      case 3: words(1...18, digit)
      // Longer words than these say nothing new about patterns without a class of letters.
      case 4: words(1...40, letter)
      default: .segment
      }
    }

    private static func language(_ sample: RouteTableSample.Sample) -> RuleLanguage {
      var elements: [PatternElement] = []
      for segment in sample.segments {
        elements += scalars("/")
        switch segment {
        case .literal(let text): elements += scalars(text)
        case .parameter(let kind, let prefix, let suffix):
          elements += scalars(prefix) + [element(kind)] + scalars(suffix)
        }
      }
      let parentCount = sample.hasRest ? elements.count : nil
      if sample.hasRest { elements += scalars("/") + [.run] }
      func text(_ literal: String?) -> [PatternElement] { literal.map(scalars) ?? [.any, .run] }
      var names = NamedScalars()
      names.add(elements)
      for item in sample.items {
        names.add(item.name.unicodeScalars.map(\.value))
        names.add(text(item.literal))
      }
      if let fragment = sample.fragment { names.add(text(fragment.literal)) }
      let items = sample.items.map {
        ItemsAutomaton.Item(name: $0.name.unicodeScalars.map(\.value), value: TextAutomaton(text($0.literal)))
      }
      return RuleLanguage(
        reading: TextReading(foldsCase: false, decodesEscapes: false),
        path: PathAutomaton(elements, parentCount: parentCount),
        query: items.isEmpty ? nil : .items(ItemsAutomaton(items)),
        fragment: sample.fragment.map { TextAutomaton(text($0.literal)) }, names: names)
    }

    func differences() -> (lost: [String], caught: [String], isDecided: Bool) {
      let languages = RuleLanguages()
      let list = RuleList(rules, languages)
      let all = list.elements.map { languages.all[$0.language] } + routes.map(\.language)
      let count = list.elements.count
      func opens(_ place: Int?) -> Bool {
        guard let place else { return false }
        return place < count ? !list.elements[place].isExclusion : routes[place - count].opens
      }
      var lost: [String] = []
      var caught: [String] = []
      var budget = WorkBudget(steps: 60_000_000, stateLimit: 200_000)
      let search = URLSearch(all, alphabet: Alphabet(of: all, fold: { $0 }, foldingTo: { $0 }))
      let ending = search.run(
        [Array(0..<count), Array(count..<all.count)], budget: &budget, canMatter: { _ in true },
        visit: { deciding, url in
          let (got, wanted) = (opens(deciding[0]), opens(deciding[1]))
          if wanted, !got { lost.append(url()) }
          if got, !wanted { caught.append(url()) }
          return lost.count + caught.count < 5 ? .goOn : .stop
        })
      return (lost, caught, ending != .budgetExceeded)
    }
  }
}
