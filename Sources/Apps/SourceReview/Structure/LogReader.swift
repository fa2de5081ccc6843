internal import LinkspanCore

/// Reads code that does nothing but write logs: it calls nothing else, and keeps nothing.
///
/// What it does not understand is no such code: it may do anything.
struct LogReader {
  private let file: ReviewedFile
  private var place: Int
  private let end: Int
  private var depth = 0
  /// The first call that writes a log, from its name to its closing bracket.
  private(set) var log: Range<Int>?

  /// Ours: blocks in blocks.
  private static let depthLimit = 16
  /// Ours: the words of code that is read; longer code does more than write logs.
  private static let lengthLimit = 400

  /// Calls that ask for a part of a value.
  private static let questions: Set<String> = [
    "String", "URLComponents", "hasPrefix", "hasSuffix", "contains", "isEqualToString", "containsString",
    "absoluteString", "description",
  ]

  private init(_ file: ReviewedFile, _ range: Range<Int>) {
    self.file = file
    place = range.lowerBound
    end = range.upperBound
  }

  /// - Returns: The first log that is written, where code does nothing else; nil for any other code.
  static func onlyLog(in range: Range<Int>, of file: ReviewedFile) -> Range<Int>? {
    guard range.count <= lengthLimit else { return nil }
    var reader = LogReader(file, range)
    return reader.readStatements(to: range.upperBound) ? reader.log : nil
  }

  private func isWord(_ words: String...) -> Bool {
    place < end && file.tokens[place].kind == .word && words.contains(file.tokens[place].text)
  }

  private func isMark(_ marks: String...) -> Bool {
    place < end && file.tokens[place].kind == .mark && marks.contains(file.tokens[place].text)
  }

  /// The bracket that closes the one here, if it lies within.
  private var partner: Int? {
    file.tokens[place].partner.flatMap { $0 > place && $0 < end ? $0 : nil }
  }

  // MARK: - Statements

  private mutating func readStatements(to limit: Int) -> Bool {
    while place < limit {
      guard readStatement(), place <= limit else { return false }
    }
    return true
  }

  private mutating func readStatement() -> Bool {
    if isMark(";") {
      place += 1
      return true
    }
    if isWord("return") {
      place += 1
      if isWord("true", "false", "YES", "NO") { place += 1 }
      return true
    }
    if isWord("if", "guard", "for") { return readCondition() }
    return file.language == .swift ? readSwift() : readObjectiveC()
  }

  /// A condition with its block, and what is done otherwise.
  private mutating func readCondition() -> Bool {
    while true {
      let start = place + 1
      while place < end, !isMark("{") {
        if isMark("(", "[") {
          guard let partner else { return false }
          place = partner
        }
        place += 1
      }
      guard place < end, isQuestion(start..<place), readBlock() else { return false }
      guard isWord("else") else { return true }
      place += 1
      guard isWord("if") else { return readBlock() }
    }
  }

  private mutating func readBlock() -> Bool {
    guard isMark("{"), let partner, depth < Self.depthLimit else { return false }
    depth += 1
    place += 1
    guard readStatements(to: partner), place == partner else { return false }
    depth -= 1
    place += 1
    return true
  }

  /// `let url = activity.webpageURL`, or a log.
  private mutating func readSwift() -> Bool {
    guard isWord("let", "var") else { return readLog() }
    place += 1
    guard place + 2 < end, file.tokens[place].kind == .word, file.tokens[place + 1].isMark("=") else {
      return false
    }
    place += 2
    let start = place
    guard readValue() else { return false }
    while isMark("??") {
      place += 1
      guard readValue() else { return false }
    }
    return isQuestion(start..<place)
  }

  /// A name with members, and brackets behind it; or a text.
  private mutating func readValue() -> Bool {
    guard place < end, file.tokens[place].kind != .mark else { return false }
    let isText = file.tokens[place].kind != .word
    place += 1
    if isText { return true }
    while place < end {
      if isMark("?", "!") {
        place += 1
      } else if isMark("."), place + 1 < end, file.tokens[place + 1].kind == .word {
        place += 2
      } else if isMark("(", "["), let partner {
        place = partner + 1
      } else {
        return true
      }
    }
    return true
  }

