import Foundation
import Linkspan
import Testing

import struct LinkspanCore.SeededGenerator

/// The router beside a slow and obvious one, on seeded tables and URLs.
struct RouterLawTests {
  @Test(arguments: 0..<200)
  func agreesWithAListOfRegularExpressions(seed: UInt64) throws {
    let table = RouteTableSample(seed: seed)
    let router = try table.router()
    let obvious = try table.routes.map { try NSRegularExpression(pattern: "^" + $0.regularExpression + "$") }
    var generator = SeededGenerator(seed: seed &+ 1_000)
    for _ in 0..<60 {
      let path = Self.path(&generator)
      let text = path.isEmpty ? "" : path
      var expected: Int?
      for (index, expression) in obvious.enumerated() {
        var trimmed = text[...]
        while trimmed.last == "/" { trimmed.removeLast() }
        let range = NSRange(trimmed.startIndex..<trimmed.endIndex, in: String(trimmed))
        let holds = expression.firstMatch(in: String(trimmed), range: range) != nil
        if holds, table.routes[index].items.isEmpty, table.routes[index].fragment == nil {
          expected = index
          break
        }
      }
      let want = expected.flatMap { table.routes[$0].isBrowser ? nil : table.routes[$0].name }
      let got = router.match("https://a.example" + text)?.route
      #expect(got == want, "seed \(seed): \(text) with \(table.routes.map(\.template))")
    }
  }

  private static func path(_ generator: inout SeededGenerator) -> String {
    var path = ""
    for _ in 0..<generator.draw(0...4) {
      path += "/" + RouteTableSample.segmentText(&generator)
    }
    if generator.chance(1, in: 5) { path += "/" }
    return path
  }

  @Test func whatIsPrintedIsReadAgain() throws {
    let router = try Router<[String]>(
      sources: [.universalLinks(hosts: ["a.example"]), .customScheme("a")],
      routes: [
        Route("all", "/{one}/x-{two}.html?q={three}&r={four?}#{five?}") {
          [
            try $0("one"), try $0("two"), try $0("three"), try $0.optional("four") ?? "",
            try $0.optional("five") ?? "",
          ]
        } write: { texts in
          [
            "one": texts[0], "two": texts[1], "three": texts[2], "four": texts[3].isEmpty ? nil : texts[3],
            "five": texts[4].isEmpty ? nil : texts[4],
          ]
        }
      ])
    var generator = SeededGenerator(seed: 7)
    let scalars: [Unicode.Scalar] = [
      "a", "/", "?", "#", "&", "=", "%", "+", " ", "é", "😀", ".", "\"", "2", "F",
    ]
    for _ in 0..<2_000 {
      let texts = (0..<5).map { index in
        let least: Int64 = index < 3 ? 1 : 0
        return String(
          String.UnicodeScalarView(
            (0..<generator.draw(least...4)).map { _ in scalars[Int(generator.draw(0...14))] }))
      }
      for kind in [LinkSource.Kind.universalLink, .customScheme] {
        if [".", ".."].contains(texts[0]) {
          // No URL has it as a segment.
          #expect(throws: PrintingError.self) { try router.url(for: texts, as: kind) }
          continue
        }
        let url = try router.url(for: texts, as: kind)
        #expect(try router.parse(url) == texts, "\(url)")
      }
    }
  }

  /// No input takes more than a walk over the tree: each level may hold as many nodes as there are routes.
  @Test func manyParametersAndLongInputsStaySmall() throws {
    let routes = (0..<40).map { number in
      let segments = (0..<8).map { number >> ($0 % 6) & 1 == 0 ? "{p\($0)}" : "{p\($0):~[a-z]+}" }
      return Route<RouteTableSample.Place>("r\(number)", "/" + segments.joined(separator: "/") + "/\(number)")
      {
        RouteTableSample.Place(route: "r\(number)", texts: $0.values)
      } write: {
        $0.route == "r\(number)" ? $0.texts.mapValues { $0 } : nil
      }
    }
    let router = try Router(
      sources: [.universalLinks(hosts: ["a.example"])], clashes: .firstDeclaredWins, routes: routes)
    #expect(router.destination(for: "https://a.example/a/a/a/a/a/a/a/a/39")?.route == "r39")
    let long = "https://a.example" + String(repeating: "/a", count: 100_000)
    #expect(router.destination(for: long) == nil)
    #expect(router.destination(for: "https://a.example/" + String(repeating: "a", count: 1_000_000)) == nil)
  }
}
