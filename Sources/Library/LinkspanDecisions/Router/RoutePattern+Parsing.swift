extension RoutePattern {
  /// Why a template cannot be used.
  struct Problem: Error {
    var reason: String
  }

  private enum Atom {
    case character(Character)
    case parameter(String)

    func isCharacter(_ character: Character) -> Bool {
      if case .character(character) = self { true } else { false }
    }
  }

  /// Our choice: deeper paths than this are read by no route but one that ends in `*`.
  static let segmentLimit = 60

  init(_ text: String) throws(Problem) {
    self.text = text
    guard text.hasPrefix("/") else { throw Problem(reason: "it does not begin with '/'") }
    var atoms = try Self.atoms(of: text)[...]
    if let hash = atoms.firstIndex(where: { $0.isCharacter("#") }) {
      fragment = try Self.condition(atoms[(hash + 1)...], keeping: URLText.inFragment, part: "the fragment")
      atoms = atoms[..<hash]
    }
    if let mark = atoms.firstIndex(where: { $0.isCharacter("?") }) {
      for item in atoms[(mark + 1)...].split(whereSeparator: { $0.isCharacter("&") }) {
        query.append(try Self.item(item))
      }
      atoms = atoms[..<mark]
    }
    let parts = atoms.split(whereSeparator: { $0.isCharacter("/") })
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, let rest = try Self.rest(part) {
        self.rest = rest
      } else {
        segments.append(try Self.segment(part))
      }
    }
    try checkOptionalSegments()
    guard segments.count <= Self.segmentLimit else {
      throw Problem(reason: "it has more than \(Self.segmentLimit) segments")
    }
    var seen: Set<String> = []
    for name in names where !seen.insert(name).inserted {
      throw Problem(reason: "two parameters are named '\(name)'")
    }
    var items: Set<String> = []
    for item in query where !items.insert(item.name).inserted {
      throw Problem(reason: "the query item '\(item.name)' is there twice")
    }
  }

  private func checkOptionalSegments() throws(Problem) {
    var optional: String?
    for segment in segments {
      if case .parameters(let parameters) = segment, parameters[0].isOptional {
        optional = parameters[0].name
      } else if let optional {
        throw Problem(reason: "'\(optional)' is optional; only the last segments may be missing")
      }
    }
    if let optional, rest != .none {
      throw Problem(reason: "'\(optional)' is optional, and the rest of the path comes after it")
    }
  }

  /// Parameters are one atom each, so that the braces and slashes of their constraints divide nothing.
  private static func atoms(of text: String) throws(Problem) -> [Atom] {
    var atoms: [Atom] = []
    var depth = 0
    var parameter = ""
    var isEscaped = false
    for character in text {
      if depth == 0 {
        if character == "{" {
          depth = 1
        } else if character == "}" {
          throw Problem(reason: "'}' has no '{'")
        } else {
          atoms.append(.character(character))
        }
        continue
      }
      if !isEscaped { depth += character == "{" ? 1 : character == "}" ? -1 : 0 }
      isEscaped = character == "\\" && !isEscaped
      if depth == 0 {
        atoms.append(.parameter(parameter))
        parameter = ""
      } else {
        parameter.append(character)
      }
    }
    guard depth == 0 else { throw Problem(reason: "'}' is missing") }
    return atoms
  }

  private static func text(_ atoms: ArraySlice<Atom>) -> String {
    var text = ""
    for case .character(let character) in atoms { text.append(character) }
    return text
  }

  private static func rest(_ atoms: ArraySlice<Atom>) throws(Problem) -> Rest? {
    guard atoms.count == 1 else { return nil }
    switch atoms.first {
    case .character("*"): return .anything
    case .parameter(let text) where text.hasSuffix("..."):
      let name = String(text.dropLast(3))
      guard isName(name) else { throw Problem(reason: "'{\(text)}' has no name") }
      return .named(name)
    default: return nil
    }
  }

  private static func segment(_ atoms: ArraySlice<Atom>) throws(Problem) -> Segment {
    if atoms.contains(where: { $0.isCharacter("*") }) {
      throw Problem(reason: "'*' may only be the last segment; write {name} for one segment")
    }
    let places = atoms.indices.filter { if case .parameter = atoms[$0] { true } else { false } }
    guard !places.isEmpty else {
      return .literal(URLText.encodedTemplate(text(atoms), keeping: URLText.inSegment))
    }
    var parameters: [Parameter] = []
    var start = atoms.startIndex
    for place in places {
      guard case .parameter(let name) = atoms[place] else { continue }
      var parameter = try Self.parameter(name)
      guard !parameter.isRepeated else {
        throw Problem(reason: "'\(parameter.name)' is repeated; only an item of the query may come often")
      }
      guard !parameter.isOptional || places.count == 1 else {
        throw Problem(reason: "'\(parameter.name)' is optional; it needs a segment of its own")
      }
      parameter.prefix = URLText.encodedTemplate(text(atoms[start..<place]), keeping: URLText.inSegment)
      if let last = parameters.indices.last {
        parameters[last] = try parameters[last].ending(before: parameter)
      }
      parameters.append(parameter)
      start = place + 1
    }
    parameters[parameters.count - 1].suffix = URLText.encodedTemplate(
      text(atoms[start...]), keeping: URLText.inSegment)
    return .parameters(parameters)
  }

  private static func item(_ atoms: ArraySlice<Atom>) throws(Problem) -> Item {
    guard let equals = atoms.firstIndex(where: { $0.isCharacter("=") }) else {
      throw Problem(reason: "a query item is written name={value}, or name=text")
    }
    let name = text(atoms[..<equals])
    guard !name.isEmpty, atoms[..<equals].count == name.count else {
      throw Problem(reason: "a query item's name is text, as in page={page:int}")
    }
    return Item(
      name: URLText.encodedTemplate(name, keeping: URLText.inQueryValue),
      condition: try condition(
        atoms[(equals + 1)...], keeping: URLText.inQueryValue, part: "the query item '\(name)'"))
  }

  private static func condition(
    _ atoms: ArraySlice<Atom>, keeping allowed: ByteSet, part: String
  ) throws(Problem) -> Condition {
    let text = text(atoms)
    if atoms.count == text.count {
      guard !text.isEmpty else { throw Problem(reason: "\(part) has no value") }
      return .literal(URLText.encodedTemplate(text, keeping: allowed))
    }
    guard atoms.count == 1, case .parameter(let name) = atoms.first else {
      throw Problem(reason: "\(part) is either text or one parameter")
    }
    let parameter = try parameter(name)
    guard !parameter.isRepeated || part != "the fragment" else {
      throw Problem(reason: "'\(parameter.name)' is repeated; only an item of the query may come often")
    }
    return .parameter(parameter)
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
  }

  private static func parameter(_ text: String) throws(Problem) -> Parameter {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var parameter = Parameter(name: String(parts[0]))
    if parameter.name.hasSuffix("?") || parameter.name.hasSuffix("*") {
      parameter.isRepeated = parameter.name.removeLast() == "*"
      parameter.isOptional = true
    }
    guard isName(parameter.name) else {
      throw Problem(reason: "'{\(text)}': a parameter is written {name}, {name:int} or {name:~REGEX}")
    }
    guard parts.count == 2 else { return parameter }
    let kind = String(parts[1])
    do throws(PathExpression.Problem) {
      guard
        let expression = try kind.hasPrefix("~")
          ? .parse(String(kind.dropFirst())) : PathExpression.kinds[kind]
      else {
        let known = PathExpression.kinds.keys.sorted().joined(separator: ", ")
        throw PathExpression.Problem(reason: "unknown kind '\(kind)'; expected \(known) or ~REGEX")
      }
      guard !expression.acceptsEmpty else {
        throw PathExpression.Problem(reason: "it accepts the empty text, which no segment is")
      }
      parameter.expression = expression
      if expression != .segment { parameter.matcher = try SegmentMatcher(expression) }
    } catch {
      throw Problem(reason: "'{\(text)}': \(error.reason)")
    }
    return parameter
  }
}

