/// What the values of a type in Swift are made of.
struct StoredValues: Sendable {
  /// The stored properties of a structure or class.
  var properties: [String] = []
  /// The cases of an enumeration.
  var cases: Set<String> = []
  /// Those that hold something.
  var payloads: Set<String> = []
}

extension ReviewedFile {
  /// What a declaration of a type stores; extensions store nothing.
  func storedValues(of type: ReviewedType) -> StoredValues {
    var values = StoredValues()
    var place = type.body.lowerBound
    while place < type.body.upperBound {
      let token = tokens[place]
      if token.isWord("case") {
        readCases(behind: place, in: type.body, &values)
      } else if token.isWord("var") || token.isWord("let"), !belongsToType(place, in: type.body) {
        values.properties += storedNames(behind: place, in: type.body)
      }
      place = max(token.partner ?? place, place) + 1
    }
    return values
  }

  /// `case a, b(Int)`
  private func readCases(behind index: Int, in body: Range<Int>, _ values: inout StoredValues) {
    var place = index + 1
    while place < body.upperBound, tokens[place].kind == .word {
      values.cases.insert(tokens[place].text)
      if place + 1 < body.upperBound, tokens[place + 1].isMark("("), let end = tokens[place + 1].partner {
        values.payloads.insert(tokens[place].text)
        place = end
      }
      // A raw value.
      if place + 2 < body.upperBound, tokens[place + 1].isMark("=") { place += 2 }
      guard place + 1 < body.upperBound, tokens[place + 1].isMark(",") else { return }
      place += 2
    }
  }

  private static let modifiers: Set<String> = [
    "public", "private", "internal", "fileprivate", "package", "open", "static", "class", "final", "lazy",
    "weak", "unowned", "override", "nonisolated", "dynamic",
  ]

  /// Whether `static` or `class` stands before a property, among other words of its kind.
  private func belongsToType(_ index: Int, in body: Range<Int>) -> Bool {
    var place = index - 1
    while place >= body.lowerBound {
      if tokens[place].isMark(")"), let start = tokens[place].partner {
        // `private(set)`
        place = start - 1
        continue
      }
      guard tokens[place].kind == .word, Self.modifiers.contains(tokens[place].text) else { return false }
      if ["static", "class"].contains(tokens[place].text) { return true }
      place -= 1
    }
    return false
  }

  /// The names behind `var` or `let`, of which more than one may share a type; none for a computed property.
  private func storedNames(behind index: Int, in body: Range<Int>) -> [String] {
    var names: [String] = []
    var place = index + 1
    while place < body.upperBound {
      let token = tokens[place]
      if token.isMark("{") {
        let isObserved = ["willSet", "didSet"].contains(tokens[place + 1].text)
        return isObserved ? names : []
      }
      if token.isMark("=") || token.isMark(";") { return names }
      if beginsLine(place), place > index + 1, !tokens[place - 1].isMark(",") { return names }
      if token.kind == .word, tokens[place - 1].isMark(",") || place == index + 1 { names.append(token.text) }
      place = max(token.partner ?? place, place) + 1
    }
    return names
  }

  // MARK: - Comparing

  /// Whether `==` tells apart all that is stored, so that it agrees with a hash made of it.
  func compares(_ function: ReviewedFunction, all values: StoredValues) -> Bool {
    guard let body = function.body, function.parameters.count == 2 else { return false }
    if !values.cases.isEmpty { return comparesCases(body, values.payloads) }
    let isChoice = body.contains { tokens[$0].isMark("||") } && body.contains { tokens[$0].isMark("==") }
    guard !isChoice else { return false }
    let sides = Set(function.parameters.map(\.name))
    return Set(values.properties).isSubset(of: Set(body.compactMap { member(of: sides, comparedAt: $0) }))
  }

