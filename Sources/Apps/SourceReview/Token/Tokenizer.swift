internal import LinkspanCore

/// Splits a source text of Swift or Objective-C into tokens and pairs the brackets.
///
/// Never fails: what is no token of the language is a mark. A literal on one line ends with its line at the latest, so a
/// mistake there does not swallow the rest. Code inside an interpolation belongs to its string.
struct Tokenizer {
  private let bytes: [UInt8]
  private let language: SourceLanguage
  private var place = 0
  private var tokens: [Token] = []
  /// Whether nothing but spaces came since the line began.
  private var isLineStart = true
  /// Of each `#if` around the place: whether its condition is always true, so that no other branch is compiled.
  private var settled: [Bool] = []

  /// Ours: strings in interpolations in strings; deeper ones end with their line.
  private static let nestingLimit = 16
  /// Ours: signs before a raw string; more of them begin none.
  private static let fenceLimit = 64

  private init(_ bytes: [UInt8], _ language: SourceLanguage) {
    self.bytes = bytes
    self.language = language
  }

  static func tokens(_ source: SourceText, _ language: SourceLanguage) -> [Token] {
    var tokenizer = Tokenizer(source.bytes, language)
    tokenizer.read()
    tokenizer.pairBrackets()
    return tokenizer.tokens
  }

