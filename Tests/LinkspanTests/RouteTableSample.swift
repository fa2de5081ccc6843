import Linkspan

import struct LinkspanCore.SeededGenerator

/// A seeded table of routes, in forms that others than the router can read.
struct RouteTableSample {
  enum Segment: Hashable {
    case literal(String)
    /// A kind of ``kinds``, with what stands around it.
    case parameter(kind: Int, prefix: String, suffix: String)
  }

  struct Item: Hashable {
    var name: String
    /// Nil for any value that is not empty.
    var literal: String?
  }

  struct Sample: Hashable {
    var name: String
    var segments: [Segment]
    var hasRest: Bool
    var items: [Item]
    var fragment: Item?
    var isBrowser: Bool

    var template: String {
      var number = 0
      func parameter(_ kind: String) -> String {
        number += 1
        return "{p\(number)\(kind)}"
      }
      var text = segments.map { segment in
        switch segment {
        case .literal(let text): "/" + text
        case .parameter(let kind, let prefix, let suffix):
          "/" + prefix + parameter(RouteTableSample.kinds[kind].template) + suffix
        }
      }.joined()
      if hasRest { text += "/*" }
      if text.isEmpty { text = "/" }
      let query = items.map { $0.name + "=" + ($0.literal ?? parameter("")) }
      if !query.isEmpty { text += "?" + query.joined(separator: "&") }
      if let fragment { text += "#" + (fragment.literal ?? parameter("")) }
      return text
    }

    var regularExpression: String {
      segments.map { segment in
        switch segment {
        case .literal(let text): "/" + text
        case .parameter(let kind, let prefix, let suffix):
          "/" + prefix + RouteTableSample.kinds[kind].expression + suffix.replacing(".", with: "\\.")
        }
      }.joined() + (hasRest ? "(/.*)?" : "")
    }
  }

  struct Kind {
    var template: String
    var expression: String
    /// Whether patterns of an association file can say it.
    var isExpressible: Bool
  }

  static let kinds = [
    Kind(template: "", expression: "[^/]+", isExpressible: true),
    Kind(template: ":~en|de|fr", expression: "(?:en|de|fr)", isExpressible: true),
    Kind(template: ":~[0-9]{1,3}", expression: "[0-9]{1,3}", isExpressible: true),
    Kind(template: ":int", expression: "[0-9]{1,18}", isExpressible: true),
    Kind(template: ":~[a-z]+", expression: "[a-z]+", isExpressible: false),
  ]

  private(set) var routes: [Sample] = []

  init(_ routes: [Sample]) { self.routes = routes }

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for index in 0..<generator.draw(1...5) {
      let sample = Self.sample("r\(index)", &generator)
      if !routes.contains(where: { $0.template == sample.template }) { routes.append(sample) }
    }
    // Routes that never get a link are taken out, as the router asks for.
    while let error = problem(),
      let name = error.problems.first(where: { $0.kind == .unreachable })?.routes.first
    {
      routes.removeAll { $0.name == name }
    }
  }

  static func segmentText(_ generator: inout SeededGenerator) -> String {
    ["a", "b", "recipes", "new", "en", "de", "7", "42", "12345", "x-a", "x-7.html", "a.html", "", "Z"][
      Int(generator.draw(0...13))]
  }

  private static func sample(_ name: String, _ generator: inout SeededGenerator) -> Sample {
    var segments: [Segment] = []
    for _ in 0..<generator.draw(0...3) {
      if generator.chance(1, in: 2) {
        segments.append(.literal(["a", "b", "recipes", "new"][Int(generator.draw(0...3))]))
      } else {
        let isDecorated = generator.chance(1, in: 4)
        segments.append(
          .parameter(
            kind: Int(generator.draw(0...(generator.chance(1, in: 3) ? 4 : 2))),
            prefix: isDecorated ? "x-" : "",
            suffix: isDecorated && generator.chance(1, in: 2) ? ".html" : ""))
      }
    }
    var items: [Item] = []
    if generator.chance(1, in: 5) {
      items.append(Item(name: "q", literal: generator.chance(1, in: 2) ? "1" : nil))
      if generator.chance(1, in: 3) { items.append(Item(name: "page", literal: nil)) }
    }
    let fragment =
      generator.chance(1, in: 10) ? Item(name: "", literal: generator.chance(1, in: 2) ? "top" : nil) : nil
    return Sample(
      name: name, segments: segments, hasRest: generator.chance(1, in: 5), items: items, fragment: fragment,
      isBrowser: generator.chance(1, in: 6))
  }

  /// The number of a route is its destination; parameters are kept as their texts.
  struct Place: Equatable, Sendable {
    var route: String
    var texts: [String: String]
  }

  private func problem() -> RouterError? {
    do throws(RouterError) {
      _ = try router()
      return nil
    } catch {
      return error
    }
  }

  func router() throws(RouterError) -> Router<Place> {
    try Router(
      sources: [.universalLinks(hosts: ["a.example"])], clashes: .firstDeclaredWins,
      routes: routes.map { sample in
        if sample.isBrowser { return .browser(sample.name, sample.template) }
        return Route(sample.name, sample.template) {
          Place(route: sample.name, texts: $0.values)
        } write: {
          $0.route == sample.name ? $0.texts.mapValues { $0 } : nil
        }
      })
  }
}
