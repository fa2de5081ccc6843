import AppSiteAssociation
import Glibc
import LinkspanCore

/// Decisions a second against compiled files of 100, 1,000 and 10,000 rules, URL text to verdict, on one core;
/// beside glibc's fnmatch(3) asked rule by rule, which is what a script would do. Seeded, median of several.
@main
struct MatchBenchmark {
  static let app = "ABCDE12345.com.example.app"
  static let rounds = 7

  static func main() {
    print("match: URL text to decision, median of \(rounds) rounds, seed 1")
    var rates: [Int: Double] = [:]
    for count in [100, 1_000, 10_000] {
      var generator = SeededGenerator(seed: 1)
      let paths = (0..<count).map { _ in rule(&generator) }
      let urls = (0..<4_000).map { _ in url(of: paths, &generator) }
      let matcher = matcher(for: paths)
      let ours = median { decideAll(urls, matcher) }
      rates[count] = ours
      let few = Array(urls.prefix(max(4, 400_000 / count)))
      let peer = median { fnmatchAll(few, paths) }
      print(
        "  \(count) rules: linkspan \(shown(ours))/s, fnmatch \(shown(peer))/s, ratio \(shown(ours / peer, digits: 1))"
      )
    }
    print("  cost of 10,000 rules ÷ cost of 100: \(shown(rates[100]! / rates[10_000]!, digits: 2))")
    let stars = Array(repeating: "/" + String(repeating: "*a", count: 20) + "b", count: 1_000)
    var generator = SeededGenerator(seed: 2)
    let hostile = (0..<40).map { _ in
      "https://example.com/" + String(repeating: "a", count: Int(generator.draw(50...60)))
    }
    let matcher = matcher(for: stars)
    print(
      "  bad case, 1,000 rules of twenty stars that never match: \(shown(median { decideAll(hostile, matcher) }))/s"
    )
  }

  private static func rule(_ generator: inout SeededGenerator) -> String {
    let sections = ["shop", "help", "profile", "news", "event", "video", "map", "city"]
    let section = sections[Int(generator.draw(0...7))]
    let name = String(generator.draw(0...99_999_999), radix: 36)
    switch generator.draw(0...3) {
    case 0: return "/\(section)/\(name)"
    case 1: return "/\(section)/\(name)/*"
    case 2: return "/\(section)/\(name)/????/edit"
    default: return "/\(section)/\(name)*"
    }
  }

  private static func url(of rules: [String], _ generator: inout SeededGenerator) -> String {
    let rule = rules[Int(generator.draw(0...Int64(rules.count - 1)))]
    let path =
      generator.chance(1, in: 4)
      ? "/nowhere/at/all" : rule.replacing("*", with: "x1").replacing("?", with: "7")
    return "https://example.com\(path)?utm_source=mail&id=\(generator.draw(0...9999))"
  }

  private static func matcher(for paths: [String]) -> AssociationMatcher {
    let rules = paths.map { "{\"/\":\"\($0)\"}" }.joined(separator: ",")
    let text = "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[\(rules)]}]}}"
    return AssociationMatcher(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!)
  }

  /// Decisions a second.
  private static func decideAll(_ urls: [String], _ matcher: AssociationMatcher) -> Double {
    let host = HostScope("example.com")
    var matches = 0
    let seconds = time {
      for url in urls where matcher.decide(LinkURL(url), app: app, host: host).verdict == .match {
        matches += 1
      }
    }
    precondition(matches <= urls.count)
    return Double(urls.count) / seconds
  }

  private static func fnmatchAll(_ urls: [String], _ rules: [String]) -> Double {
    // Converted beforehand: only the matching counts.
    let paths = urls.map { strdup(String($0.dropFirst("https://example.com".count).prefix { $0 != "?" }))! }
    let rules = rules.map { strdup($0)! }
    defer { for text in paths + rules { free(text) } }
    var matches = 0
    let seconds = time {
      for path in paths where rules.contains(where: { fnmatch($0, path, FNM_NOESCAPE) == 0 }) { matches += 1 }
    }
    precondition(matches <= urls.count)
    return Double(urls.count) / seconds
  }

  private static func median(_ measure: () -> Double) -> Double {
    let rates = (0..<rounds).map { _ in measure() }.sorted()
    return rates[rounds / 2]
  }

  private static func time(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    let (seconds, attoseconds) = clock.measure(body).components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  private static func shown(_ number: Double, digits: Int = 0) -> String {
    if digits == 0 { return String(Int(number)) }
    let factor = digits == 1 ? 10.0 : 100.0
    return String((number * factor).rounded() / factor)
  }
}
