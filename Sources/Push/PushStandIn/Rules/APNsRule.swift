internal import LinkspanCore

/// What happens to some requests that the stand-in would accept (or, with no answer among its effects, to all that match).
///
/// Every request meets every rule. Of each kind of effect the first matching rule that has it counts, so one rule may slow
/// all answers down while others refuse some.
package struct APNsRule: Sendable {
  /// A text, or the beginning of one.
  package struct Pattern: Hashable, Sendable {
    package var text: String
    package var isPrefix: Bool

    /// - Parameter text: With `*` at its end for everything that begins so.
    package init(_ text: String) {
      isPrefix = text.hasSuffix("*")
      self.text = isPrefix ? String(text.dropLast()) : text
    }

    func matches(_ other: String) -> Bool { isPrefix ? other.hasPrefix(text) : other == text }
  }

  package struct Effect: Sendable {
    package var answer: APNsRefusal?
    /// The push is accepted whatever later rules say.
    package var accepts = false
    package var latencyMilliseconds: ClosedRange<Int64>?
    package var concurrentStreams: Int?
    package var goAway: APNsReply.GoAway?
    package var ending: APNsReply.Ending?

    package init() {}
  }

  /// In lower case; empty for every token.
  package var tokens: [Pattern] = []
  package var topics: [Pattern] = []
  package var types: [String] = []
  /// The share of what matches otherwise, as a ratio.
  package var share: (numerator: Int64, denominator: Int64) = (1, 1)
  /// Lets that many pass before it begins.
  package var skippedCount = 0
  /// Ends after that many; nil for never.
  package var countLimit: Int?
  package var effect = Effect()

  package init() {}

  func selects(_ request: RequestFacts) -> Bool {
    func fits(_ patterns: [Pattern], _ text: String?) -> Bool {
      patterns.isEmpty || text.map { text in patterns.contains { $0.matches(text) } } ?? false
    }
    return fits(tokens, request.token) && fits(topics, request.topic)
      && (types.isEmpty || request.type.map(types.contains) ?? false)
  }
}

/// The rules of a stand-in and how often each has matched.
struct RuleBook: Sendable {
  private let rules: [APNsRule]
  private var matchCounts: [Int]

  init(_ rules: [APNsRule]) {
    self.rules = rules
    matchCounts = Array(repeating: 0, count: rules.count)
  }

  var isEmpty: Bool { rules.isEmpty }

  /// What the rules do to a request; chance is drawn once for each rule that has a share and selects it.
  mutating func effect(on request: RequestFacts, using generator: inout SeededGenerator) -> APNsRule.Effect {
    var sum = APNsRule.Effect()
    for index in rules.indices {
      let rule = rules[index]
      guard rule.selects(request) else { continue }
      if rule.share.numerator < rule.share.denominator {
        guard generator.chance(rule.share.numerator, in: rule.share.denominator) else { continue }
      }
      matchCounts[index] += 1
      let place = matchCounts[index] - rule.skippedCount
      guard place > 0, rule.countLimit.map({ place <= $0 }) ?? true else { continue }
      sum.add(rule.effect)
    }
    return sum
  }
}

extension APNsRule.Effect {
  /// Takes what another rule does beside this.
  fileprivate mutating func add(_ other: APNsRule.Effect) {
    if answer == nil, !accepts {
      answer = other.answer
      accepts = other.accepts
    }
    latencyMilliseconds = latencyMilliseconds ?? other.latencyMilliseconds
    concurrentStreams = concurrentStreams ?? other.concurrentStreams
    goAway = goAway ?? other.goAway
    ending = ending ?? other.ending
  }
}
