/// A word of a statement.
enum SQLToken: Hashable, Sendable {
  /// A name, a keyword, a number, a text in quotation marks, or a sign.
  case text(String)
  /// `$1` and so on.
  case parameter(Int)
  /// A parameter that holds an array.
  case array(Int, isText: Bool)

  func isWord(_ word: String) -> Bool { if case .text(let text) = self { text == word } else { false } }

  /// As SQLite reads it.
  var spelling: String {
    switch self {
    case .text(let text): text
    case .parameter(let number), .array(let number, _): "?\(number)"
    }
  }

  private static func isNamed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The words of a statement, without comments.
  static func tokens(_ sql: String) -> [SQLToken] {
    let bytes = Array(sql.utf8)
    var tokens: [SQLToken] = []
    var place = 0
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    while place < bytes.count {
      let byte = bytes[place]
      let next = place + 1 < bytes.count ? bytes[place + 1] : 0
      var end = place + 1
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
        place += 1
        continue
      case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
        place = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        continue
      case UInt8(ascii: "'"), UInt8(ascii: "\""):
        while end < bytes.count, bytes[end] != byte { end += 1 }
        end = min(end + 1, bytes.count)
        tokens.append(.text(text(place..<end)))
      case UInt8(ascii: "$"):
        while end < bytes.count, isNamed(bytes[end]) { end += 1 }
        tokens.append(.parameter(Int(text(place + 1..<end)) ?? 0))
      case _ where isNamed(byte):
        while end < bytes.count, isNamed(bytes[end]) { end += 1 }
        tokens.append(.text(text(place..<end)))
      default:
        if ["::", "<>", "<=", ">=", "||", "!="].contains(text(place..<min(place + 2, bytes.count))) {
          end += 1
        }
        tokens.append(.text(text(place..<end)))
      }
      place = end
    }
    return tokens
  }
}

extension [SQLToken] {
  /// As SQLite reads them.
  var spelling: String { map(\.spelling).joined(separator: " ") }

  /// Whether these words stand at a place.
  func has(_ words: String, at place: Int) -> Bool {
    var place = place
    for word in words.split(separator: " ") {
      guard place < count, self[place].isWord(String(word)) else { return false }
      place += 1
    }
    return true
  }

  /// The place behind the bracket that closes the one at a place.
  func end(ofBracketAt place: Int) -> Int {
    var depth = 0
    for index in place..<count {
      if self[index].isWord("(") { depth += 1 }
      if self[index].isWord(")") { depth -= 1 }
      if depth == 0 { return index + 1 }
    }
    return count
  }

  /// The first place of a word outside of brackets; nil without one.
  func place(of word: String, from start: Int = 0) -> Int? {
    var depth = 0
    for index in Swift.min(start, count)..<count {
      if self[index].isWord("(") { depth += 1 }
      if self[index].isWord(")") { depth -= 1 }
      if depth == 0, self[index].isWord(word) { return index }
    }
    return nil
  }

  /// The parts between commas outside of brackets.
  var parts: [[SQLToken]] {
    var parts: [[SQLToken]] = []
    var rest = self
    while let comma = rest.place(of: ",") {
      parts.append(Array(rest[..<comma]))
      rest = Array(rest[(comma + 1)...])
    }
    return parts + [rest]
  }
}
