/// Rules whose paths are told apart no further: by the exact values that they want in the query and the fragment.
struct ConditionIndex: Sendable {
  /// Rules without such a condition, ascending.
  private var others: [Int32] = []
  /// What each of ``others`` wants its path to hold; empty for few rules.
  private var needs: [PathContent] = []
  /// Ascending rules by their condition.
  private var byCondition: [UInt64: [Int32]] = [:]
  /// All of them; empty for few rules.
  private var rules: [Int32] = []

  /// - Parameter numbers: Ascending.
  init(_ numbers: [Int32], of rules: [CompiledRule]) {
    guard numbers.count > RuleIndex.fewRules else {
      others = numbers
      return
    }
    self.rules = numbers
    var seen: Set<RuleSettings> = []
    for number in numbers {
      let rule = rules[Int(number)]
      // What an earlier rule says as well never decides.
      var settings = rule.settings
      settings.exclude = nil
      if !seen.insert(settings).inserted { continue }
      if let condition = rule.exactCondition {
        byCondition[condition, default: []].append(number)
      } else {
        others.append(number)
        needs.append(PathContent(rule.path))
      }
    }
  }

  func look(_ walk: PartWalk, _ subject: inout Subject, _ search: inout RuleSearch) {
    if search.collectsPaths, !rules.isEmpty {
      for number in rules { _ = search.look(at: number, &subject, path: walk.path) }
      return
    }
    if needs.isEmpty {
      for number in others where search.look(at: number, &subject, path: walk.path) { break }
    } else {
      for place in others.indices where needs[place].isWithin(walk.content) {
        if search.look(at: others[place], &subject, path: walk.path) { break }
      }
    }
    if byCondition.isEmpty { return }
    for condition in subject.conditions(in: search.rules[Int(rules[0])].form) {
      for number in byCondition[condition] ?? []
      where search.look(at: number, &subject, path: walk.path) { break }
    }
  }
}

/// An exact condition as a number; two conditions may share one, since the rule is compared in full afterwards.
enum ConditionNumber {
  static func item(name: some Sequence<UInt8>, value: some Sequence<UInt8>) -> UInt64 {
    var number = number(name, from: 0xCBF2_9CE4_8422_2325)
    number = Self.number(CollectionOfOne(UInt8(ascii: "=")), from: number)
    return Self.number(value, from: number)
  }

  static func query(_ text: some Sequence<UInt8>) -> UInt64 { number(text, from: 0x84_2223_25CB_F29C) }

  static func fragment(_ text: some Sequence<UInt8>) -> UInt64 { number(text, from: 0x9E37_79B9_7F4A_7C15) }

  /// Fowler, Noll and Vo's hash.
  private static func number(_ bytes: some Sequence<UInt8>, from start: UInt64) -> UInt64 {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension CompiledRule {
  /// A condition that every URL meets for which the rule holds: an item, the query or the fragment with one exact text.
  var exactCondition: UInt64? {
    switch query {
    case .anything: break
    case .whole(let pattern):
      if let text = pattern.onlyText { return ConditionNumber.query(text) }
    case .items(let items):
      for item in items {
        guard let text = item.pattern.onlyText, !text.isEmpty else { continue }
        return ConditionNumber.item(name: item.name, value: text)
      }
    }
    return fragment?.onlyText.map { ConditionNumber.fragment($0) }
  }
}
