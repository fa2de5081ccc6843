/// A regular expression over scalars, as routers write the constraint of a parameter.
package indirect enum RegularExpression: Hashable, Sendable {
  /// Read one after the other.
  case sequence([RegularExpression])
  case choice([RegularExpression])
  case scalar(UInt32)
  /// Any scalar at all.
  case any
  /// One of a set, or one that is not in it.
  case set(ScalarSet, isNegated: Bool)
  /// - Parameter most: nil for as many as there are.
  case repeated(RegularExpression, least: Int, most: Int?)

  /// Why a text is no expression that can be decided.
  package struct Problem: Error, Hashable, Sendable {
    package let reason: String
    /// It is well-formed for a router, but stands for no set that an automaton can tell.
    package let isBeyondAutomata: Bool
  }

  /// Our choice: states of one expression, its repetitions written out.
  private static let sizeLimit = 2_000

  /// - Parameter spelling: How the compared text spells a scalar, such as `%C3%A9` for `é`; as it is by default.
  /// - Throws: ``Problem``, for texts that are no expression and for those that are not regular.
  package init(
    _ text: String, spelling: (UInt32) -> [UInt32] = { [$0] }
  ) throws(Problem) {
    var parser = RegularExpressionParser(text)
    self = try parser.whole().spelled(spelling)
    guard size <= Self.sizeLimit else {
      throw Problem(reason: "it has more than \(Self.sizeLimit) states", isBeyondAutomata: true)
    }
  }

  /// How many places an automaton for it has.
  private var size: Int {
    switch self {
    case .scalar, .any, .set: return 1
    case .sequence(let parts), .choice(let parts):
      return parts.reduce(1) { min(Self.sizeLimit + 1, $0 + $1.size) }
    case .repeated(let part, let least, let most):
      return min(Self.sizeLimit + 1, max(1, max(least, most ?? least + 1)) * part.size)
    }
  }

  /// Whether it covers the empty text.
  package var coversEmpty: Bool {
    switch self {
    case .scalar, .any, .set: false
    case .sequence(let parts): parts.allSatisfy({ $0.coversEmpty })
    case .choice(let parts): parts.contains(where: { $0.coversEmpty })
    case .repeated(let part, let least, _): least == 0 || part.coversEmpty
    }
  }

  /// Whether a text that it covers may hold a slash.
  package var holdsSlash: Bool {
    switch self {
    case .scalar(let scalar): scalar == 0x2F
    case .any: true
    case .set(let set, let isNegated): set.contains(0x2F) != isNegated
    case .sequence(let parts), .choice(let parts): parts.contains(where: { $0.holdsSlash })
    case .repeated(let part, _, let most): most != 0 && part.holdsSlash
    }
  }

  /// A negated set and `.` stay what they are: any scalar of the compared text but these.
  private func spelled(_ spelling: (UInt32) -> [UInt32]) -> RegularExpression {
    func scalar(_ scalar: UInt32) -> RegularExpression {
      let spelled = spelling(scalar)
      return spelled.count == 1 ? .scalar(spelled[0]) : .sequence(spelled.map(RegularExpression.scalar))
    }
    switch self {
    case .any, .set(_, isNegated: true): return self
    case .scalar(let value): return scalar(value)
    case .set(let set, isNegated: false):
      let others = set.scalars.filter { spelling($0) != [$0] }
      guard !others.isEmpty else { return self }
      let plain = set.scalars.filter { !others.contains($0) }
      return .choice(
        (plain.isEmpty ? [] : [.set(ScalarSet(plain), isNegated: false)]) + others.map(scalar))
    case .sequence(let parts): return .sequence(parts.map { $0.spelled(spelling) })
    case .choice(let parts): return .choice(parts.map { $0.spelled(spelling) })
    case .repeated(let part, let least, let most):
      return .repeated(part.spelled(spelling), least: least, most: most)
    }
  }

  /// The scalars that it names.
  var scalars: [UInt32] {
    switch self {
    case .scalar(let scalar): [scalar]
    case .any, .set: []
    case .sequence(let parts), .choice(let parts): parts.flatMap({ $0.scalars })
    case .repeated(let part, _, _): part.scalars
    }
  }
}

