/// A style sheet, read far enough to find what a browser drops without a word: a declaration without a colon, a
/// brace too many or too few, a string or a comment that is never closed.
struct StyleSheet {
  /// The first mistake; nil without one.
  private(set) var mistake: (line: Int, message: String)?
  private var line = 1
  private var depth = 0
  /// What stands since the last brace or semicolon.
  private var statement = ""

  init(_ text: String) {
    var rest = text[...]
    while mistake == nil, let character = rest.popFirst() {
      if character == "\n" { line += 1 }
      switch character {
      case "/" where rest.first == "*": skip("*/", "comment", in: &rest)
      case "\"": skip("\"", "string", in: &rest)
      case "{":
        depth += 1
        statement = ""
      case "}":
        endDeclaration()
        depth -= 1
        if depth < 0 { report("this brace closes nothing") }
      case ";": endDeclaration()
      default: statement.append(character)
      }
    }
    if depth > 0 { report("\(depth) braces are never closed") }
  }

  private mutating func skip(_ end: String, _ kind: String, in rest: inout Substring) {
    guard let range = rest.firstRange(of: end) else { return report("this \(kind) is never closed") }
    line += rest[..<range.upperBound].count { $0 == "\n" }
    rest = rest[range.upperBound...]
  }

  private mutating func endDeclaration() {
    let text = statement.trimmingPrefix(while: \.isWhitespace)
    if !text.isEmpty, !text.contains(":") { report("'\(text)' is no declaration: it has no colon") }
    statement = ""
  }

  private mutating func report(_ message: String) {
    if mistake == nil { mistake = (line, message) }
  }
}
