/// The rules of one application in their order, with an index over what their paths must begin with, so that
/// the cost of a decision does not grow with rules that cannot hold.
struct RuleTable: Sendable {
  let rules: [CompiledRule]
  private let index: PrefixIndex
  /// What each rule wants its path to hold, so that most rules that begin with a star are passed over at once.
  private let needs: [PathContent]

  /// Our choice: for fewer candidates it costs more to look at the path beforehand.
  private static let filteredCount = 8

  init(_ rules: [CompiledRule]) {
    self.rules = rules
    index = PrefixIndex(rules.map { $0.form.isAsWritten ? $0.path.literalPrefix : [] })
    needs = rules.map { rule in
      rule.form.isAsWritten
        ? rule.path.forms.map(PathContent.init).reduce(.everything) { $0.intersection($1) } : PathContent()
    }
  }

  /// The first rule that decides (M4).
  func firstDecisive(_ subject: inout Subject) -> CompiledRule? {
    var best = rules.count
    let path = subject.indexPath
    var content: PathContent?
    index.visit(path) { candidates in
      if candidates.count >= Self.filteredCount, content == nil { content = PathContent(path) }
      let content = content ?? .everything
      for candidate in candidates {
        let candidate = Int(candidate)
        if candidate >= best { break }
        if !needs[candidate].isWithin(content) { continue }
        if rules[candidate].firstFailure(&subject) == nil {
          best = candidate
          break
        }
      }
    }
    return best < rules.count ? rules[best] : nil
  }

  /// The place of the first rule that decides, and every rule on the way there whose path holds.
  ///
  /// - Parameter nearMiss: Called with the place of a rule that fails behind its path, in no particular order.
  func firstDecisive(_ subject: inout Subject, nearMiss: (Int) -> Void) -> Int? {
    var best = rules.count
    index.visit(subject.indexPath) { candidates in
      for candidate in candidates {
        let candidate = Int(candidate)
        if candidate >= best { break }
        guard let component = rules[candidate].firstFailure(&subject) else {
          best = candidate
          break
        }
        if component != .path { nearMiss(candidate) }
      }
    }
    return best < rules.count ? best : nil
  }
}

/// The bytes, and the pairs of neighbouring bytes, that a text holds, folded into some bits: what lacks a bit of a pattern's
/// literals is not covered.
private struct PathContent {
  private var bytes: UInt64 = 0
  private var pairs: UInt64 = 0

  static let everything = PathContent(bytes: ~0, pairs: ~0)

  init() {}

  private init(bytes: UInt64, pairs: UInt64) {
    self.bytes = bytes
    self.pairs = pairs
  }

  init(_ text: UnsafeBufferPointer<UInt8>) {
    for byte in text { bytes |= 1 << UInt64(byte & 63) }
    pairs = Pattern.neighbours(in: text)
  }

  /// What every text has that the pattern covers.
  init(_ pattern: Pattern) {
    for case .literal(let literal) in pattern.tokens ?? [] {
      for byte in literal { bytes |= 1 << UInt64(byte & 63) }
    }
    pairs = pattern.neighbours
  }

  func intersection(_ other: PathContent) -> PathContent {
    PathContent(bytes: bytes & other.bytes, pairs: pairs & other.pairs)
  }

  @inline(__always)
  func isWithin(_ text: PathContent) -> Bool { bytes & ~text.bytes == 0 && pairs & ~text.pairs == 0 }
}

/// A radix tree over byte strings, each leading to the numbers of the rules that have it.
struct PrefixIndex: Sendable {
  private struct Node {
    var label: Range<Int>
    var values: Range<Int>
    var children: Range<Int>
  }

  private var nodes: [Node] = []
  private var labels: [UInt8] = []
  private var values: [Int32] = []
  /// For each node the smallest of the values at it and below it.
  private var smallest: [Int32] = []

  init(_ keys: [[UInt8]]) {
    let order = keys.indices.sorted { left, right in
      keys[left] == keys[right] ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    // Breadth first, so that the children of a node lie side by side.
    var queue: [(range: Range<Int>, depth: Int)] = [(order.indices, 0)]
    var next = 0
    while next < queue.count {
      let (range, depth) = queue[next]
      next += 1
      var node = Node(
        label: labels.count..<labels.count, values: values.count..<values.count, children: 0..<0)
      guard !range.isEmpty else {
        nodes.append(node)
        continue
      }
      let first = keys[order[range.lowerBound]]
      let last = keys[order[range.upperBound - 1]]
      var end = depth
      // The root keeps an empty label, so that a text is compared from its first byte in one place.
      if next > 1 { while end < first.count, end < last.count, first[end] == last[end] { end += 1 } }
      labels += first[depth..<end]
      node.label = node.label.lowerBound..<labels.count
      var rest = range.lowerBound
      while rest < range.upperBound, keys[order[rest]].count == end {
        values.append(Int32(order[rest]))
        rest += 1
      }
      node.values = node.values.lowerBound..<values.count
      let firstChild = queue.count
      while rest < range.upperBound {
        let byte = keys[order[rest]][end]
        var stop = rest
        while stop < range.upperBound, keys[order[stop]][end] == byte { stop += 1 }
        queue.append((rest..<stop, end))
        rest = stop
      }
      node.children = firstChild..<queue.count
      nodes.append(node)
    }
    smallest = [Int32](repeating: .max, count: nodes.count)
    // Children come after their parent, so from the back each has its own answer already.
    for (place, node) in nodes.enumerated().reversed() {
      smallest[place] = (Array(values[node.values].prefix(1)) + smallest[node.children]).min() ?? .max
    }
  }

  /// How many bytes the text has in common with the key that begins most like it, and the first of the keys that
  /// have as many; nil without keys.
  func closest(to text: UnsafeBufferPointer<UInt8>) -> (commonBytes: Int, number: Int)? {
    if smallest[0] == .max { return nil }
    var place = 0
    var offset = 0
    while offset < text.count, let child = child(of: nodes[place], beginningWith: text[offset]) {
      place = child
      for byte in labels[nodes[child].label] {
        guard offset < text.count, text[offset] == byte else { return (offset, Int(smallest[place])) }
        offset += 1
      }
    }
    return (offset, Int(smallest[place]))
  }

  /// Calls with the ascending numbers of the rules at every key that the text begins with, shortest first.
  @inline(__always)
  func visit(_ text: UnsafeBufferPointer<UInt8>, _ body: (ArraySlice<Int32>) -> Void) {
    var node = nodes[0]
    var offset = 0
    while true {
      if !node.values.isEmpty { body(values[node.values]) }
      guard offset < text.count, let child = child(of: node, beginningWith: text[offset]) else { return }
      let label = nodes[child].label
      guard text.count - offset >= label.count else { return }
      for index in label where labels[index] != text[offset + index - label.lowerBound] { return }
      offset += label.count
      node = nodes[child]
    }
  }

  @inline(__always)
  private func child(of node: Node, beginningWith byte: UInt8) -> Int? {
    var low = node.children.lowerBound
    var high = node.children.upperBound
    while low < high {
      let middle = (low + high) / 2
      let first = labels[nodes[middle].label.lowerBound]
      if first == byte { return middle }
      if first < byte { low = middle + 1 } else { high = middle }
    }
    return nil
  }
}
