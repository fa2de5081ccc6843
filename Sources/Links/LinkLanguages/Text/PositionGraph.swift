/// Positions in a pattern and the edges between them: a nondeterministic automaton from position 0 to ``end``.
///
/// The alternatives of a variable stand in it as one piece with a graph of their own, which all patterns with the variable
/// share.
struct PositionGraph: Sendable {
  enum Edge: Sendable {
    case scalar(UInt32, Int)
    case set(ScalarSet, Int)
    case any(Int)
    case notIn(ScalarSet, Int)
  }

  /// A graph whose positions follow from `base`, and what comes behind its end.
  private struct Piece: Sendable {
    var base: Int
    var graph: PositionGraph
    var next: Int
  }

  private var edges: [[Edge]] = [[]]
  private var silent: [[Int]] = [[]]
  /// Ascending by their base.
  private var pieces: [Piece] = []
  private(set) var end = 0
  /// Positions at which a run stands.
  private(set) var runs: Set<Int> = []

  private static let slash = ScalarSet(CollectionOfOne(0x2F))
  /// Where the positions of pieces begin: no pattern has as many of its own.
  private static let firstBase = 1 << 30

  /// `ends[n]` is the position behind the first n elements.
  private(set) var ends: [Int] = [0]

  init(_ elements: [PatternElement]) {
    for element in elements {
      end = add(element, from: end)
      ends.append(end)
    }
  }

  /// The graph of alternatives; literals share the positions of common prefixes.
  init(literals: [[UInt32]], patterns: [[PatternElement]]) {
    end = position()
    var branches: [[UInt32: Int]] = Array(repeating: [:], count: 2)
    for literal in literals {
      var node = 0
      for scalar in literal {
        if let known = branches[node][scalar] {
          node = known
        } else {
          let made = position()
          while branches.count <= made { branches.append([:]) }
          edges[node].append(.scalar(scalar, made))
          branches[node][scalar] = made
          node = made
        }
      }
      silent[node].append(end)
    }
    for pattern in patterns {
      var node = position()
      silent[0].append(node)
      for element in pattern { node = add(element, from: node) }
      silent[node].append(end)
    }
  }

  // MARK: - Walking

  /// Calls with each edge that leads on from a position.
  @inline(__always)
  func visitEdges(from place: Int, _ body: (Edge) -> Void) {
    guard place >= Self.firstBase else { return edges[place].forEach(body) }
    let piece = piece(at: place)
    piece.graph.visitEdges(from: place - piece.base) { edge in
      switch edge {
      case .scalar(let scalar, let target): body(.scalar(scalar, target + piece.base))
      case .set(let set, let target): body(.set(set, target + piece.base))
      case .any(let target): body(.any(target + piece.base))
      case .notIn(let set, let target): body(.notIn(set, target + piece.base))
      }
    }
  }

  /// Calls with each position that is reached without a scalar.
  @inline(__always)
  func visitSilent(from place: Int, _ body: (Int) -> Void) {
    guard place >= Self.firstBase else { return silent[place].forEach(body) }
    let piece = piece(at: place)
    if place - piece.base == piece.graph.end { body(piece.next) }
    piece.graph.visitSilent(from: place - piece.base) { body($0 + piece.base) }
  }

  /// Whether an edge leads on from a position.
  func hasEdges(_ place: Int) -> Bool {
    guard place >= Self.firstBase else { return !edges[place].isEmpty }
    let piece = piece(at: place)
    return piece.graph.hasEdges(place - piece.base)
  }

  private func piece(at place: Int) -> Piece {
    var low = 0
    var high = pieces.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if pieces[middle].base <= place { low = middle } else { high = middle }
    }
    return pieces[low]
  }

  /// How many numbers of positions it takes, those of its pieces among them.
  private var extent: Int { pieces.last.map { $0.base + $0.graph.extent } ?? edges.count }

  // MARK: - Making

  private mutating func position() -> Int {
    edges.append([])
    silent.append([])
    return edges.count - 1
  }

  /// - Returns: The position behind the element.
  private mutating func add(_ element: PatternElement, from place: Int) -> Int {
    if case .expression(let expression) = element { return add(expression, from: place) }
    let next = position()
    switch element {
    case .expression: break
    case .scalar(let scalar): edges[place].append(.scalar(scalar, next))
    case .any: edges[place].append(.any(next))
    case .set(let set): edges[place].append(.set(set, next))
    case .segment:
      edges[place].append(.notIn(Self.slash, next))
      edges[next].append(.notIn(Self.slash, next))
    case .run:
      silent[place].append(next)
      edges[next].append(.any(next))
      runs.insert(next)
    case .oneOf(let alternatives):
      let base = pieces.isEmpty ? Self.firstBase : extent
      pieces.append(Piece(base: base, graph: alternatives.graph, next: next))
      silent[place].append(base)
    }
    return next
  }

  /// - Returns: The position behind the expression.
  private mutating func add(_ expression: RegularExpression, from place: Int) -> Int {
    switch expression {
    case .sequence(let parts):
      var end = place
      for part in parts { end = add(part, from: end) }
      return end
    case .choice(let parts):
      let next = position()
      for part in parts {
        let end = add(part, from: place)
        silent[end].append(next)
      }
      return next
    case .scalar(let scalar): return add(PatternElement.scalar(scalar), from: place)
    case .any: return add(PatternElement.any, from: place)
    case .set(let set, let isNegated):
      if !isNegated { return add(PatternElement.set(set), from: place) }
      let next = position()
      edges[place].append(.notIn(set, next))
      return next
    case .repeated(let part, let least, let most):
      var end = place
      for _ in 0..<least { end = add(part, from: end) }
      guard let most else {
        // Entered by a step of its own, so that nothing else leads back into it.
        let loop = position()
        silent[end].append(loop)
        let back = add(part, from: loop)
        silent[back].append(loop)
        return loop
      }
      let next = position()
      for _ in least..<most {
        silent[end].append(next)
        end = add(part, from: end)
      }
      silent[end].append(next)
      return next
    }
  }
}
