internal import AppLifecycle
internal import Handoff
import LinkspanStories

/// What came of a step on one device, by the names that expectations use.
struct ContinuityFacts {
  /// In the order they are told.
  private(set) var values: [ContinuityFact] = []
  /// Why it came so, as clauses.
  var reasons: [String] = []
  /// What would help, as a sentence.
  var change: String?

  mutating func set(_ name: ContinuityFact.Name, _ value: String) {
    values.removeAll { $0.name == name }
    values.append(ContinuityFact(name, value))
  }

  subscript(_ name: ContinuityFact.Name) -> String? { values.first { $0.name == name }?.value }

  mutating func add(_ arrival: Arrival) {
    set(.deliveries, "\(arrival.deliveries)")
    set(.handled, "\(arrival.handled)")
    set(.problem, arrival.problems.first?.rawValue ?? "none")
    reasons += arrival.problems.map(\.cause)
    change = arrival.problems.first?.help ?? change
  }

  /// What the library made of an arrival takes the place of what other code would have.
  mutating func add(_ outcome: LibraryApp.Outcome, isRefused: Bool) {
    set(.shows, outcome.shows)
    guard !isRefused else { return }
    set(.handled, "\(outcome.places.count)")
    set(.problem, outcome.places.count > 1 ? ArrivalProblem.handledTwice.rawValue : "none")
    reasons = outcome.deeds.compactMap { $0.what == "handled" ? nil : $0.detail }
    change = nil
  }

  /// Whether everything expected came so. A fact with several names, as of obstacles, holds for each of them.
  func hold(_ expected: [ContinuityFact]) -> Bool {
    expected.allSatisfy { fact in
      (self[fact.name] ?? "").split(separator: " ").contains(Substring(fact.value))
        || self[fact.name] == fact.value
    }
  }

  /// Those worth telling, in the order of their names' table.
  var told: [ContinuityFact] {
    ContinuityFact.Name.allCases.compactMap { name in
      values.first { $0.name == name && ($0.name != .because || $0.value != "none") }
    }
  }

  static func words(_ facts: [ContinuityFact]) -> String {
    facts.map { "\($0.name.rawValue) \($0.value)" }.joined(separator: ", ")
  }
}
