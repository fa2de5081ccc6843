internal import LinkspanCore

/// Patterns of literals, single characters and stars, laid out flat, so that comparing a text with some of thousands
/// allocates nothing and touches little memory.
///
/// What stands before the first star must begin the text, what stands behind the last must end it, and each
/// part between them is looked for from the left: taking the first place leaves the most for the rest. A part
/// that is one literal is found in time linear in the text (Knuth, Morris, Pratt); one with `?` or a set costs
/// at most (text × part).
struct PatternPrograms: Sendable {
  enum Kind: UInt8, Sendable {
    case literal
    case anyOne
    case oneCharacter
    case anyRun
  }

  struct Step: Sendable {
    var kind: Kind
    /// Of a literal in ``bytes``; of a set in ``sets``.
    var start: Int32 = 0
    var count: Int32 = 0
  }

  /// The steps of one pattern.
  struct Program: Sendable {
    var start: Int32 = 0
    var end: Int32 = 0
    /// The first star; -1 without one.
    var firstRun: Int32 = -1
    var lastRun: Int32 = -1
  }

  private var steps: [Step] = []
  private var bytes: [UInt8] = []
  /// For each prefix of a literal the length of its longest proper border: how far a failed comparison falls back.
  private var fallback: [Int32] = []
  private var sets: [ASCIISet] = []

  /// - Returns: nil for a pattern with lists, which is no such row of steps, and for one that can never match.
  mutating func add(_ pattern: Pattern) -> Program? {
    guard let tokens = pattern.tokens,
      tokens.allSatisfy({ if case .oneOf = $0 { false } else { true } })
    else { return nil }
    return add(tokens)
  }

  /// - Parameter tokens: Without lists.
  mutating func add(_ tokens: [Pattern.Token]) -> Program {
    var program = Program(start: Int32(steps.count))
    for token in tokens {
      switch token {
      case .literal(let literal):
        let range = add(literal)
        steps.append(Step(kind: .literal, start: range.lowerBound, count: Int32(range.count)))
      case .anyOne: steps.append(Step(kind: .anyOne))
      case .oneCharacter(let set):
        steps.append(Step(kind: .oneCharacter, start: Int32(sets.count)))
        sets.append(set)
      case .anyRun:
        program.lastRun = Int32(steps.count)
        if program.firstRun < 0 { program.firstRun = program.lastRun }
        steps.append(Step(kind: .anyRun))
      case .oneOf: preconditionFailure("a list is no step")
      }
    }
    program.end = Int32(steps.count)
    return program
  }

  /// - Returns: Where the text stands now.
  mutating func add(_ literal: [UInt8]) -> Range<Int32> {
    let start = bytes.count
    bytes += literal
    var length = 0
    for index in literal.indices {
      if index > 0 {
        while length > 0, literal[index] != literal[length] { length = Int(fallback[start + length - 1]) }
        if literal[index] == literal[length] { length += 1 }
      }
      fallback.append(Int32(length))
    }
    return Int32(start)..<Int32(bytes.count)
  }

  @inline(__always)
  func withReader<Result>(_ body: (PatternReader) -> Result) -> Result {
    steps.withUnsafeBufferPointer { steps in
      bytes.withUnsafeBufferPointer { bytes in
        fallback.withUnsafeBufferPointer { fallback in
          sets.withUnsafeBufferPointer { sets in
            body(PatternReader(steps: steps, bytes: bytes, fallback: fallback, sets: sets))
          }
        }
      }
    }
  }
}

/// ``PatternPrograms`` while texts are compared with them.
struct PatternReader {
  private let steps: UnsafeBufferPointer<PatternPrograms.Step>
  private let bytes: UnsafeBufferPointer<UInt8>
  private let fallback: UnsafeBufferPointer<Int32>
  private let sets: UnsafeBufferPointer<ASCIISet>

  /// Measured: so many steps of a pattern are compared in a step of the budget.
  private static let stepsPerStep = 4
  /// Our choice: at so many places a literal is compared from its beginning, before it is looked for in linear time.
  private static let placesTried = 8

  init(
    steps: UnsafeBufferPointer<PatternPrograms.Step>, bytes: UnsafeBufferPointer<UInt8>,
    fallback: UnsafeBufferPointer<Int32>, sets: UnsafeBufferPointer<ASCIISet>
  ) {
    self.steps = steps
    self.bytes = bytes
    self.fallback = fallback
    self.sets = sets
  }

