internal import LinkspanCore

/// The values in a function that come from a link, and where one is used as if it were sure to be there and right.
struct LinkValues {
  let file: ReviewedFile
  let body: Range<Int>
  private(set) var names: Set<String> = []
  /// Names of texts that have such a value within: `"show('\(text)')"`.
  private var textNames: Set<String> = []
  /// Those that were made of a value with few forms: a number, an identifier, a case of an enum.
  private var cleanNames: Set<String> = []
  /// Those that are one part of a path, and of no folder.
  private var partNames: Set<String> = []
  /// Those of URLs that begin with a site that is written out.
  private var siteNames: Set<String> = []
  /// Those of lists that may be empty.
  private var emptyNames: Set<String> = []
  /// Those of lists with one element at least, whatever they are called.
  private var filledNames: Set<String> = []

  /// What is read of a link.
  private static let sources: Set<String> = [
    "queryItems", "percentEncodedQueryItems", "query", "percentEncodedQuery", "pathComponents",
    "lastPathComponent", "fragment", "queryParameters", "queryParams", "queryDictionary",
  ]

  /// What makes parts of a path.
  private static let splitting: Set<String> = ["split", "components", "componentsSeparatedByString"]

  init(_ body: Range<Int>, of file: ReviewedFile) {
    self.file = file
    self.body = body
    // Twice, because a closure may come before what it reads is named.
    for index in body where file.tokens[index].isMark("=") || file.tokens[index].isWord("in") {
      name(at: index)
    }
  }

  var tokens: [Token] { file.tokens }

  func isValue(_ index: Int) -> Bool {
    guard tokens[index].kind == .word else { return false }
    if names.contains(tokens[index].text) {
      return !tokens[index - 1].isMark(".") || tokens[index - 2].isWord("self")
    }
    guard index + 1 < tokens.count else { return false }
    if Self.splitting.contains(tokens[index].text) {
      let chain = max(body.lowerBound, index - 8)..<index
      return chain.contains {
        ["path", "absoluteString", "relativePath", "resourceSpecifier"].contains(tokens[$0].text)
      }
    }
    return Self.sources.contains(tokens[index].text) && !tokens[index + 1].isMark(":")
  }

  func hasValue(_ range: Range<Int>) -> Bool { range.contains(where: isValue) }

  /// Whether a value is a URL of a site that is written out: `"https://example.com/" + id`.
  func isOfKnownSite(_ index: Int) -> Bool { siteNames.contains(tokens[index].text) }

  // MARK: - Text

  /// Whether a token brings any text that the link has: a value, or a text with one within.
  ///
  /// - Parameter isPath: Whether the text names a file, where one part of a path is harmless.
  func bringsText(_ index: Int, isPath: Bool = false) -> Bool {
    let token = tokens[index]
    switch token.kind {
    case .word:
      if isPath, Self.partSources.contains(token.text) || partNames.contains(token.text) { return false }
      return isValue(index) && !cleanNames.contains(token.text)
        || textNames.contains(token.text) && !tokens[index - 1].isMark(".")
    case .text: return file.language == .swift && interpolatesText(token.text, isPath: isPath)
    case .number, .mark: return false
    }
  }

  private func interpolatesText(_ text: String, isPath: Bool) -> Bool {
    text.split(separator: "\\(", omittingEmptySubsequences: false).dropFirst().contains { part in
      let words = Self.words(in: part)
      if words.contains(where: { Self.numbers.contains($0.text) }) { return false }
      return words.contains { word, isMember in
        if isMember { return Self.sources.contains(word) && !(isPath && Self.partSources.contains(word)) }
        return (names.contains(word) || textNames.contains(word)) && !cleanNames.contains(word)
          && !(isPath && partNames.contains(word))
      }
    }
  }

  /// The words of an interpolation, up to the bracket that ends it.
  private static func words(in part: Substring) -> [(text: String, isMember: Bool)] {
    var words: [(text: String, isMember: Bool)] = []
    var depth = 0
    var before: Character = " "
    var isInWord = false
    for character in part {
      let isLetter = character.isLetter || character.isNumber || character == "_"
      if isLetter, isInWord {
        words[words.count - 1].text.append(character)
      } else if isLetter {
        words.append((String(character), before == "."))
      }
      isInWord = isLetter
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth < 0 { break }
      if !"?!".contains(character) { before = character }
    }
    return words
  }

  private static let numbers: Set<String> = [
    "Int", "UInt", "Int32", "Int64", "UInt64", "Double", "Float", "NSUUID",
  ]

  /// What is one part of a path.
  private static let partSources: Set<String> = ["lastPathComponent", "pathComponents", "pathExtension"]

