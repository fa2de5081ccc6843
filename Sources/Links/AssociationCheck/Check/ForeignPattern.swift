internal import LinkspanCore

/// Wildcards as routers and regular expressions have them, where an association file has only `*`, `?` and `$(name)` (P1).
package struct ForeignPattern: Sendable {
  package enum Kind: Sendable {
    /// `:id`, `{id}`, `<id>`, `[id]`, `${id}`
    case placeholder
    /// `(.*)`, `[0-9]+`, `\d+`, and `^` and `$` around a pattern.
    case expression
    /// A `\`, which no URL holds: browsers make a `/` of it.
    case backslash
  }

  /// The kind of the first one.
  package let kind: Kind
  /// The first one, as it is written.
  package let text: String
  /// What the writer may have meant, as far as an association file can say it.
  package let meant: String

  private struct Piece {
    let kind: Kind
    let range: Range<Int>
    let meant: String

    init(_ kind: Kind, _ range: Range<Int>, meant: String = "*") {
      self.kind = kind
      self.range = range
      self.meant = meant
    }
  }

  /// - Returns: nil for a pattern without any.
  package init?(_ pattern: String) {
    let bytes = Array(pattern.utf8)
    var meant: [UInt8] = []
    var first: Piece?
    var place = 0
    while place < bytes.count {
      if Self.begins(bytes, place, "$("), let end = bytes[place...].firstIndex(of: UInt8(ascii: ")")) {
        meant += bytes[place...end]
        place = end + 1
      } else if let piece = Self.piece(in: bytes, at: place, isLater: first?.kind == .expression) {
        first = first ?? piece
        meant += piece.meant.utf8
        place = piece.range.upperBound
      } else {
        meant.append(bytes[place])
        place += 1
      }
    }
    guard let first else { return nil }
    kind = first.kind
    text = String(decoding: bytes[first.range], as: UTF8.self)
    self.meant = String(decoding: meant, as: UTF8.self)
  }

  /// The wildcard that begins at a place.
  ///
  /// - Parameter isLater: Whether an expression came before, so that a last `$` ends it.
  private static func piece(in bytes: [UInt8], at place: Int, isLater: Bool) -> Piece? {
    let beginsSegment = place == 0 || bytes[place - 1] == UInt8(ascii: "/")
    switch bytes[place] {
    case UInt8(ascii: ":") where beginsSegment:
      let end = bytes[place...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
      return end > place + 1 ? Piece(.placeholder, place..<end) : nil
    case UInt8(ascii: "$") where begins(bytes, place, "${"):
      return closed(bytes, place + 1, by: "}").map { Piece(.placeholder, place..<$0) }
    case UInt8(ascii: "{"):
      let end = begins(bytes, place, "{{") ? closed(bytes, place, by: "}}") : nil
      return (end ?? closed(bytes, place, by: "}")).map { Piece(.placeholder, place..<$0) }
    case UInt8(ascii: "<"): return closed(bytes, place, by: ">").map { Piece(.placeholder, place..<$0) }
    case UInt8(ascii: "["): return list(bytes, place, beginsSegment)
    case UInt8(ascii: "("): return group(bytes, place)
    case UInt8(ascii: ".") where begins(bytes, place, ".*") || begins(bytes, place, ".+"):
      return Piece(.expression, place..<place + 2)
    case UInt8(ascii: "^") where place == 0 && begins(bytes, place, "^/"):
      return Piece(.expression, 0..<1, meant: "")
    case UInt8(ascii: "$") where isLater && place == bytes.count - 1:
      return Piece(.expression, place..<place + 1, meant: "")
    case UInt8(ascii: "\\"): return escape(bytes, place)
    default: return nil
    }
  }

  /// `[0-9]+` and `[^/]+`; a whole segment `[id]` is a placeholder. In a query `filter[name]` may be meant as it is.
  private static func list(_ bytes: [UInt8], _ place: Int, _ beginsSegment: Bool) -> Piece? {
    guard let close = bytes[place...].firstIndex(of: UInt8(ascii: "]")), close > place + 1 else { return nil }
    let isList = bytes[place..<close].contains {
      $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "^") || $0 == UInt8(ascii: "\\")
    }
    if isList { return Piece(.expression, place..<behindCount(bytes, close + 1)) }
    let endsSegment = close + 1 == bytes.count || bytes[close + 1] == UInt8(ascii: "/")
    return beginsSegment && endsSegment ? Piece(.placeholder, place..<close + 1) : nil
  }

  /// `(.*)`, `(\d+)`, `(a|b)?`; a text in brackets alone is a text.
  private static func group(_ bytes: [UInt8], _ place: Int) -> Piece? {
    var depth = 0
    for end in place..<bytes.count {
      if bytes[end] == UInt8(ascii: "(") { depth += 1 }
      if bytes[end] == UInt8(ascii: ")") { depth -= 1 }
      guard depth == 0 else { continue }
      let isExpression = (place..<end).contains { index in
        bytes[index] == UInt8(ascii: "|") || bytes[index] == UInt8(ascii: "[")
          || bytes[index] == UInt8(ascii: "\\") || begins(bytes, index, ".*") || begins(bytes, index, ".+")
      }
      return isExpression ? Piece(.expression, place..<behindCount(bytes, end + 1)) : nil
    }
    return nil
  }

  /// `\d+`, `\.`, or a `\` that was meant as `/`.
  private static func escape(_ bytes: [UInt8], _ place: Int) -> Piece {
    guard place + 1 < bytes.count else { return Piece(.backslash, place..<place + 1, meant: "/") }
    let next = bytes[place + 1]
    if next == UInt8(ascii: ".") || next == UInt8(ascii: "-") || next == UInt8(ascii: "/") {
      return Piece(.expression, place..<place + 2, meant: String(decoding: [next], as: UTF8.self))
    }
    let end = behindCount(bytes, place + 2)
    let isClass = "dwsDWS".utf8.contains(next) && end > place + 2
    return isClass ? Piece(.expression, place..<end) : Piece(.backslash, place..<place + 1, meant: "/")
  }

  /// The place behind `+`, `*`, `?` or `{2,4}`; the same place where none of them stands there.
  private static func behindCount(_ bytes: [UInt8], _ place: Int) -> Int {
    guard place < bytes.count else { return place }
    if "+*?".utf8.contains(bytes[place]) { return place + 1 }
    guard bytes[place] == UInt8(ascii: "{"), let end = closed(bytes, place, by: "}"),
      bytes[place + 1..<end - 1].allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ",") })
    else { return place }
    return end
  }

  /// The place behind the mark that closes a name in the same segment.
  private static func closed(_ bytes: [UInt8], _ open: Int, by mark: String) -> Int? {
    let length = mark.utf8.count
    for place in open + length..<max(open + length, bytes.count) {
      if bytes[place] == UInt8(ascii: "/") { return nil }
      if begins(bytes, place, mark) { return place > open + length ? place + length : nil }
    }
    return nil
  }

  private static func begins(_ bytes: [UInt8], _ place: Int, _ text: String) -> Bool {
    bytes[place...].starts(with: text.utf8)
  }
}
