import AppSiteAssociation

/// A matcher that is slow and easy to see through: section 7 over characters, with backtracking, written apart
/// from the one it checks. No case folding beyond ASCII; patterns without variables.
enum ObviousMatcher {
  static func covers(_ pattern: [Character], _ text: [Character]) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = Array(pattern.dropFirst())
    switch first {
    case "*": return (0...text.count).contains { covers(rest, Array(text.dropFirst($0))) }
    case "?": return !text.isEmpty && covers(rest, Array(text.dropFirst()))
    default: return text.first == first && covers(rest, Array(text.dropFirst()))
    }
  }

  static func pathHolds(_ pattern: String, _ path: String) -> Bool {
    func bare(_ text: String) -> String {
      var text = text
      while text.hasSuffix("/") { text.removeLast() }
      return text
    }
    func holds(_ pattern: String, _ text: String) -> Bool { covers(Array(pattern), Array(text)) }
    let text = bare(path)
    var pattern = pattern
    if !pattern.hasPrefix("*"), !pattern.hasPrefix("?") {
      while pattern.hasPrefix("/") { pattern.removeFirst() }
      pattern = "/" + pattern
    }
    if holds(bare(pattern), text) || (text.isEmpty && holds(bare(pattern), "/")) { return true }
    guard pattern.hasSuffix("/*") else { return false }
    return holds(pattern, text + "/") || holds(String(pattern.dropLast(2)), text)
  }
}