extension RoutePattern.Parameter {
  /// The parameter in front of another one in its segment: it cannot contain what the text between them begins with.
  fileprivate func ending(before next: RoutePattern.Parameter) throws(RoutePattern.Problem) -> Self {
    guard let separator = next.prefix.utf8.first else {
      throw RoutePattern.Problem(
        reason: "'\(name)' and '\(next.name)' need text between them, such as {\(name)}-{\(next.name)}")
    }
    let others = ByteSet.inSegment.intersection(ByteSet([separator]).inverted)
    var copy = self
    do throws(PathExpression.Problem) {
      if expression == .segment {
        copy.expression = .repeated(.set(others), least: 1, most: nil)
        copy.matcher = try SegmentMatcher(copy.expression)
      } else if expression.alphabet.contains(separator) {
        throw PathExpression.Problem(
          reason: "it may contain '\(UnicodeScalar(separator))', with which the text behind it begins")
      }
    } catch {
      throw RoutePattern.Problem(reason: "'{\(name)}': \(error.reason)")
    }
    return copy
  }
}

extension PathExpression {
  /// Every byte that some text of it contains.
  fileprivate var alphabet: ByteSet {
    switch self {
    case .set(let set): set
    case .sequence(let parts), .choice(let parts): parts.reduce(ByteSet()) { $0.union($1.alphabet) }
    case .repeated(let part, _, _): part.alphabet
    }
  }

  /// Our choice: whole numbers have at most 18 digits, so that each of them fits an `Int` of 64 bits.
  static let kinds: [String: PathExpression] = {
    func hexadecimal(_ count: Int) -> PathExpression {
      .repeated(.set(.hexadecimal), least: count, most: count)
    }
    let dash = PathExpression.literal("-")
    return [
      "string": .segment,
      "int": .repeated(.set(.digits), least: 1, most: 18),
      "hex": .repeated(.set(.hexadecimal), least: 1, most: nil),
      "uuid": .sequence(
        [
          hexadecimal(8), dash, hexadecimal(4), dash, hexadecimal(4), dash, hexadecimal(4), dash,
          hexadecimal(12),
        ]),
    ]
  }()
}
