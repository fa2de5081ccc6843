internal import LinkspanCore

/// Where statements begin and end: Swift ends them with the line.
extension ReviewedFile {
  /// Whether a token is the first of its line.
  func beginsLine(_ index: Int) -> Bool {
    guard index > 0 else { return true }
    return source.bytes[tokens[index - 1].range.upperBound..<tokens[index].range.lowerBound].contains(0x0A)
  }

  /// Marks at the beginning of a line that go on with the line before.
  private static let continuations: Set<String> = [
    ".", "?", "??", ":", "&&", "||", "+", "-", "=", ",", ")", "]",
  ]
  private static let open: Set<String> = ["=", ",", "(", "[", "&&", "||", "??", ":", "+", "."]

  /// The place behind a statement that begins at a token.
  func statementEnd(from start: Int, in range: Range<Int>) -> Int {
    var place = start
    while place < range.upperBound {
      let token = tokens[place]
      if token.isMark(";") || token.isMark("}") { return place }
      if language == .swift, place > start, beginsLine(place),
        !(token.kind == .mark && Self.continuations.contains(token.text)),
        !(tokens[place - 1].kind == .mark && Self.open.contains(tokens[place - 1].text))
      {
        return place
      }
      place = max(token.partner ?? place, place) + 1
    }
    return min(place, range.upperBound)
  }

  /// Ours: the words of a statement that are looked at before one of them.
  private static let statementLimit = 400

  /// Where the statement begins that a token belongs to, outside of any brackets around the token.
  func statementStart(of index: Int, in range: Range<Int>) -> Int {
    var place = index
    while place > range.lowerBound, index - place < Self.statementLimit {
      let before = tokens[place - 1]
      if before.isMark(";") || before.isMark("{") || before.isMark("}") && !isChained(place) { return place }
      if language == .swift, beginsLine(place), isStatementBoundary(place) { return place }
      if let partner = before.partner, partner < place - 1 {
        place = partner
      } else {
        place -= 1
      }
    }
    return place
  }

  private func isChained(_ place: Int) -> Bool {
    tokens[place].kind == .mark && Self.continuations.contains(tokens[place].text)
  }

  private func isStatementBoundary(_ place: Int) -> Bool {
    !isChained(place)
      && !(tokens[place - 1].kind == .mark && Self.open.contains(tokens[place - 1].text))
      && !isInsideBrackets(place)
  }

  /// Whether the nearest open bracket before a token is one of a call or a list.
  private func isInsideBrackets(_ index: Int) -> Bool {
    var place = index - 1
    while place >= 0, index - place < Self.statementLimit {
      if let partner = tokens[place].partner {
        if partner > index { return !tokens[place].isMark("{") }
        place = min(partner, place)
      }
      place -= 1
    }
    return false
  }

  /// The beginning of the chain of names, members and brackets that ends before a token: `url.pathComponents` before `[2]`.
  func chainStart(before index: Int) -> Int {
    var place = index
    while place > 0 {
      let before = tokens[place - 1]
      if before.isMark("?") || before.isMark("!") {
        place -= 1
      } else if before.isMark(")") || before.isMark("]") || before.isMark("}"), let partner = before.partner,
        partner < place
      {
        place = partner
        // What a bracket belongs to: a name or another bracket, not the keyword of a statement.
        if place > 0, tokens[place - 1].kind == .word,
          !["if", "guard", "return", "in", "while", "else"].contains(tokens[place - 1].text)
        {
          place -= 1
        } else if place > 0, !["?", "!", ")", "]", "}"].contains(tokens[place - 1].text) {
          return place
        } else {
          continue
        }
      } else if before.kind == .word || before.kind == .text {
        place -= 1
      } else {
        return place
      }
      guard place > 0, tokens[place - 1].isMark(".") else {
        if place > 0, tokens[place].kind != .mark { return place }
        continue
      }
      place -= 1
    }
    return place
  }
}
