import LinkspanCore

/// Rules and the URLs to decide with them, the same in every run.
struct Workload {
  var name: String
  /// As they stand in `components`.
  var rules: [String]
  /// The patterns of the paths, for peers that know nothing else; empty where they could not decide these rules.
  var paths: [String]
  var urls: [String]

  static let urlCount = 4_000

  /// Distinct beginnings, a star or some question marks behind most: what sites publish.
  static func beginnings(_ count: Int) -> Workload {
    var generator = SeededGenerator(seed: 1)
    let paths = (0..<count).map { _ in path(&generator) }
    return Workload(
      name: "beginnings", rules: paths.map { "{\"/\":\"\($0)\"}" }, paths: paths,
      urls: (0..<urlCount).map { _ in url(of: paths, &generator) })
  }

  /// Every pattern begins with a star.
  static func leadingStars(_ count: Int) -> Workload {
    var generator = SeededGenerator(seed: 1)
    let paths = (0..<count).map { _ in "*" + path(&generator) }
    let urls = (0..<urlCount).map { _ in
      let url = url(of: paths, &generator)
      return generator.chance(1, in: 2) ? url.replacing("x1/", with: "en/") : url
    }
    return Workload(
      name: "leading stars", rules: paths.map { "{\"/\":\"\($0)\"}" }, paths: paths, urls: urls)
  }

  /// Case does not count, so no text can be compared as it is written.
  static func folded(_ count: Int) -> Workload {
    var workload = beginnings(count)
    workload.name = "case-insensitive"
    workload.rules = workload.paths.map { "{\"/\":\"\($0)\",\"caseSensitive\":false}" }
    workload.paths = []
    return workload
  }

  /// One path, and a value of a query item for each rule.
  static func queries(_ count: Int) -> Workload {
    var generator = SeededGenerator(seed: 1)
    return Workload(
      name: "query items", rules: (0..<count).map { "{\"/\":\"/buy\",\"?\":{\"id\":\"\($0)\"}}" }, paths: [],
      urls: (0..<urlCount).map { _ in
        "https://example.com/buy?utm_source=mail&id=\(generator.draw(0...Int64(count * 5 / 4)))"
      })
  }

  /// Twenty stars a rule; few of these URLs match.
  static func twentyStars(_ count: Int) -> Workload {
    var generator = SeededGenerator(seed: 2)
    func word(_ length: Int64) -> String {
      String((0..<length).map { _ in Character(Unicode.Scalar(UInt8(97 + generator.draw(0...25)))) })
    }
    let paths = (0..<count).map { _ in "/" + (0..<20).map { _ in "*" + word(1) }.joined() }
    let urls = (0..<urlCount / 4).map { _ in "https://example.com/" + word(60) }
    return Workload(
      name: "twenty stars", rules: paths.map { "{\"/\":\"\($0)\"}" }, paths: paths, urls: urls)
  }

  /// The same rule again and again, with a text that almost matches.
  static func repeatedStars(_ count: Int) -> Workload {
    let path = "/" + String(repeating: "*a", count: 20) + "b"
    return Workload(
      name: "one rule of twenty stars, repeated",
      rules: Array(repeating: "{\"/\":\"\(path)\"}", count: count),
      paths: Array(repeating: path, count: count),
      urls: (0..<400).map { "https://example.com/" + String(repeating: "a", count: 50 + $0 % 11) })
  }

  private static func path(_ generator: inout SeededGenerator) -> String {
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

  private static func url(of paths: [String], _ generator: inout SeededGenerator) -> String {
    let rule = paths[Int(generator.draw(0...Int64(paths.count - 1)))]
    let path =
      generator.chance(1, in: 4)
      ? "/nowhere/at/all" : rule.replacing("*", with: "x1").replacing("?", with: "7")
    let rooted = path.hasPrefix("/") ? path : "/" + path
    return "https://example.com\(rooted)?utm_source=mail&id=\(generator.draw(0...9999))"
  }
}
