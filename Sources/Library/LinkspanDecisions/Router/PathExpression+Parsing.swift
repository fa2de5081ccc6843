extension PathExpression {
  /// Why a constraint cannot be used, for the message of the router.
  struct Problem: Error {
    var reason: String
  }

  /// Our choice: positions of one constraint's automaton.
  static let sizeLimit = 5_000
  private static let depthLimit = 50
  private static let countLimit = 1_000

  /// Reads a constraint: literals, `.`, classes, `\d`, `\w`, groups, `|`, `*`, `+`, `?`, `{n}`, `{n,}`, `{n,m}`.
  ///
  /// It covers the whole segment, with or without `^` and `$`. Characters that a URL cannot carry stand for their
  /// percent-encoded form.
  static func parse(_ text: String) throws(Problem) -> PathExpression {
    var reader = Reader(rest: Array(text)[...])
    if reader.rest.first == "^" { reader.rest.removeFirst() }
    if reader.rest.last == "$", reader.rest.dropLast().last != "\\" { reader.rest.removeLast() }
    let expression = try reader.choice(depth: 0)
    if let extra = reader.rest.first { throw Problem(reason: "unexpected '\(extra)'") }
    guard expression.size <= sizeLimit else {
      throw Problem(reason: "it repeats too much; at most \(sizeLimit) characters written out")
    }
    return expression
  }

  private struct Reader {
    var rest: ArraySlice<Character>

    mutating func choice(depth: Int) throws(Problem) -> PathExpression {
      guard depth < PathExpression.depthLimit else { throw Problem(reason: "groups are nested too deeply") }
      var branches = [try sequence(depth: depth)]
      while rest.first == "|" {
        rest.removeFirst()
        branches.append(try sequence(depth: depth))
      }
      return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence(depth: Int) throws(Problem) -> PathExpression {
      var parts: [PathExpression] = []
      while let next = rest.first, next != "|", next != ")" {
        parts.append(try repetition(of: try atom(depth: depth)))
      }
      return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom(depth: Int) throws(Problem) -> PathExpression {
      let next = rest.removeFirst()
      switch next {
      case "(":
        if rest.first == "?" {
          guard rest.dropFirst().first == ":" else {
            throw Problem(
              reason: "'(?' is supported only as '(?:'; look-ahead has no counterpart in a URL pattern")
          }
          rest.removeFirst(2)
        }
        let group = try choice(depth: depth + 1)
        guard rest.first == ")" else { throw Problem(reason: "')' is missing") }
        rest.removeFirst()
        return group
      case "[": return .set(try characterClass())
      case ".": return .set(.inSegment)
      case "\\": return try Self.expression(of: try escape())
      case "*", "+", "?", "{": throw Problem(reason: "'\(next)' has nothing to repeat")
      case "^", "$":
        throw Problem(reason: "'\(next)' may only be first or last; write '\\\(next)' for the character")
      case "/": throw Problem(reason: "a segment contains no '/'")
      default: return .literal(URLText.encoded(String(next), keeping: URLText.inSegment))
      }
    }

    private static func expression(of escape: Escape) throws(Problem) -> PathExpression {
      switch escape {
      case .set(let set): .set(set)
      case .character(let character):
        .literal(URLText.encoded(String(character), keeping: URLText.inSegment))
      }
    }

    private enum Escape {
      case set(ByteSet)
      case character(Character)
    }

    private mutating func escape() throws(Problem) -> Escape {
      guard let next = rest.popFirst() else { throw Problem(reason: "'\\' ends the expression") }
      switch next {
      case "d": return .set(.digits)
      case "w": return .set(ByteSet.alphanumerics.union(ByteSet("_".utf8)))
      case "/": throw Problem(reason: "a segment contains no '/'")
      case _ where next.isASCII && (next.isLetter || next.isNumber):
        throw Problem(reason: "'\\\(next)' is not supported; expected '\\d' or '\\w'")
      default: return .character(next)
      }
    }

    private mutating func characterClass() throws(Problem) -> ByteSet {
      var set = ByteSet()
      let isInverted = rest.first == "^"
      if isInverted { rest.removeFirst() }
      var isFirst = true
      while let next = rest.popFirst() {
        if next == "]", !isFirst { return isInverted ? set.inverted.intersection(.inSegment) : set }
        isFirst = false
        var low = next
        if next == "\\" {
          switch try escape() {
          case .set(let other):
            set = set.union(other)
            continue
          case .character(let character): low = character
          }
        }
        var high = low
        if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
          rest.removeFirst(2)
          high = end
        }
        guard let from = low.asciiValue, let to = high.asciiValue, from <= to, from > 0x20, to < 0x7F else {
          throw Problem(reason: "a class holds characters of URLs in ascending ranges, such as [a-z0-9]")
        }
        for byte in from...to where byte != UInt8(ascii: "/") { set.insert(byte) }
      }
      throw Problem(reason: "']' is missing")
    }

    private mutating func repetition(of part: PathExpression) throws(Problem) -> PathExpression {
      var result = part
      while let next = rest.first {
        switch next {
        case "*": result = .repeated(result, least: 0, most: nil)
        case "+": result = .repeated(result, least: 1, most: nil)
        case "?": result = .repeated(result, least: 0, most: 1)
        case "{":
          result = try counted(result)
          continue
        default: return result
        }
        rest.removeFirst()
      }
      return result
    }

    private mutating func counted(_ part: PathExpression) throws(Problem) -> PathExpression {
      guard let end = rest.firstIndex(of: "}") else { throw Problem(reason: "'}' is missing") }
      let parts = String(rest[rest.startIndex + 1..<end]).split(
        separator: ",", omittingEmptySubsequences: false)
      rest = rest[(end + 1)...]
      let numbers = parts.map { Int($0) }
      guard let least = numbers[0], least >= 0, least <= PathExpression.countLimit, parts.count <= 2 else {
        throw Problem(reason: "a count is written {2}, {2,} or {2,5}, up to \(PathExpression.countLimit)")
      }
      if parts.count == 1 { return .repeated(part, least: least, most: least) }
      if parts[1].isEmpty { return .repeated(part, least: least, most: nil) }
      guard let most = numbers[1], most >= least, most <= PathExpression.countLimit else {
        throw Problem(reason: "a count is written {2}, {2,} or {2,5}, up to \(PathExpression.countLimit)")
      }
      return .repeated(part, least: least, most: most)
    }
  }
}