  /// The name in `left.name == right.name` around a sign; what has a raw value is equal when that is.
  private func member(of sides: Set<String>, comparedAt sign: Int) -> String? {
    guard tokens[sign].isMark("==") || tokens[sign].isMark("!=") else { return nil }
    let both = [path(before: sign), path(behind: sign)].map { path in
      path.filter { tokens[$0].kind == .word }.map { tokens[$0].text }
    }
    guard both.allSatisfy({ $0.count == 2 || $0.count == 3 && $0[2] == "rawValue" }),
      both[0][1] == both[1][1],
      Set(both.map { $0[0] }) == sides
    else { return nil }
    return both[0][1]
  }

  /// The names with dots between them that end before a sign: `left.name`.
  private func path(before sign: Int) -> Range<Int> {
    var start = sign
    while start > 0, tokens[start - 1].kind == .word || tokens[start - 1].isMark(".") {
      if start < sign, tokens[start].kind == .word, tokens[start - 1].kind == .word { break }
      start -= 1
    }
    return start..<sign
  }

  /// The names with dots between them behind a sign; none where they are called or unwrapped.
  private func path(behind sign: Int) -> Range<Int> {
    var end = sign + 1
    while end < tokens.count, tokens[end].kind == .word || tokens[end].isMark(".") {
      if end > sign + 1, tokens[end].kind == .word, tokens[end - 1].kind == .word { break }
      end += 1
    }
    let goesOn = end < tokens.count && ["(", "[", "?", "!"].contains(tokens[end].text) && !beginsLine(end)
    return goesOn ? sign..<sign : sign + 1..<end
  }

  /// Whether a `switch` over both sides compares what the cases hold.
  private func comparesCases(_ body: Range<Int>, _ payloads: Set<String>) -> Bool {
    let first = body.lowerBound + (tokens[body.lowerBound].isWord("return") ? 1 : 0)
    guard first < body.upperBound, tokens[first].isWord("switch") else { return false }
    let labels = body.filter { tokens[$0].isWord("case") || tokens[$0].isWord("default") }
    for (number, label) in labels.enumerated() {
      let end = number + 1 < labels.count ? labels[number + 1] : body.upperBound
      var colon = label
      while colon < end, !tokens[colon].isMark(":") { colon = max(tokens[colon].partner ?? colon, colon) + 1 }
      guard colon < end else { return false }
      let code = colon + 1..<end
      let isNo = mentions(code, "false") && !mentions(code, "true")
      if isNo, !code.contains(where: { tokens[$0].isMark("==") }) { continue }
      guard tokens[label].isWord("case"), comparesCase(label + 1..<colon, payloads, code) else {
        return false
      }
    }
    return true
  }

  /// Whether a pattern names the same cases on both sides, and the code compares every name that it binds.
  private func comparesCase(_ pattern: Range<Int>, _ payloads: Set<String>, _ code: Range<Int>) -> Bool {
    let names = pattern.filter { index in
      tokens[index].kind == .word && tokens[index - 1].isMark(".")
    }
    guard names.count % 2 == 0, !mentions(pattern, "_"), !code.contains(where: { tokens[$0].isMark("||") })
    else { return false }
    for pair in stride(from: 0, to: names.count, by: 2)
    where tokens[names[pair]].text != tokens[names[pair + 1]].text {
      return false
    }
    let compared = Set(code.flatMap { namesCompared(at: $0) })
    for name in names where payloads.contains(tokens[name].text) {
      let bound = arguments(at: name + 1).filter { index in
        tokens[index].kind == .word && !["let", "var"].contains(tokens[index].text)
          && !tokens[index + 1].isMark(":")
      }
      guard !bound.isEmpty, bound.allSatisfy({ compared.contains(tokens[$0].text) }) else { return false }
    }
    return true
  }

  /// The names that stand alone on a side of `==`.
  private func namesCompared(at sign: Int) -> [String] {
    guard tokens[sign].isMark("==") else { return [] }
    return [path(before: sign), path(behind: sign)].compactMap { side in
      side.contains { tokens[$0].isMark(".") } ? nil : side.last.map { tokens[$0].text }
    }
  }
}
