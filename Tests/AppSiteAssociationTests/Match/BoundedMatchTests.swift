import AppSiteAssociation
import LinkspanCore
import Testing

/// What comparing a URL with rules may cost is counted, and an answer that would cost more is left open.
@Suite struct BoundedMatchTests {
  private static let app = MatcherLawTests.app
  private static let host = HostScope("example.com")

  private static func decide(
    _ components: String, variables: String = "{}", _ path: String, steps: Int
  ) -> (decision: Decision, spent: Int) {
    var work = WorkBudget(steps: steps)
    let matcher = MatcherLawTests.matcher(components, variables: variables)
    let decision = matcher.decide(LinkURL("https://example.com\(path)"), app: app, host: host, &work)
    return (decision, steps - work.steps)
  }

  /// A part between two stars that almost stands everywhere.
  private static let slowPattern = #"{"/":"/*\#(String(repeating: "?a", count: 2_000))b*"}"#
  private static let slowPath = "/" + String(repeating: "a", count: 8_000)

  @Test func aPartWithSingleCharactersIsLeftOpenWhenTheWorkEnds() {
    let short = Self.decide(Self.slowPattern, Self.slowPath, steps: 20_000)
    #expect(short.decision == .undecided)
    #expect(short.spent < 25_000)
    let long = Self.decide(Self.slowPattern, Self.slowPath, steps: 20_000_000)
    #expect(long.decision == .noMatch)
    #expect(long.spent > 100_000)
  }

  @Test func aListOfPatternsIsLeftOpenWhenTheWorkEnds() {
    let list = (0..<200).map { #""*v\#($0)""# }.joined(separator: ",")
    let rule = #"{"/":"/$(b)$(b)/x"}"#
    let short = Self.decide(rule, variables: #"{"b":[\#(list)]}"#, Self.slowPath + "/x", steps: 20_000)
    #expect(short.decision == .undecided)
    let long = Self.decide(rule, variables: #"{"b":[\#(list)]}"#, Self.slowPath + "/x", steps: 50_000_000)
    #expect(long.decision == .noMatch)
  }

  @Test func manyRulesThatNoKeyTellsApartAreLeftOpenWhenTheWorkEnds() {
    let rules = (0..<500).map { #"{"/":"/*","?":{"a":"*x\#($0)"}}"# }.joined(separator: ",")
    let url = "/a?" + (0..<500).map { "k\($0)=1" }.joined(separator: "&") + "&a=y"
    #expect(Self.decide(rules, url, steps: 10_000).decision == .undecided)
    #expect(Self.decide(rules, url, steps: 10_000_000).decision == .noMatch)
  }

  /// A rule behind the one that took all the work must not decide.
  @Test func noLaterRuleDecidesOnceTheWorkHasEnded() {
    let rules = Self.slowPattern + #",{"/":"*"}"#
    #expect(Self.decide(rules, Self.slowPath, steps: 20_000).decision == .undecided)
    let decided = Self.decide(rules, Self.slowPath, steps: 20_000_000).decision
    #expect(decided.verdict == .match && decided.rule == 1)
  }

  @Test func aTraceSaysThatNothingIsDecided() {
    let matcher = MatcherLawTests.matcher(Self.slowPattern)
    var reasoned = ReasonedMatcher(matcher)
    let url = LinkURL("https://example.com\(Self.slowPath)")
    var work = WorkBudget(steps: 20_000)
    let quick = reasoned.trace(url, app: Self.app, host: Self.host, &work)
    work = WorkBudget(steps: 20_000)
    let walk = matcher.trace(url, app: Self.app, host: Self.host, &work)
    for trace in [quick, walk] {
      #expect(!trace.decision.isDecided)
      #expect(trace.reason == "not decided: comparing it with the rules takes more than the bound on work")
    }
  }

  @Test func anOrdinaryDecisionTakesFewSteps() {
    let rules = (0..<1_000).map { #"{"/":"/shop/\#($0)/*"}"# }.joined(separator: ",")
    let (decision, spent) = Self.decide(rules, "/shop/7/a", steps: 1_000_000)
    #expect(decision.verdict == .match && decision.rule == 7)
    #expect(spent < 100)
  }
}
