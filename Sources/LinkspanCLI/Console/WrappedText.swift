/// Text for people, broken into lines of one width.
enum WrappedText {
  /// How many characters a line of the help may have.
  static let helpWidth = 118

  /// The text in lines, each ended. Broken at blanks; a longer word stands alone, and a text that fits is not touched.
  ///
  /// - Parameters:
  ///   - first: What the first line begins with.
  ///   - rest: What every other line begins with.
  static func lines(_ text: String, first: String = "", rest: String = "", width: Int) -> String {
    guard first.count + text.count > width else { return first + text + "\n" }
    var lines: [String] = []
    var line = first
    var isEmpty = true
    for word in text.split(separator: " ") {
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
}
