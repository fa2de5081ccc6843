/// A radix tree over byte strings, each leading to the numbers of the keys that are equal to it.
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

  /// Calls with the ascending numbers of the keys that the text begins with, shortest key first.
  @inline(__always)
  func visit(_ text: UnsafeBufferPointer<UInt8>, _ body: (ArraySlice<Int32>) -> Void) {
    visit(count: text.count, byte: { text[$0] }, body)
  }

  /// The same for a text that is read from its end.
  @inline(__always)
  func visitBackwards(_ text: UnsafeBufferPointer<UInt8>, _ body: (ArraySlice<Int32>) -> Void) {
    let last = text.count - 1
    visit(count: text.count, byte: { text[last - $0] }, body)
  }

  @inline(__always)
  private func visit(count: Int, byte: (Int) -> UInt8, _ body: (ArraySlice<Int32>) -> Void) {
    var node = nodes[0]
    var offset = 0
    while true {
      if !node.values.isEmpty { body(values[node.values]) }
      guard offset < count, let child = child(of: node, beginningWith: byte(offset)) else { return }
      let label = nodes[child].label
      guard count - offset >= label.count else { return }
      for index in label where labels[index] != byte(offset + index - label.lowerBound) { return }
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