extension RegularExpression {
  /// The sets that it names.
  var sets: Set<ScalarSet> {
    switch self {
    case .scalar, .any: []
    case .set(let set, _): [set]
    case .sequence(let parts), .choice(let parts): parts.reduce(into: []) { $0.formUnion($1.sets) }
    case .repeated(let part, _, _): part.sets
    }
  }
}

/// Reads the common part of the dialects that routers use.
private struct RegularExpressionParser {
  typealias Problem = RegularExpression.Problem

  private let text: [Unicode.Scalar]
  private var place = 0
  private var depth = 0

  /// Our choice.
  private static let depthLimit = 50
  private static let repeatLimit = 1_000

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

  private func begins(_ word: String) -> Bool { text[place...].starts(with: word.unicodeScalars) }

  private func broken(_ reason: String) -> Problem { Problem(reason: reason, isBeyondAutomata: false) }

  private func beyond(_ reason: String) -> Problem { Problem(reason: reason, isBeyondAutomata: true) }

  mutating func whole() throws(Problem) -> RegularExpression {
    // The constraint covers the whole parameter anyway.
    if next == "^" { place += 1 }
    let expression = try choice()
    guard place == text.count else { throw broken("')' stands without '('") }
    return expression
  }

  private mutating func choice() throws(Problem) -> RegularExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else { throw beyond("its groups are nested too deep") }
    var parts = [try sequence()]
    while next == "|" {
      place += 1
      parts.append(try sequence())
    }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(Problem) -> RegularExpression {
    var parts: [RegularExpression] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      if scalar == "$", place == text.count - 1 {
        place += 1
        break
      }
      parts.append(try repeated(try atom()))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func repeated(_ atom: RegularExpression) throws(Problem) -> RegularExpression {
    var result = atom
    while let scalar = next {
      switch scalar {
      case "*": result = .repeated(result, least: 0, most: nil)
      case "+": result = .repeated(result, least: 1, most: nil)
      case "?": result = .repeated(result, least: 0, most: 1)
      case "{":
        guard let (least, most, end) = try counts() else { return result }
        result = .repeated(result, least: least, most: most)
        place = end - 1
      default: return result
      }
      place += 1
      // As few as possible: the same texts, found in another order.
      if next == "?" { place += 1 }
      if next == "+" { throw beyond("possessive repetition is not regular") }
    }
    return result
  }

  /// `{2}`, `{2,}` or `{2,5}`; nil where the brace is itself.
  private func counts() throws(Problem) -> (least: Int, most: Int?, end: Int)? {
    guard let close = text[place...].firstIndex(of: "}") else { return nil }
    let parts = text[(place + 1)..<close].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { part in Int(String(String.UnicodeScalarView(part))) }
    guard (1...2).contains(parts.count), let least = numbers[0], least >= 0,
      parts.count == 1 || parts[1].isEmpty || numbers[1] != nil
    else { return nil }
    let most = parts.count == 1 ? least : numbers[1]
    guard most ?? least >= least else { throw broken("the numbers in '{…}' are in the wrong order") }
    guard max(least, most ?? 0) <= Self.repeatLimit else {
      throw beyond("it repeats more than \(Self.repeatLimit) times")
    }
    return (least, most, close + 1)
  }

  private mutating func atom() throws(Problem) -> RegularExpression {
    let scalar = text[place]
    switch scalar {
    case "(": return try group()
    case "[":
      place += 1
      return try set()
    case "\\":
      place += 1
      return try escape()
    case ".":
      place += 1
      return .any
    case "*", "+", "?": throw broken("'\(scalar)' has nothing to repeat")
    case "^", "$": throw beyond("'\(scalar)' inside an expression is not decided")
    default:
      place += 1
      return .scalar(scalar.value)
    }
  }

  private mutating func group() throws(Problem) -> RegularExpression {
    if begins("(?=") || begins("(?!") { throw beyond("look-ahead is not decided") }
    if begins("(?<=") || begins("(?<!") { throw beyond("look-behind is not decided") }
    if begins("(?>") { throw beyond("an atomic group is not regular") }
    if begins("(?:") {
      place += 3
    } else if begins("(?<") || begins("(?P<") {
      guard let close = text[place...].firstIndex(of: ">") else { throw broken("a group's name has no end") }
      place = close + 1
    } else if begins("(?") {
      throw beyond("flags such as '(?i)' are not decided")
    } else {
      place += 1
    }
    let inner = try choice()
    guard next == ")" else { throw broken("'(' has no ')'") }
    place += 1
    return inner
  }

  private static let digits = ScalarSet(0x30...0x39)
  private static let words = ScalarSet(Array(0x30...0x39) + Array(0x41...0x5A) + Array(0x61...0x7A) + [0x5F])
  private static let blanks = ScalarSet([0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D])

  private static func named(_ scalar: Unicode.Scalar) -> (set: ScalarSet, isNegated: Bool)? {
    switch scalar {
    case "d": (digits, false)
    case "D": (digits, true)
    case "w": (words, false)
    case "W": (words, true)
    case "s": (blanks, false)
    case "S": (blanks, true)
    default: nil
    }
  }

  private mutating func escape() throws(Problem) -> RegularExpression {
    guard let scalar = next else { throw broken("it ends in a backslash") }
    if let (set, isNegated) = Self.named(scalar) {
      place += 1
      return .set(set, isNegated: isNegated)
    }
    if scalar == "k" || ("1"..."9").contains(scalar) { throw beyond("a back-reference is not regular") }
    return .scalar(try plainEscape())
  }

  /// An escape that stands for one scalar; the place is behind the backslash.
  private mutating func plainEscape() throws(Problem) -> UInt32 {
    let scalar = text[place]
    place += 1
    switch scalar {
    case "n": return 0x0A
    case "r": return 0x0D
    case "t": return 0x09
    case "x", "u":
      let count = scalar == "x" ? 2 : 4
      let digits = String(String.UnicodeScalarView(text[place...].prefix(count)))
      guard digits.count == count, let value = UInt32(digits, radix: 16) else {
        throw broken("'\\\(scalar)' wants \(count) hexadecimal digits")
      }
      place += count
      return value
    default:
      guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
        throw beyond("'\\\(scalar)' is not decided")
      }
      return scalar.value
    }
  }