  private mutating func read() {
    // The compiler passes over a byte order mark; as part of a word it would hide the first declaration.
    place = ByteOrderMark.removed(from: bytes[...])?.startIndex ?? 0
    while place < bytes.count {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "\n"):
        isLineStart = true
        place += 1
        continue
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        place += 1
        continue
      case UInt8(ascii: "/") where next(1) == UInt8(ascii: "/"): skipLine()
      case UInt8(ascii: "/") where next(1) == UInt8(ascii: "*"): skipComment()
      case UInt8(ascii: "#") where isLineStart && skipDeadBranch():
        isLineStart = true
        continue
      case UInt8(ascii: "#") where language == .objectiveC && isLineStart: skipDirective()
      case UInt8(ascii: "\""),
        UInt8(ascii: "'") where language == .objectiveC:
        readText()
      case UInt8(ascii: "\""): readText()
      case UInt8(ascii: "#") where isRawText(): readText()
      case UInt8(ascii: "@") where language == .objectiveC && next(1) == UInt8(ascii: "\""):
        place += 1
        readText()
      case UInt8(ascii: "`"): readQuotedName()
      case _ where Self.startsWord(byte): readWord()
      case _ where ASCII.isDigit(byte): readNumber()
      default: readMark()
      }
      isLineStart = false
    }
  }

  private func next(_ distance: Int) -> UInt8? {
    place + distance < bytes.count ? bytes[place + distance] : nil
  }

  private mutating func add(_ kind: Token.Kind, from start: Int, text: Range<Int>? = nil) {
    let range = text ?? start..<place
    tokens.append(Token(kind, String(decoding: bytes[range], as: UTF8.self), start..<place))
  }

  // MARK: - Words, numbers, marks

  private static func startsWord(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private mutating func readWord() {
    let start = place
    while let byte = next(0), Self.startsWord(byte) || ASCII.isDigit(byte) { place += 1 }
    add(.word, from: start)
  }

  /// A name in backticks; it may have spaces and signs, as names of tests do: ``func `A link opens`()``.
  private mutating func readQuotedName() {
    let start = place
    place += 1
    while let byte = next(0), byte != UInt8(ascii: "`"), byte != UInt8(ascii: "\n") { place += 1 }
    guard next(0) == UInt8(ascii: "`"), place > start + 1 else {
      place = start + 1
      return add(.mark, from: start)
    }
    place += 1
    add(.word, from: start, text: start + 1..<place - 1)
  }

  private mutating func readNumber() {
    let start = place
    while let byte = next(0), ASCII.isDigit(byte) || Self.startsWord(byte) { place += 1 }
    if next(0) == UInt8(ascii: "."), let digit = next(1), ASCII.isDigit(digit) {
      place += 1
      while let byte = next(0), ASCII.isDigit(byte) || Self.startsWord(byte) { place += 1 }
    }
    add(.number, from: start)
  }

  private static let pairs: Set<String> = ["==", "!=", "&&", "||", "->", "??", "?:", "+=", "-="]

  private mutating func readMark() {
    let start = place
    if let second = next(1), Self.pairs.contains(String(decoding: [bytes[place], second], as: UTF8.self)) {
      place += 2
    } else {
      place += 1
    }
    add(.mark, from: start)
  }

  // MARK: - What is skipped

  private mutating func skipLine() {
    while let byte = next(0), byte != UInt8(ascii: "\n") { place += 1 }
  }

  /// Comments nest in Swift.
  private mutating func skipComment() {
    var depth = 0
    repeat {
      if next(0) == UInt8(ascii: "/"), next(1) == UInt8(ascii: "*"), depth == 0 || language == .swift {
        depth += 1
        place += 2
      } else if next(0) == UInt8(ascii: "*"), next(1) == UInt8(ascii: "/") {
        depth -= 1
        place += 2
      } else {
        place += 1
      }
    } while depth > 0 && place < bytes.count
    place = min(place, bytes.count)
  }

  /// A line of the preprocessor, and the lines it goes on in.
  private mutating func skipDirective() {
    while let byte = next(0) {
      if byte == UInt8(ascii: "\n") {
        let line = bytes[..<place]
        let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if end.last != UInt8(ascii: "\\") { return }
      }
      place += 1
    }
  }

  // MARK: - Branches that are never compiled

  /// The words of a directive of conditional compilation and of its condition; nil for any other line.
  private func conditional(at start: Int) -> (name: String, condition: String)? {
    var place = start + 1
    func word() -> String {
      place = behindBlanks(place)
      let begin = place
      while place < bytes.count, Self.startsWord(bytes[place]) || ASCII.isDigit(bytes[place]) { place += 1 }
      return String(decoding: bytes[begin..<place], as: UTF8.self)
    }
    let name = word()
    guard ["if", "ifdef", "ifndef", "elif", "elseif", "else", "endif"].contains(name) else { return nil }
    let condition = word()
    // A longer condition, such as `0 || DEBUG`, is not decided here.
    place = behindBlanks(place)
    let isWhole = place >= bytes.count || [UInt8(ascii: "\n"), UInt8(ascii: "/")].contains(bytes[place])
    return (name, isWhole ? condition : "")
  }

  private func behindBlanks(_ start: Int) -> Int {
    let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
    return bytes[start...].firstIndex { !blanks.contains($0) } ?? bytes.count
  }

  /// At a directive: follows the branches, and moves to the directive behind one whose condition is never true.
  ///
  /// - Returns: Whether it has moved.
  private mutating func skipDeadBranch() -> Bool {
    guard let (name, condition) = conditional(at: place) else { return false }
    let isNever = ["0", "false"].contains(condition)
    let isAlways = ["1", "true"].contains(condition)
    switch name {
    case "if" where isNever:
      settled.append(false)
    case "if", "ifdef", "ifndef":
      settled.append(name == "if" && isAlways)
      return false
    case "endif":
      _ = settled.popLast()
      return false
    default:
      guard let last = settled.last else { return false }
      guard last || name != "else" && isNever else {
        if name != "else", isAlways { settled[settled.count - 1] = true }
        return false
      }
    }
    skipBranch()
    return true
  }

  /// Moves to the line of the directive that ends the branch.
  private mutating func skipBranch() {
    var depth = 0
    while place < bytes.count {
      skipLine()
      place = min(place + 1, bytes.count)
      let start = behindBlanks(place)
      guard start < bytes.count, bytes[start] == UInt8(ascii: "#"),
        let (name, _) = conditional(at: start)
      else { continue }
      if name.hasPrefix("if") {
        depth += 1
      } else if depth == 0 {
        return
      } else if name == "endif" {
        depth -= 1
      }
    }
  }

  // MARK: - Strings

  private func isRawText() -> Bool {
    guard language == .swift else { return false }
    var end = place
    while end < bytes.count, end - place < Self.fenceLimit, bytes[end] == UInt8(ascii: "#") { end += 1 }
    return end < bytes.count && bytes[end] == UInt8(ascii: "\"")
  }

  private mutating func readText() {
    let start = place
    let content = skipText(depth: 0)
    add(.text, from: start, text: content)
  }

  /// Moves behind a string literal.
  ///
  /// - Returns: What stands between its quotes.
  private mutating func skipText(depth: Int) -> Range<Int> {
    var fences = 0
    while next(0) == UInt8(ascii: "#") {
      fences += 1
      place += 1
    }
    let quote = bytes[place]
    let isLong =
      language == .swift && next(1) == quote && next(2) == quote
    place += isLong ? 3 : 1
    let start = place
    while let byte = next(0) {
      if byte == UInt8(ascii: "\n"), !isLong { return start..<place }
      if byte == UInt8(ascii: "\\"), followsFences(fences, at: place + 1) {
        place += 1 + fences
        if language == .swift, next(0) == UInt8(ascii: "("), depth < Self.nestingLimit {
          skipInterpolation(depth: depth + 1, isLong: isLong)
        } else if place < bytes.count {
          place += next(0) == UInt8(ascii: "\r") && next(1) == UInt8(ascii: "\n") ? 2 : 1
        }
        continue
      }
      if byte == quote, !isLong || (next(1) == quote && next(2) == quote),
        followsFences(fences, at: place + (isLong ? 3 : 1))
      {
        let end = place
        place += (isLong ? 3 : 1) + fences
        return start..<end
      }
      place += 1
    }
    return start..<place
  }

  private func followsFences(_ count: Int, at start: Int) -> Bool {
    guard start + count <= bytes.count else { return false }
    return bytes[start..<start + count].allSatisfy { $0 == UInt8(ascii: "#") }
  }

  private mutating func skipInterpolation(depth: Int, isLong: Bool) {
    var brackets = 0
    while let byte = next(0) {
      switch byte {
      case UInt8(ascii: "\n") where !isLong: return
      case UInt8(ascii: "("): brackets += 1
      case UInt8(ascii: ")"): brackets -= 1
      case UInt8(ascii: "\""):
        _ = skipText(depth: depth)
        continue
      default: break
      }
      place += 1
      if brackets == 0 { return }
    }
  }

  // MARK: - Brackets

  /// A closing bracket without its opening one is left alone; opening ones inside it that were not closed are, too.
  private mutating func pairBrackets() {
    // The open ones of each kind, so that a closing one finds its own at once, however many others are open.
    var braces: [Int] = []
    var parentheses: [Int] = []
    var squares: [Int] = []
    func close(_ index: Int, _ open: inout [Int], behind brace: Int?) {
      // A brace ends whatever is open inside of it; a parenthesis never reaches past a brace.
      guard let opening = open.last, opening > brace ?? -1 else { return }
      open.removeLast()
      tokens[opening].partner = index
      tokens[index].partner = opening
    }
    func drop(_ open: inout [Int], behind opening: Int?) {
      while let last = open.last, last > opening ?? last { open.removeLast() }
    }
    for index in tokens.indices where tokens[index].kind == .mark {
      switch tokens[index].text {
      case "{": braces.append(index)
      case "(": parentheses.append(index)
      case "[": squares.append(index)
      case "}":
        close(index, &braces, behind: nil)
        drop(&parentheses, behind: tokens[index].partner)
        drop(&squares, behind: tokens[index].partner)
      case ")":
        close(index, &parentheses, behind: braces.last)
        drop(&squares, behind: tokens[index].partner)
      case "]":
        close(index, &squares, behind: braces.last)
        drop(&parentheses, behind: tokens[index].partner)
      default: break
      }
    }
  }
}