  /// - Parameter work: Charged for parts that may cost more than time linear in the text.
  func covers(
    _ program: PatternPrograms.Program, _ text: UnsafeBufferPointer<UInt8>, _ work: inout WorkBudget
  ) -> Bool {
    var low = 0
    for place in program.start..<(program.firstRun < 0 ? program.end : program.firstRun) {
      low = end(of: steps[Int(place)], at: low, in: text)
      if low < 0 { return false }
    }
    if program.firstRun < 0 { return low == text.count }
    var high = text.count
    var place = program.end - 1
    while place > program.lastRun {
      high = start(of: steps[Int(place)], endingAt: high, in: text)
      if high < low { return false }
      place -= 1
    }
    place = program.firstRun + 1
    while place <= program.lastRun {
      var end = place
      while steps[Int(end)].kind != .anyRun { end += 1 }
      low = find(Int(place)..<Int(end), from: low, to: high, in: text, &work)
      if low < 0 { return false }
      place = end + 1
    }
    return true
  }

  /// Whether a stretch of literal bytes is the text.
  @inline(__always)
  func isLiteral(_ range: Range<Int32>, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    range.count == text.count && stands(Int(range.lowerBound), range.count, at: 0, in: text)
  }

  @inline(__always)
  private func stands(_ start: Int, _ count: Int, at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool
  {
    text.holds(UnsafeBufferPointer(rebasing: bytes[start..<start + count]), at: offset)
  }

  /// Where a step ends that begins at the offset; -1 when it does not stand there.
  @inline(__always)
  private func end(of step: PatternPrograms.Step, at offset: Int, in text: UnsafeBufferPointer<UInt8>) -> Int
  {
    switch step.kind {
    case .literal:
      return stands(Int(step.start), Int(step.count), at: offset, in: text) ? offset + Int(step.count) : -1
    case .anyOne: return offset < text.count ? Pattern.nextCharacter(after: offset, in: text) : -1
    case .oneCharacter:
      return offset < text.count && sets[Int(step.start)].contains(text[offset]) ? offset + 1 : -1
    case .anyRun: return -1
    }
  }

  /// Where a step begins that ends at the offset; -1 when it does not stand there.
  @inline(__always)
  private func start(
    of step: PatternPrograms.Step, endingAt end: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    switch step.kind {
    case .literal:
      let offset = end - Int(step.count)
      return stands(Int(step.start), Int(step.count), at: offset, in: text) ? offset : -1
    case .anyOne:
      var offset = end - 1
      while offset > 0, text[offset] & 0xC0 == 0x80 { offset -= 1 }
      return offset
    case .oneCharacter: return end > 0 && sets[Int(step.start)].contains(text[end - 1]) ? end - 1 : -1
    case .anyRun: return -1
    }
  }

  /// The end of the first place between two offsets where some steps stand; -1 without one.
  private func find(
    _ part: Range<Int>, from low: Int, to high: Int, in text: UnsafeBufferPointer<UInt8>,
    _ work: inout WorkBudget
  ) -> Int {
    if part.count == 1, steps[part.lowerBound].kind == .literal {
      return find(steps[part.lowerBound], from: low, to: high, in: text)
    }
    var offset = low
    while offset <= high {
      var end = offset
      var place = part.lowerBound
      while end >= 0, place < part.upperBound {
        end = self.end(of: steps[place], at: end, in: text)
        place += 1
      }
      if end >= 0, end <= high { return end }
      // As far as the part came, it stands there, so its length in bytes is what was compared.
      guard work.spend(1 + (place - part.lowerBound) / Self.stepsPerStep) else { return -1 }
      guard offset < high else { return -1 }
      offset = Pattern.nextCharacter(after: offset, in: text)
    }
    return -1
  }

  private func find(
    _ literal: PatternPrograms.Step, from low: Int, to high: Int, in text: UnsafeBufferPointer<UInt8>
  ) -> Int {
    let start = Int(literal.start)
    let count = Int(literal.count)
    var matched = 0
    var offset = low
    // Nearly always it is at one of the first places that begin like it, and eight bytes are compared at once.
    for _ in 0..<Self.placesTried {
      offset = text.first(bytes[start], from: offset, to: high)
      if offset > high - count { return -1 }
      if stands(start, count, at: offset, in: text) { return offset + count }
      offset += 1
    }
    while offset < high {
      if matched == 0 {
        offset = text.first(bytes[start], from: offset, to: high)
        if offset == high { return -1 }
      }
      let byte = text[offset]
      while matched > 0, byte != bytes[start + matched] { matched = Int(fallback[start + matched - 1]) }
      if byte == bytes[start + matched] { matched += 1 }
      offset += 1
      if matched == count { return offset }
    }
    return -1
  }
}
