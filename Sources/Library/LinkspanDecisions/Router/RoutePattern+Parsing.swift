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
    guard let place = places.first else {
      return .literal(URLText.encodedTemplate(text(atoms), keeping: URLText.inSegment))
    }
    guard places.count == 1, case .parameter(let name) = atoms[place] else {
      throw Problem(reason: "a segment has one parameter at most")
    }
    var parameter = try Self.parameter(name)
    guard !parameter.isOptional else {
      throw Problem(
        reason: "'\(parameter.name)' is optional; only the query and the fragment may leave a value out")
    }
    parameter.prefix = URLText.encodedTemplate(text(atoms[..<place]), keeping: URLText.inSegment)
    parameter.suffix = URLText.encodedTemplate(text(atoms[(place + 1)...]), keeping: URLText.inSegment)
    return .parameter(parameter)
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
    return .parameter(try parameter(name))
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
  }

  private static func parameter(_ text: String) throws(Problem) -> Parameter {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var parameter = Parameter(name: String(parts[0]))
    if parameter.name.hasSuffix("?") {
      parameter.name.removeLast()
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

extension PathExpression {
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
