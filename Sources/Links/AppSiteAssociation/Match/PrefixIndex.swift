internal import LinkspanCore

/// A radix tree over byte strings, each leading to the numbers of the keys that are equal to it.
struct PrefixIndex: Sendable {
  private struct Node {
    var firstLabel: Int32
    var labelCount: Int32 = 0
    /// In ``values``; where there is one value, that itself, which spares a look at another place of memory.
    var firstValue: Int32
    var valueCount: Int32 = 0
    var firstChild: Int32 = 0
    /// Where its part of ``branches`` begins, with one for each byte between the two.
    var firstBranch: Int32 = 0
    var lowestByte: UInt8 = 1
    var highestByte: UInt8 = 0
    var childCount: UInt16 = 0

    var label: Range<Int> { Int(firstLabel)..<Int(firstLabel + labelCount) }
    var children: Range<Int> { Int(firstChild)..<Int(firstChild) + Int(childCount) }
  }

  private var nodes: [Node] = []
  /// For each node the smallest of the values there and below; apart, since most walks do not ask.
  private var smallest: [Int32] = []
  private var labels: [UInt8] = []
  private var values: [Int32] = []
  /// By the first byte of a label, the place of a child among its siblings; ``noChild`` where there is none.
  private var branches: [UInt16] = []

  private static let noChild = UInt16.max

  /// - Parameter numbers: Of the keys, those of equal keys ascending; nil for their places.
  init(_ keys: [[UInt8]], numbers: [Int32]? = nil) {
    let order = keys.indices.sorted { left, right in
      keys[left] == keys[right] ? left < right : keys[left].lexicographicallyPrecedes(keys[right])
    }
    // Breadth first, so that the children of a node lie side by side.
    var queue: [(range: Range<Int>, depth: Int)] = [(order.indices, 0)]
    var next = 0
    while next < queue.count {
      let (range, depth) = queue[next]
      next += 1
      var node = Node(firstLabel: Int32(labels.count), firstValue: Int32(values.count))
      guard !range.isEmpty else {
        nodes.append(node)
        smallest.append(.max)
        continue
      }
      let first = keys[order[range.lowerBound]]
      let last = keys[order[range.upperBound - 1]]
      var end = depth
      // The root keeps an empty label, so that a text is compared from its first byte in one place.
      if next > 1 { while end < first.count, end < last.count, first[end] == last[end] { end += 1 } }
      labels += first[depth..<end]
      node.labelCount = Int32(end - depth)
      var rest = range.lowerBound
      while rest < range.upperBound, keys[order[rest]].count == end {
        values.append(numbers?[order[rest]] ?? Int32(order[rest]))
        rest += 1
      }
      node.valueCount = Int32(values.count) - node.firstValue
      smallest.append(node.valueCount > 0 ? values[Int(node.firstValue)] : .max)
      if node.valueCount == 1 { node.firstValue = values.removeLast() }
      node.firstChild = Int32(queue.count)
      node.firstBranch = Int32(branches.count)
      if rest < range.upperBound {
        node.lowestByte = keys[order[rest]][end]
        node.highestByte = last[end]
        branches += repeatElement(Self.noChild, count: Int(node.highestByte - node.lowestByte) + 1)
      }
      while rest < range.upperBound {
        let byte = keys[order[rest]][end]
        var stop = rest
        while stop < range.upperBound, keys[order[stop]][end] == byte { stop += 1 }
        queue.append((rest..<stop, end))
        branches[Int(node.firstBranch) + Int(byte - node.lowestByte)] = node.childCount
        node.childCount += 1
        rest = stop
      }
      nodes.append(node)
    }
    // Children come after their parent, so from the back each has its own answer already.
    for place in nodes.indices.reversed() {
      for child in nodes[place].children { smallest[place] = min(smallest[place], smallest[child]) }
    }
  }

  /// How many bytes the text has in common with the key that begins most like it, and the first of the keys that
  /// have as many; nil without keys.
  func closest(to text: UnsafeBufferPointer<UInt8>) -> (commonBytes: Int, number: Int)? {
    if smallest[0] == .max { return nil }
    var place = 0
    var offset = 0
    while offset < text.count,
      let child = branches.withUnsafeBufferPointer({
        Self.child(of: nodes[place], beginningWith: text[offset], $0)
      })
    {
      place = child
      for byte in labels[nodes[child].label] {
        guard offset < text.count, text[offset] == byte else { return (offset, Int(smallest[place])) }
        offset += 1
      }
    }
    return (offset, Int(smallest[place]))
  }

  /// Calls with the ascending numbers of the keys that the text begins with and with their length, shortest key first.
  ///
  /// - Returns: How many bytes of the text were compared.
  @discardableResult
  @inline(__always)
  func visit(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<Int32>, _ length: Int) -> Void
  ) -> Int {
    var offset = 0
    nodes.withUnsafeBufferPointer { nodes in
      labels.withUnsafeBufferPointer { labels in
        branches.withUnsafeBufferPointer { branches in
          var place = 0
          while true {
            if nodes[place].valueCount > 0 {
              withValues(of: nodes[place]) { body($0, offset) }
            }
            guard offset < text.count,
              let child = Self.child(of: nodes[place], beginningWith: text[offset], branches)
            else { return }
            let label = UnsafeBufferPointer(rebasing: labels[nodes[child].label])
            let start = offset
            guard text.count - offset >= label.count else { return }
            // The first byte led here; seldom is there another.
            if label.count > 1, !text.holds(label, at: offset) {
              while label[offset - start] == text[offset] { offset += 1 }
              return
            }
            offset += label.count
            place = child
          }
        }
      }
    }
    return offset
  }

  @inline(__always)
  private func withValues(of node: Node, _ body: (UnsafeBufferPointer<Int32>) -> Void) {
    withUnsafePointer(to: node.firstValue) { only in
      values.withUnsafeBufferPointer { values in
        let start = node.valueCount == 1 ? only : values.baseAddress! + Int(node.firstValue)
        body(UnsafeBufferPointer(start: start, count: Int(node.valueCount)))
      }
    }
  }

  @inline(__always)
  private static func child(
    of node: Node, beginningWith byte: UInt8, _ branches: UnsafeBufferPointer<UInt16>
  ) -> Int? {
    guard byte >= node.lowestByte, byte <= node.highestByte else { return nil }
    let place = branches[Int(node.firstBranch) + Int(byte - node.lowestByte)]
    return place == noChild ? nil : Int(node.firstChild) + Int(place)
  }
}
