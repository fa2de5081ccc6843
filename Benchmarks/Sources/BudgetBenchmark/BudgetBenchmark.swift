import AppSiteAssociation
import AssociationCheck
import Glibc
import LinkCoverage
import LinkExplanation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices

/// What a step of the budget is worth: answers one question about a file and prints its steps, its processor time and the
/// nanoseconds of a step.
///
/// usage: BudgetBenchmark check|fix|diff|generate FILE, or BudgetBenchmark match|explain FILE URL
@main
struct BudgetBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3, let bytes = read(arguments[2]) else {
      print("usage: BudgetBenchmark check|fix|diff|generate|match|explain FILE [URL]")
      exit(2)
    }
    let text = SourceText(name: arguments[2], bytes: bytes)
    let url = arguments.count > 3 ? arguments[3] : "https://example.com/a1/b"
    let start = processorTime_s
    let steps: Int
    switch arguments[1] {
    case "check": steps = spent { _ = AssociationChecker.check(AssociationSource(text), &$0) }
    case "fix": steps = spent { _ = AssociationChecker.fixed(text, &$0) }
    case "match": steps = spent { match(LinkURL(url), text, &$0) }
    case "diff":
      guard let file = AssociationContent(bytes).file else { exit(2) }
      steps = FileComparison(file, on: OSVersion(.iOS, 13, 4), andOn: nil, host: "example.com").spentSteps
    case "generate": steps = GeneratedSite(try GenerateRequest(text)).spentSteps
    case "explain": steps = try Explanation(situation(url, text)).spentSteps
    default: exit(2)
    }
    let seconds = processorTime_s - start
    print(
      "\(arguments[1]): \(steps) steps, \(Int(seconds * 1_000)) ms, \(Int(seconds * 1e9 / Double(max(1, steps)))) ns a step"
    )
  }

  private static func spent(_ body: (inout WorkBudget) -> Void) -> Int {
    var work = WorkBudget.answer
    body(&work)
    return WorkLimits.answer - work.steps
  }

  private static func match(_ url: LinkURL, _ text: SourceText, _ work: inout WorkBudget) {
    guard let file = AssociationContent(text.bytes).file else { exit(2) }
    var matcher = ReasonedMatcher(AssociationMatcher(file))
    for app in matcher.matcher.applications {
      _ = matcher.trace(url, app: app, host: HostScope(url.host), &work)
    }
  }

  private static func situation(_ link: String, _ text: SourceText) -> Situation {
    guard let file = AssociationContent(text.bytes).file else { exit(2) }
    var story = Story(name: "budget", start: WallTime(milliseconds: 0))
    story.sites = [
      "example.com": Site([.init(path: AssociationLocation.wellKnown.rawValue, body: text.bytes)])
    ]
    story.apps = AssociationMatcher(file).applications.prefix(20).map {
      .init(name: $0, build: AppBuild(identifier: $0, entries: ["applinks:example.com"], kind: .appStore))
    }
    story.devices = [DeviceTraits(name: "phone", os: OSVersion(.iOS, 26))]
    story.script = [
      StoryStep(.install(apps: Array(story.apps.indices), devices: [0]), at: .init(file: "budget"))
    ]
    return Situation(story, device: 0, link: link, way: .typed)
  }

  private static var processorTime_s: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes[..<count])
  }
}
