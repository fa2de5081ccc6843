/// Makes up a text for each parameter that a route's closure asks for, of the type that it asks for, and remembers what the
/// route should write for it.
final class RouteProbe: Sendable {
  private struct State: Sendable {
    var chance: ProofChance
    /// Texts by name; a name without a text is missing in the link.
    var texts: [String: String?] = [:]
    var expected: [String: String?] = [:]
  }

  private let parameters: [String: RoutePattern.Parameter]
  private let rest: String?
  /// The first sample is the template's own example, where it fits the type.
  private let isExample: Bool
  private let state: Guarded<State>

  init(_ row: RouteTable.Row, seed: UInt64, isExample: Bool) {
    parameters = Dictionary(row.pattern.parameters.map { ($0.name, $0) }) { first, _ in first }
    if case .named(let name) = row.pattern.rest { rest = name } else { rest = nil }
    self.isExample = isExample
    state = Guarded(State(chance: ProofChance(seed: seed)))
  }

  /// The text of a parameter: the same each time.
  func text(_ name: String, _ type: any RouteValue.Type) -> String? {
    state.withLock { state in
      if let known = state.texts[name] { return known }
      let text = choose(name, type, &state.chance)
      state.texts[name] = .some(text)
      state.expected[name] = .some(text)
      return text
    }
  }

  /// What the value that was read writes.
  func note(_ name: String, _ text: String?) { state.withLock { $0.expected[name] = .some(text) } }

  /// What the route should write; asks for the parameter when its closure did not.
  func expected(_ name: String) -> String? {
    _ = text(name, String.self)
    return state.withLock { $0.expected[name] ?? nil }
  }

  private func choose(_ name: String, _ type: any RouteValue.Type, _ chance: inout ProofChance) -> String? {
    let isRest = name == rest
    guard let parameter = parameters[name] ?? (isRest ? RoutePattern.Parameter(name: name) : nil) else {
      return nil
    }
    let mayMiss = parameter.isOptional || isRest
    if mayMiss, !isExample, chance.draw(below: 4) == 0 { return nil }
    let sampler = TextSampler(parameter, isRest: isRest)
    let example = parameter.matcher?.example ?? "a"
    if isExample, sampler.fits(example, type) { return example }
    let samples = sampler.samples(of: type)
    if !samples.isEmpty, chance.draw(below: 2) == 0 { return samples[chance.draw(below: samples.count)] }
    for _ in 0..<TextSampler.tries {
      let text = sampler.text(for: type, &chance)
      if sampler.fits(text, type) { return text }
    }
    // Nothing fits: a missing value, or a text at which the closure fails.
    return samples.first ?? (mayMiss ? nil : example)
  }
}

/// Texts for a parameter, by its template and by the type that its closure asks for.
struct TextSampler {
  /// Our choice: texts of the template that are tried against the type.
  static let tries = 24
  /// Our choice: characters of a text, unless the template asks for more.
  private static let usualLength = 12

  private let parameter: RoutePattern.Parameter
  private let isRest: Bool
  /// For each state of the constraint, how far the nearest end is.
  private let distances: [Int]

  init(_ parameter: RoutePattern.Parameter, isRest: Bool = false) {
    self.parameter = parameter
    self.isRest = isRest
    distances = parameter.matcher?.distances ?? []
  }

  /// Whether the type reads the text, and the template has a place for what it writes.
  func fits(_ text: String, _ type: any RouteValue.Type) -> Bool {
    guard !text.isEmpty, let written = type.init(routeText: text)?.routeText, !written.isEmpty else {
      return false
    }
    let parts = parameter.isRepeated ? written.split(separator: RouteParameters.separator) : [written[...]]
    return parts.allSatisfy { part in
      guard !isRest else { return part.first != "/" && part.last != "/" }
      let text = URLText.encoded(String(part), keeping: URLText.inQueryValue)
      return Array(text.utf8).withUnsafeBufferPointer { parameter.matches($0, 0..<$0.count) }
    }
  }

  /// The type's own samples that fit.
  func samples(of type: any RouteValue.Type) -> [String] {
    func texts<Value: RouteValue>(_ type: Value.Type) -> [String] { type.routeSamples.map(\.routeText) }
    return texts(type).filter { fits($0, type) }
  }

  /// A text that may fit.
  func text(for type: any RouteValue.Type, _ chance: inout ProofChance) -> String {
    func one(_ chance: inout ProofChance) -> String {
      if parameter.matcher == nil, type == Int.self {
        return String(Int(truncatingIfNeeded: chance.next()) >> chance.draw(below: 63))
      }
      if parameter.matcher == nil, type == Double.self {
        return String(Double(chance.draw(below: 2_000_001) - 1_000_000) / 1_024)
      }
      return parameter.matcher == nil ? Self.anyText(&chance) : constrained(&chance)
    }
    let count = parameter.isRepeated || isRest ? 1 + chance.draw(below: 3) : 1
    let separator = parameter.isRepeated ? String(RouteParameters.separator) : "/"
    return (0..<count).map { _ in one(&chance) }.joined(separator: separator)
  }

  private static let letters: [Character] = Array("abcxyzABC0129-_.~ +&=%?#/:@!'éß漢😀")

  private static func anyText(_ chance: inout ProofChance) -> String {
    let drawn = (0...chance.draw(below: usualLength)).map { _ in letters[chance.draw(below: letters.count)] }
    return String(drawn.map { $0 == "/" ? "|" : $0 })
  }

  /// Walks the constraint's table, and home when it gets long.
  private func constrained(_ chance: inout ProofChance) -> String {
    guard let matcher = parameter.matcher else { return "" }
    let length = 1 + chance.draw(below: Self.usualLength)
    return matcher.text(distances) { number, choices, isEnd in
      if number >= length { return isEnd ? nil : choices.min { $0.distance < $1.distance }?.byte }
      return choices.isEmpty ? nil : choices[chance.draw(below: choices.count)].byte
    }
  }

  /// As the URL carries it: the shortest, a long one, and others.
  func written(_ number: Int, _ chance: inout ProofChance) -> String {
    guard let matcher = parameter.matcher else { return ["a", "1", "x-1.y", "0", "true"][number % 5] }
    if number == 0 { return matcher.example }
    if number > 1 {
      let text = constrained(&chance)
      return URLText.encoded(text, keeping: URLText.inSegment.union(ByteSet("%".utf8)))
    }
    return matcher.text(distances) { number, choices, isEnd in
      // The longest, of nines where there are digits: more than a number of its type may hold.
      guard number < 400 else { return isEnd ? nil : choices.min { $0.distance < $1.distance }?.byte }
      let nine = choices.first { $0.byte == UInt8(ascii: "9") }
      return nine?.byte ?? choices.last?.byte
    }
  }
}

/// Chance from a seed, so that a proof finds the same each time.
struct ProofChance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Seeds next to each other give chances that have nothing in common.
  init(seed: UInt64) {
    state = seed
    state = next()
  }

  // SplitMix64 (Steele, Lea, Flood 2014).
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func draw(below bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
