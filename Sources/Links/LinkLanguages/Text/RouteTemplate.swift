/// A template of the library `Linkspan` as the routes with colons that it stands for: `/shop/{id:int}/{tab?}` as
/// `/shop/:id([0-9]{1,18})/:tab` and the same without `/:tab`.
enum RouteTemplate {
  private enum Piece {
    case text(Character)
    /// Part of a constraint in parentheses, where a slash divides nothing.
    case constraint(Character)
    /// What is in braces.
    case parameter(String)

    var isParameter: Bool { if case .parameter = self { true } else { false } }
  }

  private struct Parameter {
    var name: String
    var isOptional = false
    var isRest = false
    /// nil for any text of a segment.
    var expression: String?
  }

  /// The routes, the longest first, and the template's query and fragment; a text without braces is one route, as it is.
  ///
  /// - Throws: What `Linkspan` would refuse in a path, too.
  static func routes(_ template: String) throws(Route.Problem) -> (texts: [String], rest: String) {
    let (pieces, rest) = try pieces(of: template)
    guard !rest.isEmpty || pieces.contains(where: { $0.isParameter }) else { return ([template], "") }
    var texts: [String] = []
    var optional = 0
    for part in pieces.split(omittingEmptySubsequences: false, whereSeparator: { Self.text($0) == "/" }) {
      let segment = try segment(Array(part), of: template)
      guard segment.isOptional || optional == 0 else {
        throw refused(template, "only the last segments may be optional")
      }
      optional += segment.isOptional ? 1 : 0
      texts.append(segment.text)
    }
    let paths = (0...optional).map { count in
      let path = texts.dropLast(count).joined(separator: "/")
      return path.isEmpty ? "/" : path
    }
    return (paths, rest)
  }

  private static func refused(_ template: String, _ reason: String) -> Route.Problem {
    Route.Problem(description: "'\(template)' is not a route: \(reason).")
  }

  private static func text(_ piece: Piece) -> Character? {
    if case .text(let character) = piece { character } else { nil }
  }

  /// The template up to its query or fragment, and these.
  private static func pieces(of template: String) throws(Route.Problem) -> ([Piece], rest: String) {
    var pieces: [Piece] = []
    var inside = ""
    var (braces, parentheses, isEscaped) = (0, 0, false)
    let lastBrace = template.lastIndex(of: "{") ?? template.startIndex
    var hasParameter = false
    for (index, character) in zip(template.indices, template) {
      defer { isEscaped = character == "\\" && !isEscaped }
      if braces > 0 {
        if !isEscaped { braces += character == "{" ? 1 : character == "}" ? -1 : 0 }
        if braces > 0 {
          inside.append(character)
        } else {
          pieces.append(.parameter(inside))
          (inside, hasParameter) = ("", true)
        }
        continue
      }
      if !isEscaped { parentheses += character == "(" ? 1 : character == ")" ? -1 : 0 }
      if parentheses > 0 || character == ")" {
        pieces.append(.constraint(character))
      } else if character == "{" {
        braces = 1
      } else if "?#".contains(character), hasParameter || index < lastBrace {
        return (pieces, String(template[index...]))
      } else {
        pieces.append(.text(character))
      }
    }
    guard braces == 0 else { throw refused(template, "'{' has no '}'") }
    return (pieces, "")
  }

  private static func segment(
    _ pieces: [Piece], of template: String
  ) throws(Route.Problem) -> (text: String, isOptional: Bool) {
    var parameters: [Parameter] = []
    // Before, between and behind the parameters.
    var texts = [""]
    for piece in pieces {
      switch piece {
      case .text(let character), .constraint(let character): texts[texts.count - 1].append(character)
      case .parameter(let text):
        parameters.append(try parameter(text, of: template))
        texts.append("")
      }
    }
    guard let first = parameters.first else { return (texts[0], false) }
    guard pieces.count == 1 || !parameters.contains(where: { $0.isRest || $0.isOptional }) else {
      throw refused(template, "'{name...}' and '{name?}' need a segment of their own")
    }
    if first.isRest { return ("*", false) }
    guard parameters.count == 1 else { return (shared(parameters, texts), false) }
    let isApart = texts[1].first.map { !isNameCharacter($0) } ?? true
    let expression = first.expression ?? (isApart ? nil : "[^/]+")
    return ("\(texts[0]):\(first.name)\(expression.map { "(\($0))" } ?? "")\(texts[1])", first.isOptional)
  }