  /// Notes what a name has that gets a value.
  private mutating func noteText(_ name: String, _ value: Range<Int>) {
    if value.contains(where: { tokens[$0].kind == .text && tokens[$0].text.contains("://") }) {
      siteNames.insert(name)
    }
    if !value.contains(where: { bringsText($0) }) {
      if hasValue(value) { cleanNames.insert(name) }
      return
    }
    cleanNames.remove(name)
    if value.contains(where: isConversion) {
      cleanNames.insert(name)
    } else {
      if !hasValue(value) { textNames.insert(name) }
      let isPart =
        !value.contains { bringsText($0, isPath: true) }
        || value.last.map { tokens[$0].isWord("lastPathComponent") } ?? false
      if isPart { partNames.insert(name) }
    }
  }

  /// Whether a call makes something else of a text, with few forms: `Int(text)`, `Page(rawValue: text)`, `[text integerValue]`.
  private func isConversion(_ index: Int) -> Bool {
    guard tokens[index].kind == .word else { return false }
    let text = tokens[index].text
    if text == "rawValue" || text == "uuidString" { return tokens[index + 1].isMark(":") }
    return Self.numbers.contains(text)
      || ["integerValue", "intValue", "longLongValue", "doubleValue"].contains(text)
      || text == "JSONEncoder" || text == "JSONSerialization" || text == "encode"
  }

  /// `let id = items.first?.value`, `for item in items`.
  private mutating func name(at sign: Int) {
    guard sign > body.lowerBound + 1 else { return }
    var place = sign - 1
    // A type may stand between: `let items: [URLQueryItem] = …`.
    if let colon = (max(body.lowerBound, sign - 8)..<sign).last(where: { tokens[$0].isMark(":") }),
      colon > body.lowerBound + 1, ["let", "var"].contains(tokens[colon - 2].text)
    {
      place = colon - 1
    }
    guard tokens[place].kind == .word, place > body.lowerBound else { return }
    let isNew =
      file.language == .swift
      ? ["let", "var", "for"].contains(tokens[place - 1].text)
      : tokens[place - 1].isMark("*") || tokens[place - 1].kind == .word || tokens[place - 1].isMark(">")
    guard isNew else { return }
    var end = sign + 1
    while end < body.upperBound {
      let token = tokens[end]
      if [",", ";", "}"].contains(token.text) && token.kind == .mark || token.isWord("else") { break }
      if token.isMark("{"), file.language == .objectiveC || file.isBlock(end) { break }
      if file.language == .swift, end > sign + 1, file.beginsLine(end),
        ![".", "?", "??", ":"].contains(token.text)
      {
        break
      }
      end = max(token.partner ?? end, end) + 1
    }
    let value = sign + 1..<min(end, body.upperBound)
    noteText(tokens[place].text, value)
    guard hasValue(value) else { return }
    names.insert(tokens[place].text)
    if value.contains(where: isSplit) {
      filledNames.insert(tokens[place].text)
    } else if mayBeEmpty(value), !tokens[place - 1].isWord("for") {
      emptyNames.insert(tokens[place].text)
    }
  }

  // MARK: - Uses

  var firstUnchecked: (token: Int, what: String)? {
    for index in body {
      let token = tokens[index]
      if token.isMark("!"), isUnwrapping(index) {
        return (index, "a part of the link is taken to be there: another link stops the app here")
      }
      if token.isMark("[") && isIndexing(index) || token.isWord("objectAtIndex") && isAskingForPart(index) {
        return (index, "the link is taken to have that many parts: a shorter one stops the app here")
      }
      if token.kind == .word || token.kind == .text, let what = dangerousUse(index) { return (index, what) }
    }
    return nil
  }

  private func isUnwrapping(_ index: Int) -> Bool {
    guard file.language == .swift, index > body.lowerBound, index + 1 < tokens.count else { return false }
    let before = tokens[index - 1]
    guard before.range.upperBound == tokens[index].range.lowerBound,
      before.kind == .word || before.isMark(")") || before.isMark("]") || before.isMark("}"),
      !["as", "try", "return", "in"].contains(before.text)
    else { return false }
    let chain = max(body.lowerBound, file.chainStart(before: index))..<index
    // In brackets of the chain, what was converted before is a plain argument: `path(for: page.rawValue)!`.
    let isPart = chain.contains { place in
      isValue(place) && !(cleanNames.contains(tokens[place].text) && place > chain.lowerBound)
    }
    return isPart && !isAskedFor(chain, before: index)
  }

