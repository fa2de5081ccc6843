/// Text for people, broken into lines of one width.
package enum WrappedText {
  /// The text in lines, each ended. Broken at blanks, and a word that no line can hold behind a slash or comma or, if
  /// there is none, where the line is full. A text that fits is not touched.
  ///
  /// - Parameters:
  ///   - first: What the first line begins with.
  ///   - rest: What every other line begins with.
  package static func lines(_ text: String, first: String = "", rest: String = "", width: Int) -> String {
    guard first.count + text.count > width else { return first + text + "\n" }
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ").flatMap({ pieces(of: $0, width: width - rest.count) }) {
      if !isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = rest
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    lines.append(line)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func pieces(of word: Substring, width: Int) -> [Substring] {
    let width = max(8, width)
    var pieces: [Substring] = []
    var rest = word
    while rest.count > width {
      let full = rest.prefix(width)
      let place = full.lastIndex { "/,|=".contains($0) }
      let end = place.map { full.index(after: $0) } ?? full.endIndex
      pieces.append(rest[..<end])
      rest = rest[end...]
    }
    return rest.isEmpty ? pieces : pieces + [rest]
  }

  /// A command for a shell, which reads it the same with a backslash at the end of each line but the last: broken at
  /// blanks outside quotation marks only.
  static func command(_ text: String, indent: String, width: Int) -> String {
    var words: [String] = [""]
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else if character == " " {
        words.append("")
        continue
      }
      words[words.count - 1].append(character)
    }
    var lines: [String] = []
    var line = indent + (words.first ?? "")
    for word in words.dropFirst() {
      // Room for the backslash.
      if line.count + 1 + word.count + 2 > width {
        lines.append(line + " \\")
        line = indent + "  "
        // A word that no line can hold goes on at the very beginning of the next, where the shell joins it again.
        let isPlain = !word.contains { "'\"\\".contains($0) }
        let parts = isPlain ? pieces(of: word[...], width: width - line.count - 2) : [word[...]]
        for part in parts.dropLast() {
          lines.append(line + part + "\\")
          line = ""
        }
        line += parts.last ?? ""
      } else {
        line += " " + word
      }
    }
    return (lines + [line]).joined(separator: "\n") + "\n"
  }

  /// Text on its way to a terminal: each line too long is broken at blanks and goes on under its beginning. A longer
  /// word, such as a URL that somebody may want to copy, stays whole.
  static func fitted(_ text: String, width: Int) -> String {
    if text.utf8.count <= width { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { fitted(line: $0, width: width) }.joined(separator: "\n")
  }

  private static func fitted(line: Substring, width: Int) -> String {
    guard visibleCount(line) > width else { return String(line) }
    let indent = line.prefix { $0 == " " }.count
    let rest = String(repeating: " ", count: min(indent + 2, width / 2))
    var lines: [String] = []
    var current = ""
    var currentCount = 0
    // Two blanks side by side make an empty word between them, so that tables stay as they are where they fit.
    for (place, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let count = visibleCount(word)
      if place > indent, currentCount + 1 + count > width, currentCount > rest.count {
        while current.last == " " { current.removeLast() }
        lines.append(current)
        current = rest + word
        currentCount = rest.count + count
      } else if place == 0 {
        current = String(word)
        currentCount = count
      } else if currentCount == rest.count, !lines.isEmpty, current == rest {
        current += word
        currentCount += count
      } else {
        current += " " + word
        currentCount += 1 + count
      }
    }
    return (lines + [current]).joined(separator: "\n")
  }

  /// How many columns text takes: the escape sequences of colours take none.
  private static func visibleCount(_ text: Substring) -> Int {
    var count = 0
    var isInEscape = false
    for character in text {
      if character == "\u{1B}" { isInEscape = true }
      if !isInEscape { count += 1 }
      if isInEscape, character == "m" { isInEscape = false }
    }
    return count
  }
}
