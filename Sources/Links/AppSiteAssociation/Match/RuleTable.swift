internal import LinkspanCore

/// The rules of one application in their order, compiled into one structure for each form of text, so that the cost of a
/// decision does not grow with rules that cannot hold.
///
/// A class, so that asking it costs one reference count instead of one for every part.
final class RuleTable: Sendable {
  let rules: [CompiledRule]
  /// What each rule decides where it is the first that holds.
  private let answers: [Answer]
  private let indexes: [RuleIndex]

  /// A decision in a third of its room, so that those of thousands of rules stay near the processor.
  private struct Answer {
    private let isExclusion: Bool
    private let entry: Int32
    /// -1 for the rule of an entry that has none.
    private let rule: Int32

    init(_ rule: CompiledRule) {
      isExclusion = rule.isExclusion
      entry = Int32(rule.entry)
      self.rule = rule.rule.map { Int32($0) } ?? -1
    }

    var decision: Decision {
      Decision(
        verdict: isExclusion ? .excluded : .match, entry: Int(entry), rule: rule < 0 ? nil : Int(rule))
    }
  }

  init(_ rules: [CompiledRule]) {
    self.rules = rules
    answers = rules.map(Answer.init)
    var places: [[Int32]] = Array(repeating: [], count: TextForm.count)
    for (place, rule) in rules.enumerated() where !rule.coversNothing {
      places[rule.form.number].append(Int32(place))
    }
    indexes = places.filter { !$0.isEmpty }.map { RuleIndex($0, of: rules) }.sorted { $0.first < $1.first }
  }

  /// The first rule that decides (M4).
  @inline(__always)
  func firstDecisive(_ subject: inout Subject) -> CompiledRule? {
    firstDecisivePlace(&subject).map { rules[$0] }
  }

  /// What the first rule that decides says; nil as well when the subject's work ends.
  @inline(__always)
  func decision(_ subject: inout Subject) -> Decision? {
    firstDecisivePlace(&subject).map { answers[$0].decision }
  }

  /// The place of the first rule that decides; nil as well when the subject's work ends.
  func firstDecisivePlace(_ subject: inout Subject) -> Int? {
    var search = RuleSearch(ruleCount: rules.count)
    // By place: an iterator would count a reference to the array.
    for place in indexes.indices where indexes[place].first < search.best {
      indexes[place].search(&subject, &search)
    }
    return !subject.work.isExhausted && search.best < rules.count ? Int(search.best) : nil
  }

  /// Every rule whose path holds, in no particular order, for a URL that no rule decides. Rules that say the same as an
  /// earlier one may be missing.
  func nearMisses(_ subject: inout Subject) -> [Int] {
    var search = RuleSearch(ruleCount: rules.count)
    search.collectsPaths = true
    for index in indexes { index.search(&subject, &search) }
    return search.paths
  }
}

/// One walk through the indexes of a table.
struct RuleSearch {
  /// The first rule known to decide; the number of rules as long as there is none.
  var best: Int32
  /// Whether every rule is wanted whose path holds, in place of the first that decides.
  var collectsPaths = false
  var paths: [Int] = []

  init(ruleCount: Int) { best = Int32(ruleCount) }
}
