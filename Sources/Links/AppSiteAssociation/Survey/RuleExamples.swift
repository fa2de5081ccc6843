package import LinkspanCore

/// A URL for each rule of a file that the rule decides, for readers who want to see what a rule is about.
package struct RuleExamples {
  /// Whether a rule decides some URL.
  package enum Answer: Hashable, Sendable {
    case decides(String)
    /// No URL of a device matches it, whatever stands before it.
    case unmatched
    /// Earlier rules decide every URL that it matches.
    case covered
    /// The search takes more than its bound.
    case open
  }

  /// The rules that decide no URL.
  package var deadRules: Set<Reachability.Place> {
    Set(answers.filter { [.unmatched, .covered].contains($0.value) }.keys)
  }

  /// By the place of the rule; rules of releases that are not asked about are absent.
  package private(set) var answers: [Reachability.Place: Answer] = [:]

  /// - Parameters:
  ///   - host: Of the URLs.
  ///   - os: nil stands for the newest behaviour.
  package init(of file: AssociationFile, host: String, on os: OSVersion?, _ work: inout WorkBudget) {
    let matcher = AssociationMatcher(file, os: os)
    for app in matcher.applicationsWithOwnRules { look(at: matcher, app, host: host, &work) }
  }

  private mutating func look(
    at matcher: AssociationMatcher, _ app: String, host: String, _ work: inout WorkBudget
  ) {
    let rules = matcher.rules(of: app) ?? []
    var open: Set<Reachability.Place> = []
    for rule in rules {
      let place = Reachability.Place(rule)
      if case .decides = answers[place] { continue }
      guard !rule.coversNothing, work.spend(rule.costOfWitnesses) else {
        if answers[place] == nil { answers[place] = rule.coversNothing ? .unmatched : .open }
        continue
      }
      let url = rule.witnesses(host: host).first {
        Self.decides(place, $0, app, matcher, host: host, &work)
      }
      if let url { answers[place] = .decides(url) } else { open.insert(place) }
    }
    if open.isEmpty { return }
    // What its own patterns do not show is asked of the algebra.
    let languages = RuleLanguages()
    let list = RuleList(rules, languages)
    let questions = RuleQuestions(list: list, languages: languages)
    for (index, rule) in list.rules.enumerated() where open.contains(Reachability.Place(rule)) {
      let place = Reachability.Place(rule)
      guard !work.isExhausted else {
        answers[place] = answers[place] ?? .open
        continue
      }
      switch questions.decides(index, &work) {
      case .witness(let rest):
        let url = "https://\(host)\(rest)"
        let isConfirmed = Self.decides(place, url, app, matcher, host: host, &work)
        answers[place] = isConfirmed ? .decides(url) : answers[place] ?? .open
      case .none(let instead):
        answers[place] = answers[place] ?? (instead.isEmpty ? .unmatched : .covered)
      case .undecided: answers[place] = .open
      }
    }
  }

  private static func decides(
    _ place: Reachability.Place, _ url: String, _ app: String, _ matcher: AssociationMatcher, host: String,
    _ work: inout WorkBudget
  ) -> Bool {
    let decision = matcher.decide(LinkURL(url), app: app, host: .exactly(host), &work)
    return decision.entry == place.entry && decision.rule == place.rule && decision.isDecided
  }
}