  /// `parts[2]`, `[parts objectAtIndex:2]` is one of a list without a question for its length before.
  private func isIndexing(_ index: Int) -> Bool {
    guard index > body.lowerBound, let end = tokens[index].partner, end == index + 2,
      tokens[index + 1].kind == .number,
      tokens[index - 1].kind == .word || [")", "?", "!"].contains(tokens[index - 1].text)
        || endsWithSplit(index - 1)
    else { return false }
    let chain = max(body.lowerBound, file.chainStart(before: index))..<index
    // The first part of a path is the slash, and a text that is taken apart has one at least.
    if tokens[index + 1].text == "0", !mayBeEmpty(chain) { return false }
    if endsWithSplit(index - 1) { return hasValue(chain) && !isSplitAskedFor(chain) }
    return hasValue(chain) && !hasLengthQuestion(before: index)
  }

  /// Whether a list may have nothing in it: the items of a query, and what `split` leaves of a path.
  private func mayBeEmpty(_ chain: Range<Int>) -> Bool {
    !chain.contains(where: isSplit)
      && chain.contains { index in
        guard !filledNames.contains(tokens[index].text) else { return false }
        return ["split", "queryItems"].contains(tokens[index].text) || emptyNames.contains(tokens[index].text)
      }
  }

  /// Whether a word takes a text apart and leaves one part at least: `components(separatedBy:)`.
  private func isSplit(_ index: Int) -> Bool {
    tokens[index].isWord("componentsSeparatedByString") || tokens[index].isWord("separatedBy")
  }

  /// Whether a bracket ends a message that takes a text apart: `[part componentsSeparatedByString:@"="]`.
  private func endsWithSplit(_ index: Int) -> Bool {
    guard file.language == .objectiveC, tokens[index].isMark("]"), let start = tokens[index].partner else {
      return false
    }
    return (max(body.lowerBound, start)..<index).contains(where: isSplit)
  }

  /// Whether code before asked how many parts a text has, or whether the sign between them is there.
  private func isSplitAskedFor(_ chain: Range<Int>) -> Bool {
    let base = tokens[min(chain.lowerBound + 1, chain.upperBound - 1)].text
    return (body.lowerBound..<chain.lowerBound).contains { place in
      let isQuestion = ["count", "rangeOfString", "containsString"].contains(tokens[place].text)
      guard isQuestion, place > body.lowerBound + 1 else { return false }
      // `[pair componentsSeparatedByString:@"="].count`
      let split = tokens[place - 1].isMark(".") ? tokens[place - 2].partner : nil
      let message = split.map { min($0, place)..<place } ?? file.message(around: place, within: body)
      return message?.contains { tokens[$0].isWord(base) } ?? false
    }
  }

  /// `[parts objectAtIndex:2]`
  private func isAskingForPart(_ index: Int) -> Bool {
    guard let message = file.message(around: index, within: body) else { return false }
    return hasValue(message.lowerBound..<index) && !hasLengthQuestion(before: index)
  }

  private func hasLengthQuestion(before index: Int) -> Bool {
    (body.lowerBound..<index).contains { place in
      guard ["count", "isEmpty", "indices", "length", "endIndex"].contains(tokens[place].text) else {
        return false
      }
      if file.language == .objectiveC {
        let message = file.message(around: place, within: body) ?? max(body.lowerBound, place - 6)..<place
        return hasValue(message.lowerBound..<place)
      }
      let end = tokens[place - 1].isMark(".") ? place - 1 : place
      return hasValue(max(body.lowerBound, file.chainStart(before: end))..<place)
    }
  }

  /// Whether a condition before asked whether the value is there.
  private func isAskedFor(_ chain: Range<Int>, before index: Int) -> Bool {
    guard let base = chain.first(where: isValue) else { return false }
    return (body.lowerBound..<chain.lowerBound).contains { place in
      guard tokens[place].isWord(tokens[base].text), place + 2 < tokens.count else { return false }
      let next = tokens[place + 1]
      return next.isMark("!=") && tokens[place + 2].isWord("nil")
        || next.isMark(".") && ["isEmpty", "count"].contains(tokens[place + 2].text)
    } || hasLengthQuestion(before: chain.lowerBound)
  }
}

extension ReviewedFile {
  /// Whether a brace begins a block of statements behind a condition, and no closure that is an argument.
  fileprivate func isBlock(_ brace: Int) -> Bool {
    guard let end = tokens[brace].partner else { return true }
    if end + 1 < tokens.count, tokens[end + 1].kind == .mark,
      [".", "?", "!", "??", ")", ","].contains(tokens[end + 1].text)
    {
      return false
    }
    let start = statementStart(of: brace, in: 0..<tokens.count)
    return ["if", "guard", "while", "for", "switch", "else", "case"].contains(tokens[start].text)
      || tokens[brace - 1].isWord("else")
  }
}
