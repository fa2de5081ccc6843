import Foundation
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
    while let place = rest.place(of: word) {
      guard place > startIndex else { return true }
      let before = self[index(before: place)]
      if !(before.isLetter || before.isNumber || before == "." || before == "_") { return true }
      rest = rest[rest.utf8.index(place, offsetBy: word.utf8.count)...]
    }
    return false
  }

  /// Whether these bytes stand in it.
  func has(_ text: String) -> Bool { place(of: text) != nil }

  /// Where these bytes begin first: `firstRange(of:)` of the library took half of the time of all rules.
  private func place(of text: String) -> Index? {
    let sought = Array(text.utf8)
    guard let first = sought.first else { return startIndex }
    var line = self
    let offset = line.withUTF8 { bytes -> Int? in
      guard let start = bytes.baseAddress else { return nil }
      var offset = 0
      while offset + sought.count <= bytes.count {
        let count = bytes.count - sought.count + 1 - offset
        guard let found = memchr(start + offset, Int32(first), count) else { return nil }
        offset = UnsafeRawPointer(found) - UnsafeRawPointer(start)
        if memcmp(found, sought, sought.count) == 0 { return offset }
        offset += 1
      }
      return nil
    }
    return offset.map { utf8.index(startIndex, offsetBy: $0) }
  }
}
