/// A URL cut into what routes look at: places in its bytes.
struct LinkInput {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The segments of the path without trailing slashes; one more than any template has stands for all further ones.
  let segments: UnsafeBufferPointer<Range<Int>>
  let pathEnd: Int
  let query: Range<Int>
  let fragment: Range<Int>

  /// Calls the closure for each value of an item of the query; false ends the walk.
  @inline(__always)
  func forEachValue(of name: String, _ body: (Range<Int>) -> Bool) {
    guard !query.isEmpty else { return }
    var start = query.lowerBound
    while start <= query.upperBound {
      var end = start
      var equals = -1
      while end < query.upperBound, bytes[end] != UInt8(ascii: "&") {
        if equals < 0, bytes[end] == UInt8(ascii: "=") { equals = end }
        end += 1
      }
      let nameEnd = equals < 0 ? end : equals
      if RoutePattern.isEqual(name, bytes, start..<nameEnd), !body(min(nameEnd + 1, end)..<end) { return }
      start = end + 1
    }
  }

  /// Whether query and fragment have what the pattern requires. A name that is there several times must have a good value
  /// each time, as for an association file.
  func satisfiesConditions(of pattern: RoutePattern) -> Bool {
    for item in pattern.query where item.condition.isRequired {
      var found = false
      var holds = true
      forEachValue(of: item.name) { range in
        found = true
        holds = item.condition.holds(bytes, range)
        return holds
      }
      guard found, holds else { return false }
    }
    if let fragment = pattern.fragment, fragment.isRequired {
      return fragment.holds(bytes, self.fragment)
    }
    return true
  }
}

/// Paths of many routes as one tree: a look-up costs the segments of the URL, not the number of routes.
struct RouteTrie: Sendable {
  private struct Literal: Sendable {
    var text: [UInt8]
    /// The first bytes as one number, which settles most comparisons.
    var head: UInt64
    var child: Int
  }

