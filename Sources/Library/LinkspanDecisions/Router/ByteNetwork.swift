/// Several expressions as one automaton, whose ends carry labels.
struct ByteNetwork {
  private struct Edge {
    var set: ByteSet
    var target: Int32
  }

  private var edges: [[Edge]] = []
  private var silent: [[Int32]] = []
  private var labels: [[Int]] = []
  private var starts: [Int32] = []
  private var sets: Set<ByteSet> = []
  /// For each position what is reached without a byte, made once all expressions are in.
  private var reach: [[Int32]] = []

  /// - Parameter expressions: Labelled by their places.
  init(_ expressions: [PathExpression]) {
    for (label, expression) in expressions.enumerated() { add(expression, label: label) }
    reach = silent.indices.map { closure([Int32($0)]) }
  }

  private mutating func position() -> Int32 {
    edges.append([])
    silent.append([])
    labels.append([])
    return Int32(edges.count - 1)
  }

  private mutating func add(_ expression: PathExpression, label: Int) {
    let start = position()
    starts.append(start)
    labels[Int(add(expression, from: start))].append(label)
  }

  /// - Returns: The position behind the expression.
  private mutating func add(_ expression: PathExpression, from place: Int32) -> Int32 {
    switch expression {
    case .set(let set):
      let next = position()
      edges[Int(place)].append(Edge(set: set, target: next))
      sets.insert(set)
      return next
    case .sequence(let parts):
      return parts.reduce(place) { add($1, from: $0) }
    case .choice(let parts):
      let next = position()
      for part in parts {
        let root = position()
        silent[Int(place)].append(root)
        let end = add(part, from: root)
        silent[Int(end)].append(next)
      }
      return next
    case .repeated(let part, let least, let most):
      var end = place
      for _ in 0..<least { end = add(part, from: end) }
      let next = position()
      silent[Int(end)].append(next)
      if let most {
        for _ in least..<most {
          end = add(part, from: end)
          silent[Int(end)].append(next)
        }
      } else {
        let root = position()
        silent[Int(end)].append(root)
        let back = add(part, from: root)
        silent[Int(back)].append(root)
        silent[Int(back)].append(next)
      }
      return next
    }
  }

  var start: [Int32] { closure(starts) }

  func labels(at places: [Int32]) -> [Int] {
    var found: [Int] = []
    for place in places { found += labels[Int(place)] }
    return found.count < 2 ? found : Array(Set(found)).sorted()
  }

  func step(_ places: [Int32], _ byte: UInt8) -> [Int32] {
    var next: [Int32] = []
    var count = 0
    for place in places {
      for edge in edges[Int(place)] where edge.set.contains(byte) {
        next += reach[Int(edge.target)]
        count += 1
      }
    }
    guard count > 1 else { return next }
    next.sort()
    var kept = 0
    for place in next where kept == 0 || next[kept - 1] != place {
      next[kept] = place
      kept += 1
    }
    next.removeSubrange(kept...)
    return next
  }

  /// Ascending, with what is reached without a byte; only positions that lead on or end are kept.
  private func closure(_ places: [Int32]) -> [Int32] {
    var seen = Set(places)
    var open = places
    while let place = open.popLast() {
      for next in silent[Int(place)] where seen.insert(next).inserted { open.append(next) }
    }
    return seen.filter { !edges[Int($0)].isEmpty || !labels[Int($0)].isEmpty }.sorted()
  }

  /// One byte of each class that the sets tell apart, letters and digits first.
  ///
  /// - Parameter alphabet: Only these bytes.
  func representatives(of alphabet: ByteSet) -> [UInt8] {
    let sets = Array(sets)
    var seen: Set<[Bool]> = []
    let preferred = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ/".utf8)
    return (preferred + (0...255)).filter { byte in
      alphabet.contains(byte) && seen.insert(sets.map { $0.contains(byte) }).inserted
    }
  }

  /// For each byte, the number of its class.
  var classes: (numbers: [UInt8], representatives: [UInt8]) {
    let sets = Array(sets)
    var known: [[Bool]: UInt8] = [:]
    var representatives: [UInt8] = []
    let numbers = (0...255).map { (byte: Int) -> UInt8 in
      let key = sets.map { $0.contains(UInt8(byte)) }
      if let number = known[key] { return number }
      let number = UInt8(representatives.count)
      known[key] = number
      representatives.append(UInt8(byte))
      return number
    }
    return (numbers, representatives)
  }
}
