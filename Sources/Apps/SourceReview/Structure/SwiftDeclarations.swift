/// Finds the types and functions of a Swift file by their keywords and brackets.
struct SwiftDeclarations {
  private let tokens: [Token]
  private(set) var types: [ReviewedType] = []
  private(set) var functions: [ReviewedFunction] = []

  private static let typeWords: Set<String> = ["class", "struct", "enum", "extension", "actor", "protocol"]
  /// What begins another declaration, so that a function before it has no body.
  private static let declarationWords: Set<String> = [
    "func", "var", "let", "init", "deinit", "subscript", "case", "class", "struct", "enum", "extension",
    "protocol", "typealias", "associatedtype", "import", "override", "public", "private", "internal",
    "fileprivate", "package", "open", "static", "final", "mutating", "lazy", "weak",
  ]

  init(_ tokens: [Token]) {
    self.tokens = tokens
    for index in tokens.indices where tokens[index].kind == .word && !isMember(index) {
      if Self.typeWords.contains(tokens[index].text) { readType(index) }
    }
    readFunctions()
  }

  private mutating func readFunctions() {
    var around: [Int] = []
    var next = 0
    for index in tokens.indices where tokens[index].kind == .word && !isMember(index) {
      let nameAt: Int
      switch tokens[index].text {
      case "func": nameAt = index + 1
      case "init", "deinit": nameAt = index
      default: continue
      }
      while next < types.count, types[next].body.lowerBound <= index {
        around.append(next)
        next += 1
      }
      while let last = around.last, types[last].body.upperBound <= index { around.removeLast() }
      readFunction(index, nameAt: nameAt, type: around.last)
    }
  }

  /// Whether a word comes after a dot, as in `.init` or `Self.class`.
  private func isMember(_ index: Int) -> Bool { index > 0 && tokens[index - 1].isMark(".") }

  private func at(_ index: Int) -> Token? { index < tokens.count ? tokens[index] : nil }

  private mutating func readType(_ index: Int) {
    // `class func`, `: class {`
    guard let name = at(index + 1), name.kind == .word, !Self.declarationWords.contains(name.text) else {
      return
    }
    var place = index + 2
    var full = name.text
    while let dot = at(place), dot.isMark("."), let part = at(place + 1), part.kind == .word {
      full += "." + part.text
      place += 2
    }
    var inherited: [String] = []
    var isList = false
    var hasConditions = false
    // `<Value: Hashable>` says what a parameter conforms to.
    if let open = at(place), open.isMark("<") { place = behindAngles(place) }
    while let token = at(place), !token.isMark("{") {
      if token.isMark("}") || token.isMark(";") || token.isWord("func") || token.isWord("var") { return }
      if Self.typeWords.contains(token.text), at(place + 1)?.kind == .word { return }
      if token.isMark(":"), !isList, !hasConditions {
        isList = true
      } else if token.isWord("where") {
        isList = false
        hasConditions = true
      } else if isList, token.kind == .word {
        inherited.append(token.text)
      }
      place += 1
    }
    guard let end = at(place)?.partner else { return }
    types.append(
      ReviewedType(
        name: full, inherited: inherited, isExtension: tokens[index].text == "extension",
        isClass: tokens[index].text == "class", nameToken: index + 1, body: place + 1..<end))
  }

  /// The place behind the parameters of a generic type.
  private func behindAngles(_ start: Int) -> Int {
    var depth = 0
    var place = start
    while let token = at(place), !token.isMark("{"), !token.isMark("}") {
      if token.isMark("<") { depth += 1 }
      if token.isMark(">") { depth -= 1 }
      place += 1
      if depth == 0 { break }
    }
    return place
  }

  private mutating func readFunction(_ index: Int, nameAt: Int, type: Int?) {
    guard let name = at(nameAt), name.kind == .word || name.kind == .mark else { return }
    var place = nameAt + 1
    if name.kind == .mark {
      // An operator may have several signs.
      while let token = at(place), token.kind == .mark, !token.isMark("(") { place += 1 }
    } else if name.text == "init", let mark = at(place), mark.isMark("?") || mark.isMark("!") {
      place += 1
    }
    if at(place)?.isMark("<") ?? false {
      while let token = at(place), !token.isMark("("), !token.isMark("{"), !token.isWord("func") {
        place += 1
      }
    }
    var parameters: [ReviewedFunction.Parameter] = []
    if let bracket = at(place), bracket.isMark("(") {
      guard let end = bracket.partner else { return }
      parameters = readParameters(place + 1..<end)
      place = end + 1
    } else if name.text != "deinit" {
      return
    }
    let body = body(from: place)
    let isAnswered = (place..<(body?.lowerBound ?? place)).contains {
      tokens[$0].isWord("Bool") && tokens[$0 - 1].isMark("->")
    }
    functions.append(
      ReviewedFunction(
        name: name.text, parameters: parameters,
        isStatic: index > 0 && (tokens[index - 1].isWord("static") || tokens[index - 1].isWord("class")),
        isAnswered: isAnswered, nameToken: nameAt, body: body, type: type))
  }

  /// The body behind the parameters, past effects and the returned type.
  private func body(from start: Int) -> Range<Int>? {
    var place = start
    while let token = at(place) {
      if token.isMark("{") { return token.partner.map { place + 1..<$0 } }
      if token.isMark("}") || token.isMark(";") || token.isMark("@") || token.isMark("#") { return nil }
      if token.kind == .word, Self.declarationWords.contains(token.text) { return nil }
      place = token.partner.map { max($0, place) + 1 } ?? place + 1
    }
    return nil
  }

  private func readParameters(_ range: Range<Int>) -> [ReviewedFunction.Parameter] {
    var parameters: [ReviewedFunction.Parameter] = []
    var names: [String] = []
    var type: [String] = []
    var isType = false
    // A comma there separates arguments of a generic type.
    var angles = 0
    var place = range.lowerBound
    func finish() {
      if let name = names.last { parameters.append(.init(label: names[0], name: name, type: type)) }
      names = []
      type = []
      isType = false
    }
    while place < range.upperBound {
      let token = tokens[place]
      if token.isMark("<") { angles += 1 }
      if token.isMark(">") { angles -= 1 }
      if token.isMark(","), angles <= 0 {
        finish()
        angles = 0
      } else if token.isMark(":"), !isType {
        isType = true
      } else if token.kind == .word {
        if isType { type.append(token.text) } else { names.append(token.text) }
      } else if let partner = token.partner, partner > place {
        if isType { type += tokens[place..<partner].filter { $0.kind == .word }.map(\.text) }
        place = partner
      }
      place += 1
    }
    finish()
    return parameters
  }
}