  /// The first eight bytes, those that are missing as 0: equal lengths sort as their bytes do.
  @inline(__always)
  private static func head(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UInt64 {
    var head: UInt64 = 0
    let end = min(range.upperBound, range.lowerBound + 8)
    for index in range.lowerBound..<end { head = head << 8 | UInt64(bytes[index]) }
    return head << UInt64((8 - (end - range.lowerBound)) * 8)
  }

  private struct Branch: Sendable {
    /// One, or several that share the segment.
    var parameters: [RoutePattern.Parameter]
    var prefix: [UInt8]
    var suffix: [UInt8]
    var child: Int
  }

  /// One route that ends at a node.
  private struct End: Sendable {
    var route: Int
    /// Nil when the path alone decides.
    var conditions: RoutePattern?
  }

  private struct Node: Sendable {
    /// By length, then by bytes.
    var literals: [Literal] = []
    var branches: [Branch] = []
    var ends: [End] = []
    var rests: [End] = []
    /// The first route below, so that later ones are not looked for in vain.
    var first = Int.max
  }

  private var nodes = [Node()]

  /// - Parameter isIncluded: Whether the tree has the route of that number.
  init(_ patterns: [RoutePattern], where isIncluded: (Int) -> Bool) {
    for (route, pattern) in patterns.enumerated() where isIncluded(route) { insert(pattern, route) }
  }

  private mutating func insert(_ pattern: RoutePattern, _ route: Int) {
    var node = 0
    nodes[0].first = min(nodes[0].first, route)
    for segment in pattern.segments {
      let next = child(of: node, segment)
      nodes[next].first = min(nodes[next].first, route)
      node = next
    }
    let isConditional =
      pattern.query.contains(where: \.condition.isRequired) || pattern.fragment?.isRequired == true
    let end = End(route: route, conditions: isConditional ? pattern : nil)
    if pattern.rest == .none { nodes[node].ends.append(end) } else { nodes[node].rests.append(end) }
  }

  private mutating func child(of node: Int, _ segment: RoutePattern.Segment) -> Int {
    switch segment {
    case .literal(let text):
      let bytes = Array(text.utf8)
      let place = Self.place(of: bytes, in: nodes[node].literals)
      if place < nodes[node].literals.count, nodes[node].literals[place].text == bytes {
        return nodes[node].literals[place].child
      }
      let head = bytes.withUnsafeBufferPointer { Self.head($0, 0..<$0.count) }
      nodes[node].literals.insert(Literal(text: bytes, head: head, child: nodes.count), at: place)
    case .parameters(let parameters):
      let known = nodes[node].branches.first { branch in
        branch.parameters.count == parameters.count
          && zip(branch.parameters, parameters).allSatisfy {
            $0.prefix == $1.prefix && $0.suffix == $1.suffix && $0.expression == $1.expression
          }
      }
      if let known { return known.child }
      nodes[node].branches.append(
        Branch(
          parameters: parameters, prefix: Array(parameters[0].prefix.utf8),
          suffix: Array(parameters[parameters.count - 1].suffix.utf8), child: nodes.count))
    }
    nodes.append(Node())
    return nodes.count - 1
  }

  private static func place(of text: [UInt8], in literals: [Literal]) -> Int {
    var low = 0
    var high = literals.count
    while low < high {
      let middle = (low + high) / 2
      let other = literals[middle].text
      let isBefore =
        other.count == text.count ? other.lexicographicallyPrecedes(text) : other.count < text.count
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The first route that holds, in the order of declaration.
  func route(for input: LinkInput) -> Int? {
    var best = Int.max
    nodes.withUnsafeBufferPointer { Self.search($0, 0, 0, input, &best) }
    return best == .max ? nil : best
  }

  private static func search(
    _ nodes: UnsafeBufferPointer<Node>, _ number: Int, _ depth: Int, _ input: LinkInput, _ best: inout Int
  ) {
    guard nodes[number].first < best else { return }
    if depth == input.segments.count { take(nodes[number].ends, input, &best) }
    if !nodes[number].rests.isEmpty { take(nodes[number].rests, input, &best) }
    guard depth < input.segments.count else { return }
    let range = input.segments[depth]
    if !nodes[number].literals.isEmpty, let child = child(in: nodes[number].literals, input.bytes, range) {
      search(nodes, child, depth + 1, input, &best)
    }
    for index in nodes[number].branches.indices
    where holds(nodes[number].branches[index], input.bytes, range) {
      search(nodes, nodes[number].branches[index].child, depth + 1, input, &best)
    }
  }

  @inline(__always)
  private static func take(_ ends: [End], _ input: LinkInput, _ best: inout Int) {
    for index in ends.indices where ends[index].route < best {
      if let conditions = ends[index].conditions, !input.satisfiesConditions(of: conditions) { continue }
      best = ends[index].route
      break
    }
  }

  @inline(__always)
  private static func holds(
    _ branch: Branch, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> Bool {
    guard branch.parameters.count == 1 else {
      return RoutePattern.split(branch.parameters, bytes, range) != nil
    }
    let low = range.lowerBound + branch.prefix.count
    let high = range.upperBound - branch.suffix.count
    guard low < high else { return false }
    for index in branch.prefix.indices where bytes[range.lowerBound + index] != branch.prefix[index] {
      return false
    }
    for index in branch.suffix.indices where bytes[high + index] != branch.suffix[index] { return false }
    return branch.parameters[0].matches(bytes, low..<high)
  }

  private static func child(
    in literals: [Literal], _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> Int? {
    let head = head(bytes, range)
    var low = 0
    var high = literals.count
    while low < high {
      let middle = (low + high) / 2
      let order = compare(literals[middle], head, bytes, range)
      if order == 0 { return literals[middle].child }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  @inline(__always)
  private static func compare(
    _ literal: Literal, _ head: UInt64, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) -> Int {
    if literal.text.count != range.count { return literal.text.count - range.count }
    if literal.head != head { return literal.head < head ? -1 : 1 }
    guard range.count > 8 else { return 0 }
    for index in 8..<range.count {
      let difference = Int(literal.text[index]) - Int(bytes[range.lowerBound + index])
      if difference != 0 { return difference }
    }
    return 0
  }
}
