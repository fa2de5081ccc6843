/// What a walk through tries knows of the path.
struct PartWalk {
  let path: UnsafeBufferPointer<UInt8>
  let content: PathContent
  /// Made when the first trie asks for it; nil for a path that is too long.
  var places: LiteralPlaces?

  init(path: UnsafeBufferPointer<UInt8>, content: PathContent) {
    self.path = path
    self.content = content
  }
}

/// Rules whose paths begin and end alike, told apart by the literals between, which a path must have in their order: each at
/// the first place behind the one before, which leaves the most for the rest.
struct PartTrie: Sendable {
  struct Entry {
    var rule: Int32
    /// The numbers of the literals.
    var parts: [Int32]
  }

  private struct Node: Sendable {
    /// The first rule here and below.
    var first: Int32 = .max
    /// Rules that need no further literal.
    var ended: ConditionIndex?
    /// Few rules that need further literals.
    var tails: Range<Int> = 0..<0
    var children: Range<Int> = 0..<0
  }

  private struct Tail: Sendable {
    var rule: Int32
    var parts: Range<Int>
  }

  /// The first of its rules.
  let first: Int32
  private let prefixLength: Int
  private var nodes: [Node] = []
  private var tails: [Tail] = []
  private var tailParts: [Int32] = []
  /// The literals that lead to the children of a node, ascending, and where they lead.
  private var childParts: [Int32] = []
  private var childNodes: [Int32] = []
  /// Every rule, for paths in which no literals were looked for.
  private let all: ConditionIndex

  /// Whether literals tell rules apart here.
  var hasParts: Bool { !childParts.isEmpty || !tailParts.isEmpty }

  /// - Parameter entries: In the order of their rules; one at least.
  init(_ entries: [Entry], prefixLength: Int, of rules: [CompiledRule]) {
    first = entries[0].rule
    self.prefixLength = prefixLength
    all = ConditionIndex(entries.map(\.rule), of: rules)
    _ = add(entries, depth: 0, rules)
  }

  private mutating func add(_ entries: [Entry], depth: Int, _ rules: [CompiledRule]) -> Int32 {
    let place = nodes.count
    nodes.append(Node(first: entries[0].rule))
    let ended = entries.filter { $0.parts.count == depth }
    if !ended.isEmpty { nodes[place].ended = ConditionIndex(ended.map(\.rule), of: rules) }
    let rest = entries.filter { $0.parts.count > depth }
    if rest.isEmpty { return Int32(place) }
    let byPart = Dictionary(grouping: rest) { $0.parts[depth] }
    if rest.count <= RuleIndex.fewRules {
      let start = tails.count
      for entry in rest {
        let startOfParts = tailParts.count
        tailParts += entry.parts[depth...]
        tails.append(Tail(rule: entry.rule, parts: startOfParts..<tailParts.count))
      }
      nodes[place].tails = start..<tails.count
      return Int32(place)
    }
    let start = childParts.count
    let parts = byPart.keys.sorted()
    childParts += parts
    childNodes += parts.map { _ in -1 }
    nodes[place].children = start..<childParts.count
    for (offset, part) in parts.enumerated() {
      childNodes[start + offset] = add(byPart[part]!, depth: depth + 1, rules)
    }
    return Int32(place)
  }

  func look(
    _ walk: inout PartWalk, _ scanner: LiteralScanner, _ subject: inout Subject, _ search: inout RuleSearch
  ) {
    guard hasParts, walk.places != nil else {
      all.look(walk, &subject, &search)
      return
    }
    look(at: 0, from: prefixLength, walk, walk.places!, scanner, &subject, &search)
  }

  private func look(
    at number: Int, from offset: Int, _ walk: PartWalk, _ places: borrowing LiteralPlaces,
    _ scanner: LiteralScanner, _ subject: inout Subject, _ search: inout RuleSearch
  ) {
    let node = nodes[number]
    if node.first >= search.best { return }
    node.ended?.look(walk, &subject, &search)
    for tail in tails[node.tails] where tail.rule < search.best {
      var end: Int? = offset
      for part in tailParts[tail.parts] {
        guard let from = end else { break }
        end = places.first(part, from: from).map { $0 + scanner.length(of: part) }
      }
      if end != nil, search.look(at: tail.rule, &subject, path: walk.path) { break }
    }
    if node.children.count <= places.literals.count {
      for child in node.children {
        let part = childParts[child]
        guard let start = places.first(part, from: offset) else { continue }
        look(
          at: Int(childNodes[child]), from: start + scanner.length(of: part), walk, places, scanner, &subject,
          &search)
      }
    } else {
      for row in places.literals.indices {
        let part = places.literals[row]
        guard let child = child(part, of: node), let start = places.first(inRow: row, from: offset) else {
          continue
        }
        look(
          at: Int(childNodes[child]), from: start + scanner.length(of: part), walk, places, scanner, &subject,
          &search)
      }
    }
  }

  @inline(__always)
  private func child(_ part: Int32, of node: Node) -> Int? {
    var low = node.children.lowerBound
    var high = node.children.upperBound
    while low < high {
      let middle = (low + high) / 2
      if childParts[middle] == part { return middle }
      if childParts[middle] < part { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