  private mutating func set() throws(Problem) -> RegularExpression {
    let isNegated = next == "^"
    if isNegated { place += 1 }
    var set = ScalarSet()
    var isFirst = true
    while true {
      guard let scalar = next else { throw broken("'[' has no ']'") }
      if scalar == "]", !isFirst { break }
      isFirst = false
      if scalar == "\\", place + 1 < text.count, let (named, isOther) = Self.named(text[place + 1]) {
        place += 2
        for value in UInt32(0)..<128 where named.contains(value) != isOther { set.insert(value) }
        if isOther { throw beyond("a set that holds '\\\(text[place - 1])' is not decided") }
        continue
      }
      let low = try member()
      var high = low
      if next == "-", place + 1 < text.count, text[place + 1] != "]" {
        place += 1
        high = try member()
      }
      guard low <= high else { throw broken("a range in '[…]' is in the wrong order") }
      guard high < 128 else { throw beyond("a set with characters beyond ASCII is not decided") }
      for value in low...high { set.insert(value) }
    }
    place += 1
    return .set(set, isNegated: isNegated)
  }

  private mutating func member() throws(Problem) -> UInt32 {
    guard let scalar = next else { throw broken("'[' has no ']'") }
    place += 1
    if scalar == "\\" {
      guard next != nil else { throw broken("it ends in a backslash") }
      return try plainEscape()
    }
    return scalar.value
  }
}
