internal import AppSiteAssociation
internal import LinkLanguages
internal import LinkspanCore

/// One way to write a route as a pattern of an association file, and where the pattern says more than the route.
///
/// A constraint such as `de|fr` or `\d{4}` becomes literals, variables and wildcards; several spellings together cover
/// a route, and perhaps more: a proof tells.
struct RouteSpelling: Hashable {
  enum Piece: Hashable {
    case literal(String)
    /// A substitution variable.
    case variable(String)
    /// `?`
    case one(canBeSlash: Bool)
    /// `*`
    case run(canHoldSlash: Bool)

    var pattern: String {
      switch self {
      case .literal(let text): text
      case .variable(let name): "$(\(name))"
      case .one: "?"
      case .run: "*"
      }
    }

    /// A wildcard for text that holds no slash in the route.
    var isSlashless: Bool { self == .one(canBeSlash: false) || self == .run(canHoldSlash: false) }
  }

  /// The path without what `/*` at its end stands for.
  let pieces: [Piece]
  let hasRest: Bool
  /// The slashes in it, without those that wildcards stand for.
  let depth: Int

  init(_ pieces: [Piece], hasRest: Bool) {
    self.pieces = pieces
    self.hasRest = hasRest
    depth = pieces.reduce(0) { sum, piece in
      guard case .literal(let text) = piece else { return sum }
      return sum + text.utf8.count { $0 == UInt8(ascii: "/") }
    }
  }

  private var stem: String { pieces.map { $0.pattern }.joined() }

  var pattern: String { stem + (hasRest ? "/*" : stem.isEmpty ? "/" : "") }

  /// Whether it is a path and all below it.
  var isOpen: Bool {
    hasRest && pieces.allSatisfy { if case .literal = $0 { true } else { false } }
  }

  /// Patterns for what its own pattern matches besides: a slash where the route has none.
  var guards: [String] {
    var guards: [String] = []
    var place = 0
    while place < pieces.count {
      guard pieces[place].isSlashless else {
        place += 1
        continue
      }
      var end = place
      while end < pieces.count, pieces[end].isSlashless { end += 1 }
      let isLast = end == pieces.count && !hasRest
      let group = pieces[place..<end]
      if group.contains(.run(canHoldSlash: false)) {
        guards.append(guarded(group.indices, isLast ? "*/?*" : "*/*"))
      } else {
        // A slash at the very end does not count (P6).
        for index in group.indices.dropLast(isLast ? 1 : 0) { guards.append(guarded(index..<index + 1, "/")) }
      }
      place = end
    }
    return guards
  }

  private func guarded(_ range: Range<Int>, _ text: String) -> String {
    // The other wildcards of a group stay as they are.
    pieces[..<range.lowerBound].map { $0.pattern }.joined() + text
      + pieces[range.upperBound...].map { $0.pattern }.joined() + (hasRest ? "/*" : "")
  }

  /// A pattern with so many slashes; nil when the route has no page there.
  func pattern(atDepth wanted: Int) -> String? {
    if depth == wanted { return stem.isEmpty ? "/" : stem }
    guard hasRest, wanted > depth else { return nil }
    return stem + String(repeating: "/*", count: wanted - depth - 1) + "/?*"
  }
}

/// Writes routes as patterns.
struct RouteSpeller {
  /// nil where the file can have no variables, as with Android's components (D8).
  var variables: VariableNames?

  /// Our choice: spellings of one route, and pieces of one spelling.
  private static let spellingLimit = 64
  private static let pieceLimit = 256

  private typealias Piece = RouteSpelling.Piece

  /// The spellings of each line; where they are many, those of one shape share them.
  mutating func spellings(of lines: [WantedRule]) -> [SpelledRule] {
    let spelled = lines.flatMap { line -> [SpelledRule] in
      guard let route = line.route else {
        // Where the file has no variables, a rule with one cannot be written.
        return variables == nil && line.settings.usesVariables
          ? [] : [SpelledRule(spelling: nil, settings: line.settings.withoutEffect)]
      }
      return spellings(of: route).map { SpelledRule(spelling: $0, settings: line.settings.withoutEffect) }
    }
    guard let variables else { return spelled }
    var sharing = SpellingSharing(variables: variables)
    defer { self.variables = sharing.variables }
    return sharing.shared(spelled)
  }

