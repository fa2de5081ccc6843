internal import LinkspanCore

/// Names that are said to be nil at times: parameters of methods, functions and blocks, local names, properties.
extension ReviewedFile {
  private static let marks: Set<String> = ["nullable", "_Nullable", "__nullable", "_nullable"]

  /// The name in an element that may be nil, itself or as the receiver of what is read: `name`, `error.domain`, `self.name`.
  ///
  /// - Parameter properties: Those of ``nullableProperties``.
  func nullableName(in element: Range<Int>, before index: Int, _ properties: Set<String>) -> Int? {
    let first = tokens[element.lowerBound]
    let isProperty = first.isWord("self") && element.count == 3 && tokens[element.lowerBound + 1].isMark(".")
    let place: Int
    if isProperty {
      place = element.lowerBound + 2
      guard properties.contains(tokens[place].text) else { return nil }
    } else {
      // A message to nil gives nil.
      place = first.isMark("[") && element.count == 4 ? element.lowerBound + 1 : element.lowerBound
      let isPath = element.allSatisfy { tokens[$0].kind == .word || tokens[$0].isMark(".") }
      guard tokens[place].kind == .word, isPath || place > element.lowerBound else { return nil }
    }
    let name = tokens[place].text
    guard let declaration = declaration(of: name, around: index, isProperty: isProperty),
      !isAnswered(name, declaration), !isGuarded(place..<place + 1, before: index),
      !isBehindError(index, in: declaration.scope)
    else { return nil }
    return place
  }

  private struct Declaration {
    /// From the name, or from the brace of its function, to the place where it is asked for.
    let scope: Range<Int>
    let isError: Bool
  }

  /// The nearest declaration of a name, where it says that the name may be nil.
  private func declaration(of name: String, around index: Int, isProperty: Bool) -> Declaration? {
    let function = functions.first { $0.body?.contains(index) ?? false }
    let start = max(0, (function?.body?.lowerBound ?? 1) - 1, index - Self.guardLimit)
    if isProperty { return Declaration(scope: start..<index, isError: false) }
    // A block or a local name between, which may shadow a parameter.
    for place in (start..<index).reversed()
    where tokens[place].isWord(name) && isDeclared(place, around: index) {
      // An element of an array: `NSString *_Nullable first = parts[0];`
      if place + 5 < index, tokens[place + 1].isMark("="), tokens[place + 3].isMark("["),
        tokens[place + 4].kind == .number, tokens[place + 5].isMark("]")
      {
        return nil
      }
      let type = (max(start, place - Self.typeLimit)..<place).reversed().prefix {
        ![",", "(", ";", "{", "}"].contains(tokens[$0].text)
      }
      guard type.contains(where: { Self.marks.contains(tokens[$0].text) }) else { return nil }
      return Declaration(scope: place..<index, isError: type.contains { tokens[$0].isWord("NSError") })
    }
    guard let parameter = function?.parameters.first(where: { $0.name == name }),
      !Self.marks.isDisjoint(with: parameter.type)
    else { return nil }
    return Declaration(scope: start..<index, isError: parameter.type.contains("NSError"))
  }

  /// Ours: the words of a type before a name.
  private static let typeLimit = 8

  /// Whether a name is declared there: as a parameter of the block or function around a place, or as a local name.
  private func isDeclared(_ place: Int, around index: Int) -> Bool {
    guard place > 0, place + 1 < tokens.count else { return false }
    let (before, next) = (tokens[place - 1], tokens[place + 1])
    guard before.isMark("*") || Self.marks.contains(before.text) else { return false }
    if next.isMark("=") || next.isMark(";") { return true }
    guard next.isMark(",") || next.isMark(")") else { return false }
    var end = place + 1
    while end < index, !tokens[end].isMark(")") { end += 1 }
    // The block behind its parameters.
    return end + 1 < index && tokens[end + 1].isMark("{") && (tokens[end + 1].partner ?? 0) > index
  }

  /// The properties that the file declares as such that may be nil.
  var nullableProperties: Set<String> {
    var names: Set<String> = []
    for index in tokens.indices where tokens[index].isWord("property") {
      guard index + 2 < tokens.count, tokens[index + 1].isMark("("), let end = tokens[index + 1].partner,
        mentions(index + 2..<end, Self.marks.contains),
        let last = (end..<min(tokens.count, end + Self.typeLimit)).first(where: { tokens[$0].isMark(";") })
      else { continue }
      names.insert(tokens[last - 1].text)
    }
    return names
  }

  /// Whether a place is in the `else` of `if (error)`: without an error there is a result.
  private func isBehindError(_ index: Int, in scope: Range<Int>) -> Bool {
    scope.contains { place in
      guard place > 0, tokens[place].isWord("else"), arguments(at: place + 1).contains(index),
        let start = tokens[place - 1].partner, start > 0, let condition = tokens[start - 1].partner,
        condition < start
      else { return false }
      let words = tokens[condition..<start].filter { $0.kind == .word && !["nil", "NULL"].contains($0.text) }
      return words.count == 1 && words[0].text.lowercased().hasSuffix("error")
        && !tokens[condition..<start].contains { $0.isMark("!") || $0.isMark("==") }
    }
  }

  /// Whether the code before asked for a name, or gave it another value.
  private func isAnswered(_ name: String, _ declaration: Declaration) -> Bool {
    declaration.scope.dropFirst().contains { place in
      // Without a result there is an error: `if (!data) { … error … }`.
      if declaration.isError, tokens[place].isWord("if") { return true }
      guard tokens[place].isWord(name) else { return false }
      let next = tokens[place + 1]
      // `name = name ?: @""`, or `name ? @{ @"name": name } : nil`.
      if next.isMark("=") || next.isMark("?") || next.isMark("&&") || next.isMark("!=") { return true }
      return place > 1 && tokens[place - 1].isMark("(") && tokens[place - 2].text.contains("Assert")
    }
  }
}
