internal import LinkspanCore

/// Which rules of a file can never decide: on no release and for no app, because an earlier one covers all they could.
///
/// Every rule is compared with the earlier ones whose literal beginning it shares; what no single one covers is asked of
/// all of them together (``JointCover``). Files can be made in which those are all of them, so the work is bounded; beyond
/// the bound only rules for every URL are looked for.
struct Reachability {
  /// Where a rule stands.
  struct Place: Hashable, Comparable {
    var entry: Int
    var rule: Int?
    var isPath: Bool

    init(_ rule: CompiledRule) {
      entry = rule.entry
      self.rule = rule.rule
      isPath = rule.isPath
    }

    init(entry: Int, rule: Int?, isPath: Bool) {
      self.entry = entry
      self.rule = rule
      self.isPath = isPath
    }

    static func < (left: Place, right: Place) -> Bool {
      (left.entry, left.isPath ? 1 : 0, left.rule ?? -1) < (
        right.entry, right.isPath ? 1 : 0, right.rule ?? -1
      )
    }
  }

  /// Our choice: symbols of patterns that are compared, about a tenth of a second.
  static let stepLimit = 20_000_000
  /// Our choice: rules, those that several apps share counted for each list they stand in.
  static let ruleLimit = 300_000
  /// Our choice: looking at a pair that cannot cover one another costs this part of comparing a symbol.
  private static let pairsPerStep = 8

  /// In the order of the file, each with the rules that decide in its place: the first that covers it, else those
  /// that cover it together.
  let unreachable: [(place: Place, by: (rule: CompiledRule, earlier: [CompiledRule]))]
  /// Whether every pair of rules was looked at.
  let isComplete: Bool
  /// How many rules were not decided although every pair was looked at.
  let undecidedCount: Int

  /// - Returns: nil when there are too many rules even to look for those behind a rule for every URL.
  init?(of file: AssociationSource, _ work: inout WorkBudget) {
    guard let association = file.association else {
      unreachable = []
      isComplete = true
      undecidedCount = 0
      return
    }
    let share = min(Self.stepLimit, max(0, work.steps))
    var survey = Survey(budget: WorkBudget(steps: share), comparesPairs: true)
    let matchers = Self.readings(of: association).map { AssociationMatcher(association, os: $0) }
    let count = matchers.reduce(0) { sum, matcher in
      matcher.applicationsWithOwnRules.reduce(sum) { $0 + matcher.ruleCount(of: $1) }
    }
    guard count <= Self.ruleLimit else { return nil }
    for matcher in matchers { survey.look(at: matcher) }
    isComplete = !survey.budget.isExhausted
    _ = work.spend(share - max(0, survey.budget.steps))
    if !isComplete {
      survey = Survey(budget: WorkBudget(steps: .max), comparesPairs: false)
      for matcher in matchers { survey.look(at: matcher) }
    }
    let reachable = survey.reachable
    var covered = survey.coveredBy.filter { !reachable.contains($0.key) }
      .mapValues { (rule: $0.rule, earlier: [$0.earlier]) }
    if isComplete {
      let joint = JointCover(matchers, but: Set(covered.keys), &work)
      covered.merge(joint.covered) { first, _ in first }
      undecidedCount = joint.undecided.count
    } else {
      undecidedCount = 0
    }
    unreachable = covered.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// One release for each way in which the rules of this file are read: the newest, before `defaults`, before
  /// variables, before `components`. What is dead today may be there for iOS 12.
  static func readings(of file: AssociationFile) -> [OSVersion?] {
    guard let appLinks = file.appLinks else { return [] }
    var readings: [OSVersion?] = [nil]
    if !appLinks.news(since: OSVersion(.iOS, 14)).isEmpty { readings.append(OSVersion(.iOS, 13, 5)) }
    if !appLinks.news(since: OSVersion(.iOS, 13, 5)).isEmpty { readings.append(OSVersion(.iOS, 13)) }
    if appLinks.entries.contains(where: { $0.paths != nil }) { readings.append(OSVersion(.iOS, 12, 5)) }
    return readings
  }

  /// Whether a release that knows no variables reads `$(…)` of this rule as text. URLs with that text are nobody's links,
  /// so that they count for nothing here.
  static func readsVariablesAsText(_ rule: CompiledRule) -> Bool {
    rule.variables == nil && rule.usesVariables
  }

  private struct Survey {
    var budget: WorkBudget
    let comparesPairs: Bool
    var coveredBy: [Place: (rule: CompiledRule, earlier: CompiledRule)] = [:]
    var reachable: Set<Place> = []

    init(budget: WorkBudget, comparesPairs: Bool) {
      self.budget = budget
      self.comparesPairs = comparesPairs
    }

    mutating func look(at matcher: AssociationMatcher) {
      for app in matcher.applicationsWithOwnRules where !budget.isExhausted {
        let rules = (matcher.rules(of: app) ?? []).filter { !$0.coversNothing }
        // Reading a pattern costs about as much as comparing it a few times.
        guard budget.spend(rules.count * 16) else { return }
        let pairs = comparesPairs ? Pairs(rules) : nil
        var catchAll: Int?
        for (index, rule) in rules.enumerated() where !budget.isExhausted {
          // The first rule that covers it counts: it is what decides in its place.
          let earlier = pairs.map { $0.firstCovering(index, before: catchAll, &budget) } ?? catchAll
          if let earlier {
            if coveredBy[Place(rule)] == nil { coveredBy[Place(rule)] = (rule, rules[earlier]) }
          } else if !Reachability.readsVariablesAsText(rule) {
            reachable.insert(Place(rule))
          }
          if catchAll == nil, rule.coversEverything { catchAll = index }
        }
      }
    }
  }

  /// The rules of one app, ready to be compared with one another.
  private struct Pairs {
    private let rules: [CoverageRule]
    private let neighbours: [UInt64]
    private let prefixes: [[UInt8]]
    private let index: PrefixIndex

    init(_ compiled: [CompiledRule]) {
      var queries = CoverageRule.Queries()
      rules = compiled.map { CoverageRule($0, &queries) }
      neighbours = rules.map(\.neighbours)
      // A rule can cover another only when its literal beginning is one of the other's.
      prefixes = compiled.map { $0.path.coversEverything ? [] : $0.path.literalPrefix }
      index = PrefixIndex(prefixes)
    }

    /// The first of the rules before one that covers it.
    ///
    /// - Parameter catchAll: A rule that covers it in any case.
    func firstCovering(_ place: Int, before catchAll: Int?, _ budget: inout WorkBudget) -> Int? {
      var best = catchAll ?? place
      let mine = neighbours[place]
      var looked = 0
      _ = prefixes[place].withUnsafeBufferPointer { text in
        index.visit(text) { candidates in
          for candidate in candidates {
            let candidate = Int(candidate)
            if candidate >= best { break }
            looked += 1
            guard neighbours[candidate] & ~mine == 0 else { continue }
            if rules[candidate].coversAll(of: rules[place], &budget) {
              best = candidate
              break
            }
            if budget.isExhausted { break }
          }
        }
      }
      _ = budget.spend(looked / Reachability.pairsPerStep)
      return best < place ? best : nil
    }
  }
}