  mutating func spellings(of route: Route) -> [RouteSpelling] {
    var forms: [[Piece]] = [[]]
    for segment in route.segments {
      let next: [[Piece]]
      switch segment {
      case .literal(let text): next = [[.literal("/" + text)]]
      case .parameter(let name, let prefix, let suffix, let constraint):
        let values: [[Piece]] =
          switch constraint {
          case .segment: [[.one(canBeSlash: false), .run(canHoldSlash: false)]]
          case .expression(let expression): spellings(of: expression, name)
          case .unknown: [[.run(canHoldSlash: true)]]
          }
        next = values.map { [.literal("/" + prefix)] + $0 + (suffix.isEmpty ? [] : [.literal(suffix)]) }
      }
      // The last parameters of a route with very many spellings are written with wildcards.
      forms = Self.product(forms, next) ?? forms.map { $0 + [.literal("/"), .run(canHoldSlash: false)] }
    }
    return forms.map { RouteSpelling(Self.merged($0), hasRest: route.hasRest) }
  }

  private mutating func spellings(of expression: RegularExpression, _ name: String) -> [[Piece]] {
    spelled(expression, name) ?? [wildcards(for: expression)]
  }

  private func wildcards(for expression: RegularExpression) -> [Piece] {
    let canHoldSlash = expression.holdsSlash
    return (expression.coversEmpty ? [] : [.one(canBeSlash: canHoldSlash)])
      + [.run(canHoldSlash: canHoldSlash)]
  }

  /// nil when there are too many.
  private mutating func spelled(_ expression: RegularExpression, _ name: String) -> [[Piece]]? {
    switch expression {
    case .scalar(let scalar): return [[Self.piece(for: scalar)]]
    case .any: return [[.one(canBeSlash: true)]]
    case .set(let set, let isNegated):
      if isNegated { return [[.one(canBeSlash: !set.contains(Self.slash))]] }
      return spelled(set, name)
    case .sequence(let parts):
      var forms: [[Piece]] = [[]]
      for part in parts {
        guard let next = spelled(part, name), let longer = Self.product(forms, next) else { return nil }
        forms = longer
      }
      return forms
    case .choice(let parts):
      var forms: [[Piece]] = []
      for part in parts {
        guard let next = spelled(part, name) else { return nil }
        for form in next where !forms.contains(form) { forms.append(form) }
      }
      return listed(forms, name)
    case .repeated(let part, let least, let most): return repeated(part, least, most, name)
    }
  }

  private mutating func repeated(
    _ part: RegularExpression, _ least: Int, _ most: Int?, _ name: String
  ) -> [[Piece]]? {
    let tail = [Piece.run(canHoldSlash: part.holdsSlash)]
    if least == 0, most == nil { return [tail] }
    if let most, let numbers = numbers(part, least, most) { return numbers }
    guard let once = spelled(part, name) else { return nil }
    var forms: [[Piece]] = [[]]
    for _ in 0..<least {
      guard let longer = Self.product(forms, once) else { return nil }
      forms = longer
    }
    // Without variables no pattern says which characters, so every length by itself would say nothing more.
    guard let most, !(most - least >= Self.writtenLengths && isBeyondPatterns(part)) else {
      return forms.map { $0 + tail }
    }
    let shortest = forms
    var all = forms
    for _ in least..<most {
      guard let longer = Self.product(forms, once), all.count + longer.count <= Self.spellingLimit else {
        return shortest.map { $0 + tail }
      }
      forms = longer
      all += longer
    }
    return all
  }

  /// Whether a set of characters has too many for a file without variables to name them.
  private func isBeyondPatterns(_ part: RegularExpression) -> Bool {
    guard variables == nil, case .set(let set, false) = part else { return false }
    return set.scalars.count > Self.namedCount
  }

  /// Our choice: so many characters are written out where a file has no variables.
  private static let namedCount = 4

