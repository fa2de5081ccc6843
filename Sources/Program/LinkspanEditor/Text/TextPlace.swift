package import LinkspanCore

/// A place in a document as the Language Server Protocol counts: lines and UTF-16 code units from 0.
package struct TextPlace: Hashable, Comparable, Sendable {
  package var line: Int
  package var character: Int

  package init(line: Int, character: Int) {
    self.line = line
    self.character = character
  }

  /// - Returns: nil where the message has no place.
  package init?(_ node: JSONNode?) {
    guard let line = node?["line"]?.int, let character = node?["character"]?.int, line >= 0, character >= 0
    else { return nil }
    self.init(line: line, character: character)
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.line, left.character) < (right.line, right.character)
  }

  var json: JSON { .object([("line", .int(line)), ("character", .int(character))]) }
}

/// A stretch of a document, its end not included.
package struct TextSpan: Hashable, Sendable {
  package var start: TextPlace
  package var end: TextPlace

  package init(_ start: TextPlace, _ end: TextPlace) {
    self.start = start
    self.end = end
  }

  package init?(_ node: JSONNode?) {
    guard let start = TextPlace(node?["start"]), let end = TextPlace(node?["end"]) else { return nil }
    self.init(min(start, end), max(start, end))
  }

  package var json: JSON { .object([("start", start.json), ("end", end.json)]) }

  /// Whether they have a place in common, an edge included.
  func touches(_ other: TextSpan) -> Bool { start <= other.end && other.start <= end }
}
