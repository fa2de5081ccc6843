internal import LinkspanCore

/// The comment that a story file begins with, which says in a sentence or two what the story is about.
package enum StoryComment {
  /// Ours: what is longer than this many characters is cut; it is shown as a title.
  static let characterLimit = 500

  /// The text of the `//` lines, or of the one `/* */`, before anything else in the file.
  ///
  /// - Returns: The text on one line; nil when the file begins with something else, or the comment is empty.
  package static func read(_ bytes: [UInt8]) -> String? {
    // A comment of the permitted length, with its marks and indentation, ends well before this.
    var rest = String(decoding: bytes.prefix(8 * characterLimit), as: UTF8.self)[...]
    if rest.first == "\u{FEFF}" { rest.removeFirst() }
    rest = rest.drop(while: \.isWhitespace)
    var lines: [Substring] = []
    if rest.hasPrefix("/*") {
      guard let end = rest.firstRange(of: "*/") else { return nil }
      lines = rest[rest.index(rest.startIndex, offsetBy: 2)..<end.lowerBound].split(
        whereSeparator: \.isNewline
      )
      .map { line in line.drop { $0.isWhitespace || $0 == "*" } }
    } else {
      for line in rest.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
        let text = line.drop(while: \.isWhitespace)
        guard text.hasPrefix("//") else { break }
        lines.append(text.drop { $0 == "/" })
      }
    }
    let text = lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
    return text.isEmpty ? nil : String(text.prefix(characterLimit))
  }
}
