internal import LinkLanguages
internal import LinkspanCore

/// Searches two files for URLs that two apps match in both and that another one of them opens, as the order of entries says
/// (J12). Apps that stand in the same entry have no order.
struct PrecedenceSearch {
  let old: AssociationMatcher
  let new: AssociationMatcher
  let host: String
  let languages: RuleLanguages
  let limits: FileComparison.Limits

  struct Outcome {
    var changes: [FileComparison.PrecedenceChange] = []
    var undecided: [String] = []
    /// Whether the number of changes ended the search.
    var isCutShort = false
  }

  /// - Parameter wanted: Only pairs with one of these apps; empty for all.
  func run(_ wanted: [String], _ budget: inout WorkBudget) -> Outcome {
    var outcome = Outcome()
    guard old.applications.count > 1, new.applications.count > 1 else { return outcome }
    let apps = representatives()
    for second in apps.indices {
      for first in apps.indices.prefix(second)
      where wanted.isEmpty || wanted.contains(apps[first].name) || wanted.contains(apps[second].name) {
        guard outcome.changes.count < limits.changes else {
          outcome.isCutShort = true
          return outcome
        }
        compare(apps[first], apps[second], &budget, &outcome)
      }
    }
    return outcome
  }

  private struct App {
    let name: String
    let old: [CompiledRule]
    let new: [CompiledRule]
  }

  /// The apps of both files; of several with the same rules in both the first one, since they compete with others alike.
  private func representatives() -> [App] {
    var seen: Set<[Int]> = []
    return old.applications.filter { new.names($0) }.compactMap { name in
      guard let before = old.tableNumbers(of: name), let after = new.tableNumbers(of: name),
        seen.insert(before + [-1] + after).inserted
      else { return nil }
      return App(name: name, old: old.rules(of: name) ?? [], new: new.rules(of: name) ?? [])
    }
  }

  private func compare(
    _ first: App, _ second: App, _ budget: inout WorkBudget, _ outcome: inout Outcome
  ) {
    let before = Order(first.old, second.old)
    let after = Order(first.new, second.new)
    guard before != after, before.mayFlip(to: after) else { return }
    let lists = [first.old, second.old, first.new, second.new].map { RuleList($0, languages) }
    let elements = lists.flatMap { $0.elements }
    let rules = lists.flatMap { $0.rules }
    var start = 0
    let numbers = lists.map { list -> [Int] in
      defer { start += list.elements.count }
      return Array(start..<(start + list.elements.count))
    }
    var found: FileComparison.PrecedenceChange?
    let ending = languages.search(elements.map { $0.language }).run(
      numbers, budget: &budget,
      canMatter: { prospect in
        numbers.indices.allSatisfy { prospect.rules($0).contains { !elements[$0].isExclusion } }
      },
      visit: { deciding, url in
        let places = deciding.compactMap { $0 }
        guard places.count == numbers.count, places.allSatisfy({ !elements[$0].isExclusion }) else {
          return .goOn
        }
        let entries = places.map { rules[$0].entry }
        let (was, now) = ((entries[0] - entries[1]).signum(), (entries[2] - entries[3]).signum())
        guard was * now < 0 else { return .goOn }
        let change = FileComparison.PrecedenceChange(
          url: "https://\(host)\(url())", old: was < 0 ? first.name : second.name,
          new: now < 0 ? first.name : second.name)
        guard shows(change) else { return .goOn }
        found = change
        return .stop
      })
    if let found {
      outcome.changes.append(found)
    } else if ending == .budgetExceeded {
      outcome.undecided.append(
        "which of \(first.name) and \(second.name) opens what both match, as their entries have another order"
      )
    }
  }

  /// Whether the matchers decide the URL of a change so.
  func shows(_ change: FileComparison.PrecedenceChange) -> Bool {
    let url = LinkURL(change.url)
    func entry(_ matcher: AssociationMatcher, _ app: String) -> Int? {
      let decision = matcher.decide(url, app: app, host: .exactly(host))
      return decision.verdict == .match ? decision.entry : nil
    }
    guard let before = entry(old, change.old), let after = entry(new, change.new),
      let other = entry(old, change.new), let rest = entry(new, change.old)
    else { return false }
    return before < other && after < rest
  }

  /// The rules of two apps in the order of their entries.
  private struct Order: Equatable {
    private struct Rule: Equatable {
      var isFirst: Bool
      /// Counts the entries of the two.
      var entry: Int
      var settings: RuleSettings
    }

    private let rules: [Rule]
    private var matching: [Rule] { rules.filter { !($0.settings.exclude ?? false) } }

    init(_ first: [CompiledRule], _ second: [CompiledRule]) {
      let entries = Set((first + second).map { $0.entry }).sorted()
      let places = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1, $0) })
      func own(_ rules: [CompiledRule], _ isFirst: Bool) -> [Rule] {
        rules.map { Rule(isFirst: isFirst, entry: places[$0.entry] ?? 0, settings: $0.settings) }
      }
      rules = own(first, true) + own(second, false)
    }

    /// Whether some rule of one app may come before some of the other here, and behind some there.
    func mayFlip(to other: Order) -> Bool {
      puts(true) && other.puts(false) || puts(false) && other.puts(true)
    }

    /// Whether the first app, or else the second, has a rule before one of the other's.
    private func puts(_ isFirst: Bool) -> Bool {
      let own = matching.lazy.filter { $0.isFirst == isFirst }.map { $0.entry }.min()
      let others = matching.lazy.filter { $0.isFirst != isFirst }.map { $0.entry }.max()
      guard let own, let others else { return false }
      return own < others
    }
  }
}
