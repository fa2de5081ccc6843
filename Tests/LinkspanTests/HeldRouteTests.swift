import AppSiteAssociation
import Linkspan
import LinkspanCore
import Testing

import struct Linkspan.Route
import struct Linkspan.Router

/// A link as somebody writes it and as a device holds it is one link to the router, and the router's own association file
/// agrees.
@Suite struct HeldRouteTests {
  private static let app = "ABCDE12345.com.example.app"
  private static let words = [
    "レシピ", "café", "caf%C3%A9", "%e3%83%ac", "%E3%83%AC", "a b", "plain", "straße", "x|y", "e\u{301}", "ſ",
    "o'k", "{x}",
  ]

  private static func router() throws -> Router<RouteTableSample.Place> {
    let templates = ["/レシピ/{id}", "/café/*", "/caf%C3%A9s/{id}", "/a b/{id}", "/{any}/x", "/%e3%83%ac/{id}"]
    return try Router(
      sources: [.universalLinks(hosts: ["a.example"])], clashes: .firstDeclaredWins,
      routes: templates.enumerated().map { index, template in
        let name = "r\(index)"
        return Route(name, template) {
          RouteTableSample.Place(route: name, texts: $0.values)
        } write: {
          $0.route == name ? $0.texts.mapValues { $0 } : nil
        }
      })
  }

  @Test func oneLinkHasOneRoute() throws {
    let router = try Self.router()
    let file = try #require(
      AssociationContent(Array(router.associationComponents().json(appIDs: [Self.app]).utf8)).file)
    let matcher = AssociationMatcher(file)
    #expect(router.associationComponents().isExact)
    var chance = SeededGenerator(seed: 31)
    func word() -> String { Self.words[Int(chance.draw(0...Int64(Self.words.count - 1)))] }
    var routed = 0
    for _ in 0..<4_000 {
      let written =
        "https://a.example/\(word())/\(word())" + (chance.chance(1, in: 4) ? "?q=\(word())" : "")
        + (chance.chance(1, in: 6) ? "#\(word())" : "")
      let url = LinkURL(written: written)
      let route = router.match(written)?.route
      #expect(router.match(url.text)?.route == route, "\(written)")
      let opens = matcher.decide(url, app: Self.app, host: .exactly("a.example")).verdict == .match
      // The router takes escapes of either case for one; an association file compares them as they are written.
      if written.contains("%e3") {
        #expect(!opens || route != nil, "\(written)")
      } else {
        #expect(opens == (route != nil), "\(written): \(route ?? "no route")")
      }
      if route != nil { routed += 1 }
    }
    #expect(routed > 500)
  }

  /// Row 1 of the issue.
  @Test(arguments: [
    ("https://a.example/レシピ/1", "r0"), ("https://a.example/%E3%83%AC%E3%82%B7%E3%83%94/1", "r0"),
    ("https://a.example/%e3%83%ac/1", "r5"), ("https://a.example/a b/1", "r3"),
    ("https://a.example/a%20b/1", "r3"),
  ])
  func aRawLinkIsALink(_ url: String, _ route: String) throws {
    #expect(try Self.router().match(url)?.route == route)
  }
}