  /// Several parameters of a segment, as one with an expression.
  private static func shared(_ parameters: [Parameter], _ texts: [String]) -> String {
    var expression = escaped(texts[0])
    for (place, (parameter, behind)) in zip(parameters, texts.dropFirst()).enumerated() {
      // All but the last cannot contain what the text behind begins with; the percent sign begins what is not ASCII.
      let isLast = place == parameters.count - 1
      let end = isLast ? "" : behind.first.map { $0.isASCII ? escaped(String($0)) : "%" } ?? ""
      expression += parameter.expression.map { "(?:\($0))" } ?? "[^/\(end)]+"
      expression += escaped(behind)
    }
    return ":\(parameters[0].name)(\(expression))"
  }

  private static func isNameCharacter(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || character == "_")
  }

  private static func escaped(_ text: String) -> String {
    text.map { $0.isASCII && !isNameCharacter($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func parameter(_ text: String, of template: String) throws(Route.Problem) -> Parameter {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var parameter = Parameter(name: String(parts[0]))
    if parts.count == 1, parameter.name.hasSuffix("...") {
      parameter.name.removeLast(3)
      parameter.isRest = true
    } else if parameter.name.hasSuffix("?") {
      parameter.name.removeLast()
      parameter.isOptional = true
    }
    guard !parameter.name.isEmpty, parameter.name.allSatisfy({ isNameCharacter($0) || $0 == "-" }) else {
      throw refused(template, "'{\(text)}': a parameter is written {name}, {name:int} or {name:~REGEX}")
    }
    // A route's names have no dashes.
    parameter.name = String(parameter.name.map { $0 == "-" ? "_" : $0 })
    guard parts.count == 2 else { return parameter }
    let kind = String(parts[1])
    guard kind.hasPrefix("~") || kinds.keys.contains(kind) else {
      let known = kinds.keys.sorted().joined(separator: ", ")
      throw refused(template, "'{\(text)}': unknown kind '\(kind)'; expected \(known) or ~REGEX")
    }
    parameter.expression = kind.hasPrefix("~") ? withoutSlashes(kind.dropFirst()) : kinds[kind] ?? nil
    return parameter
  }

  /// As the library `Linkspan` reads them.
  private static let kinds: [String: String?] = [
    "string": nil, "int": "[0-9]{1,18}", "hex": "[0-9A-Fa-f]+",
    "uuid": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
  ]

  private static func negated(_ name: Character) -> String? {
    switch name {
    case "D": "[^/0-9]"
    case "W": "[^/0-9A-Za-z_]"
    case "S": "[^/]"
    default: nil
    }
  }

  /// An expression whose `.`, negated sets and negated classes leave the slash out, as they do in a template.
  private static func withoutSlashes(_ expression: Substring) -> String {
    var text = ""
    var (isEscaped, isInSet) = (false, false)
    for character in expression {
      if isEscaped, !isInSet, let set = negated(character) {
        text.removeLast()
        text += set
      } else if !isEscaped, !isInSet, character == "." {
        text += "[^/]"
      } else if isInSet, character == "^", text.hasSuffix("["), !text.hasSuffix("\\[") {
        text += "^/"
      } else {
        text.append(character)
      }
      if !isEscaped, character == "[" { isInSet = true }
      if !isEscaped, character == "]" { isInSet = false }
      isEscaped = character == "\\" && !isEscaped
    }
    return text
  }
}
