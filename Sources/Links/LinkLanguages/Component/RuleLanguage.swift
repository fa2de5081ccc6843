/// In which form a text is compared.
package struct TextReading: Hashable, Sendable {
  package let foldsCase: Bool
  package let decodesEscapes: Bool

  package init(foldsCase: Bool, decodesEscapes: Bool) {
    self.foldsCase = foldsCase
    self.decodesEscapes = decodesEscapes
  }

  static let all = [
    TextReading(foldsCase: false, decodesEscapes: false), TextReading(foldsCase: true, decodesEscapes: false),
    TextReading(foldsCase: false, decodesEscapes: true), TextReading(foldsCase: true, decodesEscapes: true),
  ]

  /// Its place in ``all``.
  var index: Int { (foldsCase ? 1 : 0) + (decodesEscapes ? 2 : 0) }
}

/// What a rule demands of the query.
package enum QueryAutomaton {
  case whole(TextAutomaton)
  case items(ItemsAutomaton)

  var start: Int32 {
    switch self {
    case .whole(let text): text.start
    case .items(let items): items.start
    }
  }

  func accepts(_ state: Int32) -> Bool {
    switch self {
    case .whole(let text): text.accepts(state)
    case .items(let items): items.accepts(state)
    }
  }

  func isUniversal(_ state: Int32) -> Bool {
    if case .whole(let text) = self { text.isUniversal(state) } else { false }
  }

  /// How many items or texts a state of it is made of.
  var width: Int { if case .items(let items) = self { items.count } else { 1 } }

  func takeWork() -> Int {
    switch self {
    case .whole(let text): text.takeWork()
    case .items(let items): items.takeWork()
    }
  }

  func distinguished(at state: Int32) -> ScalarSet {
    switch self {
    case .whole(let text): text.distinguished(at: state)
    case .items(let items): items.distinguished(at: state)
    }
  }
}

/// The URLs one rule holds for: path × query × fragment, all in one reading.
package final class RuleLanguage {
  /// The place of its reading in ``TextReading/all``.
  let readingIndex: Int
  package let path: PathAutomaton
  /// nil: any.
  package let query: QueryAutomaton?
  /// nil: any.
  package let fragment: TextAutomaton?
  package let names: NamedScalars

  package init(
    reading: TextReading, path: PathAutomaton, query: QueryAutomaton?, fragment: TextAutomaton?,
    names: NamedScalars
  ) {
    readingIndex = reading.index
    self.path = path
    self.query = query
    self.fragment = fragment
    self.names = names
  }

  /// What steps cost, in positions, since this was asked last.
  func takeWork() -> Int { path.takeWork() + (query?.takeWork() ?? 0) + (fragment?.takeWork() ?? 0) }

  /// Whether it holds for a URL without a query, or one without a fragment, if the rest fits.
  private(set) lazy var allowsNoQuery = query.map { $0.accepts($0.start) } ?? true
  private(set) lazy var allowsNoFragment = fragment.map { $0.accepts($0.start) } ?? true

  /// Whether its path alone decides.
  var isPathOnly: Bool { query == nil && fragment == nil }
}
