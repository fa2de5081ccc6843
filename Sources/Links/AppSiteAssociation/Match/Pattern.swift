internal import LinkspanCore

/// A pattern made ready to be compared with bytes of UTF-8, once and for all.
///
/// `*` is any run of characters, `?` one character, `$(name)` one of a list (P1, S1); everything else is
/// itself. A pattern covers a text when it matches the whole of it (M7). There is no backtracking: stars are
/// searched from the left and lists are walked with a set of positions. That may still cost (length of the text ×
/// length of the pattern with its lists written out), so it is counted; most patterns cost next to nothing.
struct Pattern: Sendable {
  enum Token: Hashable, Sendable {
    case literal([UInt8])
    /// `?`
    case anyOne
    /// `*`
    case anyRun
    /// A variable whose values are all one ASCII character.
    case oneCharacter(ASCIISet)
    case oneOf(PatternList)
  }

  /// How the answer is found: the commonest shapes need no walk.
  private enum Shape: Sendable {
    /// Undefined or unterminated variable, empty list (S6): covers nothing.
    case nothing
    case anything
    case exactly([UInt8])
    /// literal`*`
    case beginningWith([UInt8])
    case steps(PatternPrograms, PatternPrograms.Program)
    case positions([Token])
  }

  let tokens: [Token]?
  private let shape: Shape

  /// - Parameter tokens: nil for a pattern that can never match.
  init(tokens: [Token]?) {
    self.tokens = tokens
    guard let tokens else {
      shape = .nothing
      return
    }
    switch tokens.count {
    case 0: shape = .exactly([])
    case 1:
      switch tokens[0] {
      case .anyRun: shape = .anything
      case .literal(let bytes): shape = .exactly(bytes)
      case .oneOf: shape = .positions(tokens)
      case .anyOne, .oneCharacter: shape = Self.steps(tokens)
      }
    case 2:
      if case .literal(let bytes) = tokens[0], tokens[1] == .anyRun {
        shape = .beginningWith(bytes)
      } else {
        fallthrough
      }
    default:
      let hasLists = tokens.contains { if case .oneOf = $0 { true } else { false } }
      shape = hasLists ? .positions(tokens) : Self.steps(tokens)
    }
  }

  private static func steps(_ tokens: [Token]) -> Shape {
    var programs = PatternPrograms()
    let program = programs.add(tokens)
    return .steps(programs, program)
  }

  /// Whether the pattern covers every text.
  var coversEverything: Bool {
    if case .anything = shape { true } else { false }
  }

  var isNothing: Bool { tokens == nil }

  /// What every covered text begins with.
  var literalPrefix: [UInt8] {
    if case .literal(let bytes)? = tokens?.first { bytes } else { [] }
  }

  /// The one text that the pattern covers; nil when there are others, or none.
  var onlyText: [UInt8]? {
    if case .exactly(let bytes) = shape { bytes } else { nil }
  }

  /// - Parameter work: Charged for what may take more than time linear in the text. When it ends, the answer is false and
  ///   void.
  func covers(_ text: UnsafeBufferPointer<UInt8>, _ work: inout WorkBudget) -> Bool {
    switch shape {
    case .nothing: false
    case .anything: true
    case .exactly(let bytes): text.count == bytes.count && Self.begins(text, at: 0, with: bytes)
    case .beginningWith(let bytes): Self.begins(text, at: 0, with: bytes)
    case .steps(let programs, let program): programs.withReader { $0.covers(program, text, &work) }
    case .positions(let tokens): PatternPositions.covers(tokens, text, &work)
    }
  }

  func covers(_ text: [UInt8], _ work: inout WorkBudget) -> Bool {
    text.withUnsafeBufferPointer { covers($0, &work) }
  }

  @inline(__always)
  static func begins(_ text: UnsafeBufferPointer<UInt8>, at offset: Int, with bytes: [UInt8]) -> Bool {
    guard text.count - offset >= bytes.count else { return false }
    return bytes.withUnsafeBufferPointer { bytes in
      var index = 0
      while index < bytes.count {
        if text[offset + index] != bytes[index] { return false }
        index += 1
      }
      return true
    }
  }

  /// Where the token ends when it begins at the offset; nil when it does not stand there. For every token
  /// but a run and a list, which may end in several places.
  @inline(__always)
  static func end(of token: Token, at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Int? {
    switch token {
    case .literal(let bytes): return begins(text, at: offset, with: bytes) ? offset + bytes.count : nil
    case .anyOne: return offset < text.count ? nextCharacter(after: offset, in: text) : nil
    case .oneCharacter(let set): return offset < text.count && set.contains(text[offset]) ? offset + 1 : nil
    case .anyRun, .oneOf: return nil
    }
  }

  @inline(__always)
  static func nextCharacter(after offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    min(text.count, offset + UTF8Length.ofSequence(startingWith: text[offset]))
  }
}

/// The values of a substitution variable, ready to be looked for.
final class PatternList: Hashable, Sendable {
  /// The values without wildcards.
  let literals: [[UInt8]]
  private let index: PrefixIndex
  /// The values that hold `*` or `?` (S3), each once, in the order of the file.
  let patterns: [[Pattern.Token]]
  /// The shortest of the literals.
  let shortest: [UInt8]?
  /// The different lengths of the literals, ascending.
  let lengths: [Int]
  /// By the place of a literal the place of its length.
  private let lengthPlaces: [Int32]

  init(_ values: [[Pattern.Token]]) {
    var literals: Set<[UInt8]> = []
    var patterns: [[Pattern.Token]] = []
    var seen: Set<[Pattern.Token]> = []
    for tokens in values {
      if tokens.isEmpty {
        literals.insert([])
      } else if tokens.count == 1, case .literal(let bytes) = tokens[0] {
        literals.insert(bytes)
      } else if seen.insert(tokens).inserted {
        patterns.append(tokens)
      }
    }
    self.literals = literals.sorted { $0.lexicographicallyPrecedes($1) }
    index = PrefixIndex(self.literals)
    shortest = self.literals.min { ($0.count, $0.first ?? 0) < ($1.count, $1.first ?? 0) }
    self.patterns = patterns
    let lengths = Set(literals.map { $0.count }).sorted()
    self.lengths = lengths
    let places = Dictionary(uniqueKeysWithValues: lengths.enumerated().map { ($1, Int32($0)) })
    lengthPlaces = self.literals.map { places[$0.count]! }
  }

  /// Calls with the place in ``lengths`` of each literal that stands at an offset.
  ///
  /// - Returns: How many bytes were compared.
  @inline(__always)
  func visitLengths(at offset: Int, in text: UnsafeBufferPointer<UInt8>, _ body: (Int) -> Void) -> Int {
    index.visit(UnsafeBufferPointer(rebasing: text[offset...])) { numbers, _ in
      for number in numbers { body(Int(lengthPlaces[Int(number)])) }
    }
  }

  var isEmpty: Bool { literals.isEmpty && patterns.isEmpty }

  /// Whether it can be compared with another one in no time. Our choice.
  var isShort: Bool { literals.count + patterns.count <= 32 }

  static func == (left: PatternList, right: PatternList) -> Bool {
    left === right || (left.literals == right.literals && Set(left.patterns) == Set(right.patterns))
  }

  func hash(into hasher: inout Hasher) { hasher.combine(literals) }
}
