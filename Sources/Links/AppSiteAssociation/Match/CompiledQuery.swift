internal import LinkspanCore

/// What a rule says of the query.
enum CompiledQuery: Sendable {
  case anything
  case whole(Pattern)
  case items(QueryItems)

  @inline(__always)
  func holds(_ subject: inout Subject, form: TextForm) -> Bool {
    switch self {
    case .anything: true
    case .whole(let pattern): subject.queryHolds(pattern, in: form)
    case .items(let items):
      items.coversEverything
        || items.list.allSatisfy { subject.itemsHold(named: $0.name, in: form, $0.pattern) }
    }
  }
}

/// A pattern for each of some items: one object for all rules of a matcher that say the same, since a file's `defaults` give
/// thousands of rules thousands of items.
final class QueryItems: Sendable {
  let list: [(name: [UInt8], pattern: Pattern)]
  let coversEverything: Bool
  /// Whether a pattern of it can never match (S6).
  let coversNothing: Bool
  let usesVariables: Bool

  fileprivate init(_ items: [QueryPattern.Item], _ compiler: PatternCompiler) {
    list = items.map { item in
      let name = Array(item.name.utf8)
      return (
        compiler.form.isCaseSensitive ? name : CaseFolding.fold(name),
        compiler.compile(Array(item.pattern.utf8))
      )
    }
    coversEverything = list.allSatisfy { $0.pattern.coversEverything }
    coversNothing = list.contains { $0.pattern.isNothing }
    usesVariables = items.contains { $0.pattern.contains("$(") }
  }
}

/// Compiles the queries of one file's rules, each once.
final class QueryCompiler {
  private struct Key: Hashable {
    var items: [QueryPattern.Item]
    var form: Int
  }

  private var known: [Key: QueryItems] = [:]
  /// For each form of text the one that was asked for last: rules that take it from `defaults` share its storage, so that
  /// comparing costs nothing where hashing would cost as much as compiling.
  private var last: [(items: [QueryPattern.Item], compiled: QueryItems)?] = Array(
    repeating: nil, count: TextForm.count)

  func compile(_ query: QueryPattern?, _ compiler: PatternCompiler) -> CompiledQuery {
    switch query {
    case nil, .ignored: return .anything
    case .whole(let text): return .whole(compiler.compile(Array(text.utf8)))
    case .items(let items):
      let form = compiler.form.number
      if let last = last[form], last.items == items { return .items(last.compiled) }
      let key = Key(items: items, form: form)
      let compiled = known[key] ?? QueryItems(items, compiler)
      known[key] = compiled
      last[form] = (items, compiled)
      return .items(compiled)
    }
  }
}
