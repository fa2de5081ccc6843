/// Constraints as patterns of an association file, and back.
enum ComponentPattern {
  /// What a constraint becomes.
  struct Writing {
    /// Each text is one pattern.
    var patterns: [String]
    /// A list for `substitutionVariables`; then the patterns are its values.
    var isList = false
    var isExact = true
  }

  /// The pattern for any text that is not empty.
  static let nearest = "?*"

  /// The variable for one or two digits; names of other lists have a blank or a number in them.
  static let digits = "digits"
  static let digitsValues = (0...9).map { "\($0)" } + (0...99).map { ($0 < 10 ? "0" : "") + "\($0)" }
  /// Our choice: this many lengths of a number are a pattern each.
  private static let writtenLengths = 6

  /// Our choices: values of one list, and characters of a set that become a list of their own.
  private static let listLimit = 300
  private static let setLimit = 16

  private enum Token: Hashable {
    case byte(UInt8)
    case predefined(String)
    /// One or two digits.
    case digits
    case anyOne
    case anyRun

    var text: String {
      switch self {
      case .byte(let byte): String(UnicodeScalar(byte))
      case .predefined(let name): "$(\(name))"
      case .digits: "$(\(ComponentPattern.digits))"
      case .anyOne: "?"
      case .anyRun: "*"
      }
    }

    var isByte: Bool { if case .byte = self { true } else { false } }
  }

  /// The lists that every system has (S4), one ASCII character each.
  private static let predefined: [(name: String, set: ByteSet)] = [
    ("digit", .digits), ("upper", .upper), ("lower", .lower), ("alpha", .letters), ("alnum", .alphanumerics),
    ("xdigit", .hexadecimal),
  ]

  static func writing(of expression: PathExpression) -> Writing {
    guard let words = words(of: expression) else { return Writing(patterns: [nearest], isExact: false) }
    let texts = words.map { $0.map(\.text).joined() }
    var seen: Set<String> = []
    return Writing(
      patterns: texts.filter { seen.insert($0).inserted },
      isList: words.count > 1 && words.allSatisfy { $0.allSatisfy(\.isByte) })
  }

  /// A literal: a pattern cannot quote `*`, `?` and `$(`, so any one character stands for them (P2).
  static func writing(of text: String) -> Writing {
    var pattern = ""
    var isExact = true
    for byte in text.utf8 {
      if isSpecial(byte) {
        pattern += "?"
        isExact = false
      } else {
        pattern.unicodeScalars.append(UnicodeScalar(byte))
      }
    }
    return Writing(patterns: [pattern], isExact: isExact)
  }

  private static func isSpecial(_ byte: UInt8) -> Bool { "*?$".utf8.contains(byte) }

  /// Nil when there is no such finite list of patterns.
  private static func words(of expression: PathExpression) -> [[Token]]? {
    switch expression {
    case .set(let set): return words(of: set)
    case .sequence(let parts):
      var words: [[Token]] = [[]]
      for part in parts {
        guard let next = self.words(of: part), words.count * next.count <= listLimit else { return nil }
        words = words.flatMap { word in next.map { word + $0 } }
      }
      return words
    case .choice(let parts):
      var words: [[Token]] = []
      for part in parts {
        guard let next = self.words(of: part), words.count + next.count <= listLimit else { return nil }
        words += next
      }
      return words
    case .repeated(let part, let least, let most):
      guard let most else {
        guard case .set(let set) = part, set == .inSegment || set == .all else { return nil }
        return [Array(repeating: .anyOne, count: least) + [.anyRun]]
      }
      if part == .set(.digits), most - least >= writtenLengths { return numbers(least, most) }
      guard let once = words(of: part), most <= listLimit else { return nil }
      var all: [[Token]] = []
      var words: [[Token]] = [[]]
      for count in 0...most {
        if count >= least { all += words }
        guard all.count <= listLimit else { return nil }
        if count < most {
          guard words.count * once.count <= listLimit else { return nil }
          words = words.flatMap { word in once.map { word + $0 } }
        }
      }
      return all
    }
  }

  /// Numbers of so many digits, each length in one word: n digits and m times one or two are n + m to n + 2m digits.
  private static func numbers(_ least: Int, _ most: Int) -> [[Token]]? {
    guard most <= listLimit else { return nil }
    var words: [[Token]] = least == 0 ? [[]] : []
    var shortest = max(1, least)
    while shortest <= most {
      let longest = min(2 * shortest, most)
      let count = longest - shortest
      words.append(
        Array(repeating: .predefined("digit"), count: shortest - count)
          + Array(repeating: .digits, count: count))
      shortest = longest + 1
    }
    return words
  }

  private static func words(of set: ByteSet) -> [[Token]]? {
    if set == .inSegment || set == .all { return [[.anyOne]] }
    if let known = predefined.first(where: { $0.set == set }) { return [[.predefined(known.name)]] }
    let members = set.members
    guard members.count <= setLimit, !members.contains(where: isSpecial) else { return nil }
    return members.map { [.byte($0)] }
  }

  /// A text that a pattern covers.
  static func example(of pattern: String, variables: [String: [String]]) -> String {
    var text = ""
    var rest = pattern[...]
    while let next = rest.popFirst() {
      if next == "?" {
        text += "a"
      } else if next == "$", let name = popName(&rest) {
        let member = predefined.first { $0.name == name }?.set.members.first
        text += member.map { String(UnicodeScalar($0)) } ?? variables[name]?.first ?? ""
      } else if next != "*" {
        text.append(next)
      }
    }
    return text
  }

  /// The names of the variables that a pattern uses.
  static func names(in pattern: String) -> [String] {
    var names: [String] = []
    var rest = pattern[...]
    while let next = rest.popFirst() {
      if next == "$", let name = popName(&rest) { names.append(name) }
    }
    return names
  }

  /// Takes a variable's name and the brackets around it; nil where there is none.
  private static func popName(_ rest: inout Substring) -> String? {
    guard rest.first == "(", let end = rest.firstIndex(of: ")") else { return nil }
    let name = String(rest[..<end].dropFirst())
    rest = rest[rest.index(after: end)...]
    return name
  }

  /// The paths that a pattern covers, without trailing slashes (P5–P8).
  static func expression(ofPath pattern: String, variables: [String: [String]]) -> PathExpression {
    var text = pattern[...]
    while text.last == "/" { text.removeLast() }
    let whole = expression(of: text, variables: variables)
    guard text.hasSuffix("/*") else { return whole }
    return .choice([expression(of: text.dropLast(2), variables: variables), whole])
  }

  private static func expression(of pattern: Substring, variables: [String: [String]]) -> PathExpression {
    var parts: [PathExpression] = []
    var rest = pattern
    while let next = rest.popFirst() {
      if next == "*" {
        parts.append(.repeated(.set(.all), least: 0, most: nil))
      } else if next == "?" {
        parts.append(.set(.all))
      } else if next == "$", let name = popName(&rest) {
        if name == digits {
          // The same as the choice of its values, in fewer positions.
          parts += [.set(.digits), .repeated(.set(.digits), least: 0, most: 1)]
        } else if let values = variables[name] {
          parts.append(.choice(values.map { expression(of: $0[...], variables: [:]) }))
        } else {
          parts.append(.set(predefined.first { $0.name == name }?.set ?? ByteSet()))
        }
      } else {
        parts.append(.literal(String(next)))
      }
    }
    return .sequence(parts)
  }
}
