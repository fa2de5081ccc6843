internal import LinkspanCore

/// A route as routers write it: `/buy/:id`, `/buy/:id(\\d+)`, `/b/*`. A parameter is one segment that is not empty, or what its
/// regular expression says; a last `*` is anything below, and the path before it too, as with `/*` in an association file.
/// Trailing slashes do not count.
///
/// The templates of the library `Linkspan` and the routes of other routers are read, too (``reading(_:)``).
package struct Route: Hashable, Sendable {
  package enum Segment: Hashable, Sendable {
    case literal(String)
    /// What stands around a parameter in its segment, such as `@` in `/@:name`.
    case parameter(name: String, prefix: String, suffix: String, constraint: Constraint = .segment)

    package var isParameter: Bool { if case .parameter = self { true } else { false } }
  }

  /// What a parameter may be.
  package enum Constraint: Hashable, Sendable {
    /// One or more characters without a slash.
    case segment
    case expression(RegularExpression)
    /// An expression that no automaton decides, with the reason.
    case unknown(String)
  }

  /// As it was written.
  package let text: String
  package let segments: [Segment]
  /// Whether it ends in `*`.
  package let hasRest: Bool

  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The routes that a text stands for: one, or of a template such as `/shop/{id:int}/{tab?}` one for each number of
  /// optional segments.
  ///
  /// - Returns: With the template's query and fragment, which no route has.
  /// - Throws: What is wrong with the text, and what to write.
  package static func reading(_ text: String) throws(Problem) -> (routes: [Route], rest: String) {
    let (texts, rest) = try RouteTemplate.routes(RouteSpelling.template(text))
    var routes: [Route] = []
    for path in texts { routes.append(try Route(path, writtenAs: text)) }
    return (routes, rest)
  }

  /// - Parameters:
  ///   - text: A constraint may stand behind its parameter in parentheses.
  ///   - constraints: Regular expressions by the names of parameters.
  /// - Throws: What is wrong with the text, and what to write.
  package init(_ text: String, constraints: [String: String] = [:]) throws(Problem) {
    try self.init(text, constraints: constraints, writtenAs: text)
  }

  private init(_ text: String, constraints: [String: String] = [:], writtenAs written: String)
    throws(Problem)
  {
    func problem(_ reason: String) -> Problem {
      Problem(
        description: "'\(written)' is not a route: \(reason). Write a path such as /buy/:id or /help/*.")
    }
    self.text = written
    guard text.hasPrefix("/") else { throw problem("it does not begin with '/'") }
    guard var parts = Self.parts(of: text) else { throw problem("'(' has no ')'") }
    guard !parts.contains("") else {
      throw problem("'//' is an empty segment, which no pattern and no parameter stands for")
    }
    hasRest = parts.last == "*"
    if hasRest { parts.removeLast() }
    var segments: [Segment] = []
    var names: Set<String> = []
    for part in parts {
      let isPlain = part.prefix { $0 != ":" }
      // No URL holds a bracket, so one is of a template, such as '/buy/{id}' or '/buy/[id]', and means no text.
      if let bad = isPlain.first(where: { "*?#{}[]<>".contains($0) }) {
        throw problem("'\(bad)' stands inside a segment")
      }
      guard let colon = part.firstIndex(of: ":") else {
        segments.append(.literal(Self.encoded(part)))
        continue
      }
      let rest = part[part.index(after: colon)...]
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      var suffix = rest.dropFirst(name.count)
      names.insert(String(name))
      var expression = constraints[String(name)]
      if suffix.first == "(", let end = Self.closing(suffix) {
        expression = String(suffix[suffix.index(after: suffix.startIndex)..<end])
        suffix = suffix[suffix.index(after: end)...]
      }
      guard !name.isEmpty else { throw problem("a parameter has no name; write one, such as ':id'") }
      guard !suffix.contains(":") else {
        throw problem("a segment has one parameter at most, such as ':id'")
      }
      if let bad = suffix.first(where: { "*?#(){}[]<>".contains($0) }) {
        throw problem("'\(bad)' stands inside a segment")
      }
      let constraint: Constraint
      do throws(RegularExpression.Problem) {
        constraint =
          try expression.map { text throws(RegularExpression.Problem) in
            .expression(try RegularExpression(text, spelling: Self.spelling))
          } ?? .segment
      } catch {
        guard error.isBeyondAutomata else {
          throw problem("the expression of ':\(name)' is broken: \(error.reason)")
        }
        constraint = .unknown("the expression of ':\(name)': \(error.reason)")
      }
      segments.append(
        .parameter(
          name: String(name), prefix: Self.encoded(String(part[..<colon])),
          suffix: Self.encoded(String(suffix)),
          constraint: constraint))
    }
    if let name = constraints.keys.sorted().first(where: { !names.contains($0) }) {
      throw problem("'constraints' names '\(name)', which is no parameter of it")
    }
    self.segments = segments
    guard HeldText.holds(pattern { _ in "x" }.filter { $0 != "*" }) else {
      throw problem(
        "it is the path of no URL, in which '.' and '..' are resolved and two digits follow each '%'")
    }
  }

  /// The segments, cut at slashes that stand in no expression; nil where an expression has no end. Trailing slashes are
  /// left out; two slashes in front of anything else have an empty segment between them (P9).
  private static func parts(of text: String) -> [String]? {
    var parts: [String] = []
    let end = text.lastIndex { $0 != "/" }.map(text.index(after:)) ?? text.startIndex
    var rest = text[..<end]
    while !rest.isEmpty {
      rest = rest.dropFirst()
      var end = rest.startIndex
      while end < rest.endIndex, rest[end] != "/" {
        if rest[end] == "(" {
          guard let close = closing(rest[end...]) else { return nil }
          end = close
        }
        end = rest.index(after: end)
      }
      parts.append(String(rest[..<end]))
      rest = rest[end...]
    }
    return parts
  }

  /// Where the parenthesis closes that the text begins with.
  private static func closing(_ text: Substring) -> Substring.Index? {
    var depth = 0
    var isInSet = false
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case "\\":
        index = text.index(after: index)
        if index == text.endIndex { return nil }
      case "[": isInSet = true
      case "]": isInSet = false
      case "(" where !isInSet: depth += 1
      case ")" where !isInSet:
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
      index = text.index(after: index)
    }
    return nil
  }

  /// Why URLs of the route are not decided; nil where they are.
  package var unknown: String? {
    for case .parameter(_, _, _, .unknown(let reason)) in segments { return reason }
    return nil
  }

  /// As a URL carries it: what is no URL character is percent-encoded, and what is encoded stays.
  private static func encoded(_ text: String) -> String {
    ASCII.percentEncoded(Array(text.utf8), keeping: HeldCharacter.isOne)
  }

  /// The same for one scalar of a constraint, which stands for itself: so `?` begins no query.
  private static func spelling(_ scalar: UInt32) -> [UInt32] {
    guard let value = Unicode.Scalar(scalar) else { return [scalar] }
    return ASCII.percentEncoded(Array(String(value).utf8)) {
      HeldCharacter.isOne($0) && $0 != UInt8(ascii: "?")
    }
    .unicodeScalars.map { $0.value }
  }

  /// The nearest pattern of an association file: each parameter `?*`, which matches slashes too.
  ///
  /// - Parameter parameter: What stands for a parameter, by its place among the segments.
  package func pattern(_ parameter: (Int) -> String = { _ in "?*" }) -> String {
    let path = segments.enumerated().map { index, segment in
      switch segment {
      case .literal(let text): "/" + text
      case .parameter(_, let prefix, let suffix, _): "/" + prefix + parameter(index) + suffix
      }
    }.joined()
    return path + (hasRest ? "/*" : path.isEmpty ? "/" : "")
  }

  /// The paths it stands for, and how many of the elements are the path before `/*`.
  package var elements: (elements: [PatternElement], parentCount: Int?) {
    func scalars(_ text: String) -> [PatternElement] { text.unicodeScalars.map { .scalar($0.value) } }
    var elements: [PatternElement] = []
    var parentCount: Int?
    for (index, segment) in segments.enumerated() {
      // Trailing slashes do not count, so `/a/` with an empty parameter behind it is `/a`.
      if index == segments.count - 1, case .parameter(_, "", "", .expression(let expression)) = segment,
        expression.coversEmpty
      {
        parentCount = elements.count
      }
      elements += scalars("/")
      switch segment {
      case .literal(let text): elements += scalars(text)
      case .parameter(_, let prefix, let suffix, let constraint):
        elements += scalars(prefix)
        switch constraint {
        case .segment: elements.append(.segment)
        case .expression(let expression): elements.append(.expression(expression))
        // Whatever it may be.
        case .unknown: elements.append(.run)
        }
        elements += scalars(suffix)
      }
    }
    guard hasRest else { return (elements, parentCount) }
    return (elements + scalars("/") + [.run], elements.count)
  }
}
