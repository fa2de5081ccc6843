/// Finds the implementations and methods of an Objective-C file by their keywords and brackets.
struct ObjectiveCDeclarations {
  private let tokens: [Token]
  private(set) var types: [ReviewedType] = []
  private(set) var functions: [ReviewedFunction] = []

  init(_ tokens: [Token]) {
    self.tokens = tokens
    var place = 0
    while place < tokens.count {
      if tokens[place].isWord("implementation"), place > 0, tokens[place - 1].isMark("@") {
        place = readImplementation(place)
      } else {
        place += 1
      }
    }
  }

  private func at(_ index: Int) -> Token? { index < tokens.count ? tokens[index] : nil }

  /// - Returns: The place behind it.
  private mutating func readImplementation(_ index: Int) -> Int {
    guard let name = at(index + 1), name.kind == .word else { return index + 1 }
    var end = index + 2
    while end < tokens.count, !(tokens[end].isWord("end") && tokens[end - 1].isMark("@")) { end += 1 }
    let body = index + 2..<min(end, tokens.count)
    types.append(
      ReviewedType(
        name: name.text, inherited: [], isExtension: at(index + 2)?.isMark("(") ?? false, isClass: true,
        nameToken: index + 1, body: body))
    var place = body.lowerBound
    while place < body.upperBound {
      if tokens[place].isMark("-") || tokens[place].isMark("+"), let next = at(place + 1), next.isMark("(") {
        place = readMethod(place)
      } else if tokens[place].isMark("{"), let partner = tokens[place].partner {
        place = partner + 1
      } else {
        place += 1
      }
    }
    return end
  }

  /// - Returns: The place behind it.
  private mutating func readMethod(_ index: Int) -> Int {
    guard let typeEnd = tokens[index + 1].partner, let name = at(typeEnd + 1), name.kind == .word else {
      return index + 1
    }
    var parameters: [ReviewedFunction.Parameter] = []
    var place = typeEnd + 1
    while let token = at(place), !token.isMark("{"), !token.isMark(";") {
      guard token.isMark(":"), at(place - 1)?.kind == .word else {
        place += 1
        continue
      }
      let label = tokens[place - 1].text
      var type: [String] = []
      place += 1
      if let open = at(place), open.isMark("("), let close = open.partner {
        type = tokens[place..<close].filter { $0.kind == .word }.map(\.text)
        place = close + 1
      }
      guard let parameter = at(place), parameter.kind == .word else { break }
      parameters.append(.init(label: label, name: parameter.text, type: type))
      place += 1
    }
    let body = at(place).flatMap { token in
      token.isMark("{") ? token.partner.map { place + 1..<$0 } : nil
    }
    functions.append(
      ReviewedFunction(
        name: name.text, parameters: parameters, isStatic: tokens[index].isMark("+"),
        isAnswered: tokens[index..<typeEnd].contains { $0.kind == .word && $0.text.lowercased() == "bool" },
        nameToken: typeEnd + 1, body: body, type: types.count - 1))
    return body.map { $0.upperBound + 1 } ?? place + 1
  }
}