  /// `NSURL *url = activity.webpageURL;`, or a log.
  private mutating func readObjectiveC() -> Bool {
    let start = place
    if place + 1 < end, file.tokens[place + 1].isMark("(") { return readLog() }
    while place < end, !isMark(";") {
      if isMark("{") { return false }
      if isMark("(", "[") {
        guard let partner else { return false }
        place = partner
      }
      place += 1
    }
    // Two words or more before the sign: something new, and no member that keeps it.
    guard let sign = (start..<place).first(where: { file.tokens[$0].isMark("=") }), sign - start > 1,
      (start..<sign).allSatisfy({ file.tokens[$0].kind == .word || file.tokens[$0].isMark("*") })
    else { return false }
    return isQuestion(sign + 1..<place)
  }

  /// `print(url)`, `Logger().info("\(url)")`, `NSLog(@"%@", url)`.
  private mutating func readLog() -> Bool {
    let start = place
    guard place < end, file.tokens[place].kind == .word, readValue() else { return false }
    // The call is the last thing of the statement; those before it have no arguments.
    let last = place - 1
    guard last > start, file.tokens[last].isMark(")"), let open = file.tokens[last].partner, open > start,
      file.tokens[open - 1].kind == .word, isQuestion(open + 1..<last)
    else { return false }
    let calls = (start..<open).filter { file.tokens[$0].isMark("(") || file.tokens[$0].isMark("[") }
    guard calls.allSatisfy({ file.tokens[$0].partner == $0 + 1 }) else { return false }
    let name = LogName(file.tokens[open - 1].text)
    let isLevel = (start..<open - 1).contains { place in
      file.tokens[place].kind == .word && name.isLevel(of: LogName(file.tokens[place].text))
    }
    let isOwn = file.functions.contains { $0.name == file.tokens[open - 1].text }
    guard isLevel || name.onlyLogs, !isOwn else { return false }
    if log == nil { log = open - 1..<last + 1 }
    return true
  }

  // MARK: - Values

  /// Whether nothing happens where a value is asked for: no closure, no message with arguments, no call but of ``questions``.
  private func isQuestion(_ range: Range<Int>) -> Bool {
    range.allSatisfy { index in
      let token = file.tokens[index]
      switch token.kind {
      case .number: return true
      case .word: return !["await", "try", "throw"].contains(token.text)
      case .text: return Self.isQuestion(token.text)
      case .mark: break
      }
      switch token.text {
      case "{", ";", "+=", "-=": return false
      case "(":
        guard index > range.lowerBound, file.tokens[index - 1].kind == .word else { return true }
        let name = file.tokens[index - 1].text
        return Self.questions.contains(name) || ["if", "in", "guard", "for", "return"].contains(name)
      case "[":
        guard file.language == .objectiveC, let partner = token.partner, index < partner else { return true }
        return !file.tokens[index + 1].isWord("self") && !file.tokens[index + 1].isWord("super")
          && (index..<partner).allSatisfy { !file.tokens[$0].isMark(":") || isSelector(before: $0) }
      default: return true
      }
    }
  }

  private func isSelector(before colon: Int) -> Bool { Self.questions.contains(file.tokens[colon - 1].text) }

  /// Whether the values in a text are no calls: `"\(url)"`, `"\(String(describing: url))"`.
  private static func isQuestion(_ text: String) -> Bool {
    let parts = text.split(separator: "\\(", omittingEmptySubsequences: false).dropFirst()
    return parts.allSatisfy { part in
      let value = part.prefix { $0 != ")" }
      return !value.contains("(")
        || value.hasPrefix("String(describing:")
          && value.dropFirst("String(".count).allSatisfy { $0 != "(" }
    }
  }
}
