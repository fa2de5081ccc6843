import Testing

/// Something that is wrong, where, and what to do about it.
struct Violation: Hashable, Sendable, CustomStringConvertible {
  var path: String
  var line: Int
  var message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// A rule of the house: a function from a repository to what breaks it, with an example of each kind.
struct HouseRule: Sendable, CustomTestStringConvertible {
  var id: String

  /// A repository that breaks the rule once.
  var bad: [String: String]

  /// Its neighbour that keeps the rule.
  var good: [String: String]

  var violations: @Sendable (Repository) -> [Violation]

  var testDescription: String { id }

  static let all: [HouseRule] = textRules + sourceRules + sizeRules + layerRules + folderRules + documentRules
}

extension HouseRule {
  /// A rule that looks at one line of code at a time.
  static func lines(
    _ id: String, bad: [String: String], good: [String: String],
    in files: @escaping @Sendable (Repository) -> [SourceText],
    find: @escaping @Sendable (Line, SourceText) -> String?
  ) -> HouseRule {
    HouseRule(id: id, bad: bad, good: good) { repository in
      files(repository).flatMap { file in
        file.lines.compactMap { line in
          find(line, file).map { Violation(path: file.path, line: line.number, message: $0) }
        }
      }
    }
  }
}

extension Substring {
  /// Whether the word stands in the text with no letter, digit, dot or underscore before it.
  func hasWord(_ word: String) -> Bool {
    var rest = self
    while let range = rest.firstRange(of: word) {
      guard range.lowerBound > startIndex else { return true }
      let before = self[index(before: range.lowerBound)]
      if !(before.isLetter || before.isNumber || before == "." || before == "_") { return true }
      rest = rest[range.upperBound...]
    }
    return false
  }
}
