import AppSiteAssociation
import Glibc
import LinkspanCore

/// Decisions a second against compiled files, URL text to verdict, on one core; beside a plain walk over the rules and
/// glibc's fnmatch(3) asked rule by rule, which is what a script would do. Seeded, median of several.
///
/// With `--write FOLDER` it writes rules and paths for peers in other languages instead; with `--alone WORKLOAD RULES` it
/// only decides, for a profiler.
@main
struct MatchBenchmark {
  static let app = "ABCDE12345.com.example.app"
  static let rounds = 7
  /// How often the URLs are decided in a round. One turn takes 1 ms, in which what else the machine does counts for more than
  /// the matcher: rounds of one turn differed by a half.
  static let turns = 10

  static func main() {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "--write" {
      write(Workload.beginnings(1_000), to: arguments[2] + "/beginnings")
      write(Workload.leadingStars(1_000), to: arguments[2] + "/leading-stars")
      return
    }
    if arguments.count == 4, arguments[1] == "--alone", let count = Int(arguments[3]) {
      decideAlone(arguments[2], count)
      return
    }
    print("match: URL text to decision, median of \(rounds) rounds, seeded")
    for make in [Workload.beginnings, Workload.leadingStars, Workload.folded, Workload.queries] {
      var rates: [Int: Double] = [:]
      for count in [100, 1_000, 10_000] { rates[count] = measure(make(count)) }
      print("    cost of 10,000 rules ÷ cost of 100: \(shown(rates[100]! / rates[10_000]!, digits: 2))")
    }
    _ = measure(Workload.twentyStars(1_000))
    _ = measure(Workload.repeatedStars(1_000))
    measureLongPath()
  }

  /// - Returns: Decisions a second.
  private static func measure(_ workload: Workload) -> Double {
    let matcher = matcher(for: workload.rules)
    let compiled = median { time { _ = self.matcher(for: workload.rules) } }
    let ours = rate(workload, matcher, turns: turns)
    var line = "  \(workload.name), \(workload.rules.count) rules: linkspan \(shown(ours))/s"
    if !workload.paths.isEmpty {
      let walk = PlainWalk(workload, limit: max(4, 400_000 / workload.rules.count))
      let plain = median { Double(walk.count) / time { precondition(walk.matches() <= walk.count) } }
      line += ", plain walk \(shown(plain))/s, ratio \(shown(ours / plain, digits: 1))"
      let fnmatch = median { Double(walk.count) / time { precondition(walk.fnmatches() <= walk.count) } }
      line += "; fnmatch \(shown(fnmatch))/s, ratio \(shown(ours / fnmatch, digits: 1))"
    }
    print(line + "; read and compiled in \(shown(compiled * 1_000, digits: 1)) ms")
    return ours
  }

  /// Decisions a second, median of several rounds.
  private static func rate(_ workload: Workload, _ matcher: AssociationMatcher, turns: Int) -> Double {
    median {
      Double(turns * workload.urls.count) / time { for _ in 0..<turns { decideAll(workload.urls, matcher) } }
    }
  }

  private static func decideAlone(_ name: String, _ count: Int) {
    let makes = [
      Workload.beginnings, Workload.leadingStars, Workload.folded, Workload.queries, Workload.twentyStars,
    ]
    guard let workload = makes.lazy.map({ $0(count) }).first(where: { $0.name == name }) else {
      fatalError("no workload is named \(name)")
    }
    let matcher = matcher(for: workload.rules)
    let ours = rate(workload, matcher, turns: 200_000 / workload.urls.count)
    print("\(name), \(count) rules: \(shown(ours))/s")
  }

  /// A pattern of 4,000 stars on paths of 16 KB and of 64 KB: four times the text may take four times the time.
  private static func measureLongPath() {
    let matcher = matcher(for: ["{\"/\":\"/\(String(repeating: "*a", count: 4_000))b*\"}"])
    let seconds = [16_000, 64_000].map { length in
      let url = "https://example.com/" + String(repeating: "a", count: length)
      return median { time { decideAll([url], matcher) } }
    }
    print(
      "  4,000 stars on 64 KB: \(shown(seconds[1] * 1_000_000)) µs, \(shown(seconds[1] / seconds[0], digits: 1)) times as long as on 16 KB"
    )
  }

  private static func matcher(for rules: [String]) -> AssociationMatcher {
    let text =
      "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[\(rules.joined(separator: ","))]}]}}"
    return AssociationMatcher(AssociationFile(JSONParser.parse(Array(text.utf8)).root!)!)
  }

  private static func decideAll(_ urls: [String], _ matcher: AssociationMatcher) {
    let host = HostScope("example.com")
    var matches = 0
    for url in urls where matcher.decide(LinkURL(url), app: app, host: host).verdict == .match {
      matches += 1
    }
    precondition(matches <= urls.count)
  }

  private static func write(_ workload: Workload, to name: String) {
    for (kind, lines) in [("rules", workload.paths), ("urls", workload.urls)] {
      guard let file = fopen("\(name).\(kind)", "w") else { fatalError("cannot write \(name).\(kind)") }
      for line in lines { fputs(line + "\n", file) }
      fclose(file)
    }
  }

  private static func median(_ measure: () -> Double) -> Double {
    let rates = (0..<rounds).map { _ in measure() }.sorted()
    return rates[rounds / 2]
  }

  /// Processor time, so that other work on the machine counts less.
  private static func time(_ body: () -> Void) -> Double {
    let before = processorSeconds()
    body()
    return processorSeconds() - before
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func shown(_ number: Double, digits: Int = 0) -> String {
    if digits == 0 { return String(Int(number)) }
    let factor = digits == 1 ? 10.0 : 100.0
    return String((number * factor).rounded() / factor)
  }
}
