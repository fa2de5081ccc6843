import Foundation
import Linkspan

/// Links read a second by the library's router, URL text to the app's own type; beside what an app does without one: a walk
/// over a list of regular expressions, and a walk over a list of prefixes written by hand.
@main
struct RouterBenchmark {
  enum Place: Sendable {
    case section(Int)
    case item(section: Int, id: Int)
    case photo(section: Int, id: Int, name: String)
  }

  static let rounds = 7
  static let linkCount = 20_000

  static func main() throws {
    print("router: URL text to destination, median of \(rounds) rounds")
    for sections in [3, 30, 300] {
      let links = (0..<linkCount).map { number -> String in
        let section = number * 7 % sections
        let path =
          switch number % 3 {
          case 0: "/s\(section)"
          case 1: "/s\(section)/\(number)"
          default: "/s\(section)/\(number)/photos/p\(number % 10).jpg"
          }
        return "https://recipes.example" + path + (number % 4 == 0 ? "?from=mail" : "")
      }
      let router = try router(sections)
      let expressions = try (0..<sections).flatMap { section in
        try ["", "/([0-9]+)", "/([0-9]+)/photos/([^/]+)"].map {
          try NSRegularExpression(pattern: "^https://recipes\\.example/s\(section)\($0)(?:[?#].*)?$")
        }
      }
      let prefixes = (0..<sections).map { "https://recipes.example/s\($0)" }
      let ours = rate(links) { router.destination(for: $0) != nil }
      let few = Array(links.prefix(max(60, 60_000 / sections / 3)))
      let regular = rate(few) { link in
        let range = NSRange(location: 0, length: link.utf16.count)
        return expressions.contains { $0.firstMatch(in: link, range: range) != nil }
      }
      let byHand = rate(few) { walk($0, prefixes) != nil }
      print(
        "  \(sections * 3) routes: linkspan \(shown(ours))/s, NSRegularExpression one by one \(shown(regular))/s "
          + "(ratio \(shown(ours / regular))), prefixes by hand \(shown(byHand))/s (ratio \(shown(ours / byHand)))"
      )
    }
  }

  private static func router(_ sections: Int) throws -> Router<Place> {
    try Router(
      sources: [.universalLinks(hosts: ["recipes.example"])],
      routes: (0..<sections).flatMap { section in
        [
          Route<Place>("s\(section)", "/s\(section)") { _ in
            .section(section)
          } write: {
            if case .section(section) = $0 { [:] } else { nil }
          },
          Route("i\(section)", "/s\(section)/{id:int}") {
            .item(section: section, id: try $0("id"))
          } write: {
            if case .item(section, let id) = $0 { ["id": id] } else { nil }
          },
          Route("p\(section)", "/s\(section)/{id:int}/photos/{name}") {
            .photo(section: section, id: try $0("id"), name: try $0("name"))
          } write: {
            if case .photo(section, let id, let name) = $0 { ["id": id, "name": name] } else { nil }
          },
        ]
      })
  }

  /// Split at slashes, after the first prefix that fits.
  private static func walk(_ link: String, _ prefixes: [String]) -> Place? {
    for (section, prefix) in prefixes.enumerated() where link.hasPrefix(prefix) {
      let rest = link.dropFirst(prefix.count).prefix { $0 != "?" && $0 != "#" }
      guard rest.isEmpty || rest.first == "/" else { continue }
      let parts = rest.split(separator: "/")
      switch parts.count {
      case 0: return .section(section)
      case 1: return Int(parts[0]).map { .item(section: section, id: $0) }
      case 3 where parts[1] == "photos":
        return Int(parts[0]).map { .photo(section: section, id: $0, name: String(parts[2])) }
      default: return nil
      }
    }
    return nil
  }

  /// Links a second, the median of the rounds; the first one loads the program and does not count.
  private static func rate(_ links: [String], _ read: (String) -> Bool) -> Double {
    var rates: [Double] = []
    for _ in 0...rounds {
      let start = ContinuousClock.now
      var count = 0
      for link in links where read(link) { count += 1 }
      let time = ContinuousClock.now - start
      precondition(count == links.count, "every link has a route")
      rates.append(
        Double(links.count) / (Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18))
    }
    return rates.dropFirst().sorted()[rounds / 2]
  }

  private static func shown(_ value: Double) -> String {
    value >= 1_000_000
      ? String(format: "%.1f million", value / 1_000_000)
      : String(format: value >= 100 ? "%.0f" : "%.1f", value)
  }
}