  /// The values of the variable for one or two digits.
  private static let oneOrTwoDigits =
    (0...9).map { "\($0)" } + (0...99).map { ($0 < 10 ? "0" : "") + "\($0)" }
  /// Our choice: this many lengths of a number are a spelling each.
  private static let writtenLengths = 6

  /// Digits of many lengths, each length in one spelling: n digits and m times one or two are n + m to n + 2m digits.
  private mutating func numbers(_ part: RegularExpression, _ least: Int, _ most: Int) -> [[Piece]]? {
    guard case .set(let set, false) = part, set == Self.classes[0].set, variables != nil,
      most - least >= Self.writtenLengths, most <= Self.pieceLimit,
      let name = variables?.name(of: Self.oneOrTwoDigits, wanted: "digits")
    else { return nil }
    var forms: [[Piece]] = least == 0 ? [[]] : []
    var shortest = max(1, least)
    while shortest <= most {
      let longest = min(2 * shortest, most)
      let count = longest - shortest
      forms.append(
        Array(repeating: .variable(Self.classes[0].name), count: shortest - count)
          + Array(repeating: .variable(name), count: count))
      shortest = longest + 1
    }
    return forms
  }

  /// Literals among the forms become the values of one variable.
  private mutating func listed(_ forms: [[Piece]], _ name: String) -> [[Piece]]? {
    var values: [String] = []
    var others: [[Piece]] = []
    for form in forms {
      let merged = Self.merged(form)
      if merged.count == 1, case .literal(let text) = merged[0] {
        values.append(text)
      } else {
        others.append(form)
      }
    }
    guard values.count > 1, variables != nil else {
      return forms.count <= Self.spellingLimit ? forms : nil
    }
    guard let variable = variables?.name(of: values, wanted: name) else { return forms }
    return [[.variable(variable)]] + others
  }

  private static let slash: UInt32 = 0x2F

  private static let classes: [(name: String, set: ScalarSet)] = [
    ("digit", ScalarSet(0x30...0x39)), ("upper", ScalarSet(0x41...0x5A)), ("lower", ScalarSet(0x61...0x7A)),
    ("alpha", ScalarSet(Array(0x41...0x5A) + Array(0x61...0x7A))),
    ("alnum", ScalarSet(Array(0x30...0x39) + Array(0x41...0x5A) + Array(0x61...0x7A))),
    ("xdigit", ScalarSet(Array(0x30...0x39) + Array(0x41...0x46) + Array(0x61...0x66))),
  ]

  private mutating func spelled(_ set: ScalarSet, _ name: String) -> [[Piece]]? {
    let pieces = set.scalars.map(Self.piece)
    if variables != nil, let known = Self.classes.first(where: { $0.set == set }) {
      return [[.variable(known.name)]]
    }
    // Without variables a few characters are written out, and more are a wildcard.
    if variables == nil, pieces.count > Self.namedCount {
      return [[.one(canBeSlash: set.contains(Self.slash))]]
    }
    return listed(pieces.map { [$0] }, name)
  }

  /// There is no escape (P2): what would be a wildcard is any one character.
  private static func piece(for scalar: UInt32) -> Piece {
    guard let value = Unicode.Scalar(scalar), !"*?".unicodeScalars.contains(value) else {
      return .one(canBeSlash: false)
    }
    return .literal(String(value))
  }

  private static func product(_ forms: [[Piece]], _ next: [[Piece]]) -> [[Piece]]? {
    guard forms.count * next.count <= spellingLimit else { return nil }
    let all = forms.flatMap { form in next.map { form + $0 } }
    return all.allSatisfy { $0.count <= pieceLimit } ? all : nil
  }

  /// Neighbouring literals as one, and of neighbouring runs only one.
  static func merged(_ pieces: [RouteSpelling.Piece]) -> [RouteSpelling.Piece] {
    var result: [RouteSpelling.Piece] = []
    for piece in pieces {
      switch (result.last, piece) {
      case (.literal(let before)?, .literal(let text)): result[result.count - 1] = .literal(before + text)
      case (.run(let before)?, .run(let canHoldSlash)):
        result[result.count - 1] = .run(canHoldSlash: before || canHoldSlash)
      default: result.append(piece)
      }
    }
    return result
  }
}
