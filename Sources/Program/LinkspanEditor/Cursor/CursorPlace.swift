internal import LinkspanCore

/// Where a cursor stands in JSON or JSON5 that is being written, found by reading tokens up to it: the text need not be
/// right before it and is not looked at behind it.
struct CursorPlace {
  enum Step: Equatable {
    case key(String)
    case index(Int)
  }

  /// The way from the root to the innermost object around the cursor.
  private(set) var path: [Step] = []
  /// The keys before the cursor in the same object, where a key goes; nil where a value does.
  private(set) var keysBefore: [String]?
  /// The key of that object whose value the cursor is in, or stands before.
  private(set) var key: String?
  /// The word or string under the cursor, its marks not included; empty where there is none.
  private(set) var word: Range<Int>
  /// The mark that the word stands in; nil for a bare word.
  private(set) var mark: UInt8?
  /// Whether a comment holds the cursor, so that nothing goes there.
  private(set) var isInComment = false
  /// The brackets that close what is open at the cursor.
  private(set) var closing: [UInt8] = []

  private struct Level {
    var isObject: Bool
    var keys: [String] = []
    var key: String?
    /// Whether a colon, or in an array a bracket or a comma, came last.
    var awaitsValue: Bool
    var index = 0
  }

  init(at cursor: Int, in bytes: [UInt8]) {
    word = cursor..<cursor
    var levels: [Level] = []
    var place = 0
    scan: while place < cursor {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        levels.append(Level(isObject: isObject, awaitsValue: !isObject))
        place += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = levels.popLast()
        Self.endValue(&levels)
        place += 1
      case UInt8(ascii: ":"):
        if let last = levels.indices.last { levels[last].awaitsValue = true }
        place += 1
      case UInt8(ascii: ","):
        if let last = levels.indices.last {
          levels[last].index += 1
          levels[last].awaitsValue = !levels[last].isObject
          levels[last].key = nil
        }
        place += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        let end = Self.stringEnd(place, bytes)
        if cursor <= end.content {
          word = place + 1..<end.content
          mark = byte
          break scan
        }
        Self.note(String(decoding: bytes[place + 1..<end.content], as: UTF8.self), &levels)
        place = end.next
      case UInt8(ascii: "/") where place + 1 < bytes.count && [0x2F, 0x2A].contains(bytes[place + 1]):
        let end = Self.commentEnd(place, bytes)
        if cursor < end {
          isInComment = true
          break scan
        }
        place = end
      case _ where Self.isWord(byte):
        var end = place
        while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
        if cursor <= end {
          word = place..<end
          break scan
        }
        Self.note(String(decoding: bytes[place..<end], as: UTF8.self), &levels)
        place = end
      default: place += 1
      }
    }
    settle(levels)
    extendWord(cursor, bytes)
  }

  private mutating func settle(_ levels: [Level]) {
    closing = levels.reversed().map { $0.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    guard let place = levels.lastIndex(where: { $0.isObject }) else { return }
    path = levels[..<place].map { $0.isObject ? .key($0.key ?? "") : .index($0.index) }
    let object = levels[place]
    if place < levels.count - 1 || object.awaitsValue {
      key = object.key
    } else {
      keysBefore = object.keys
    }
  }

  /// A word that begins at the cursor belongs to it.
  private mutating func extendWord(_ cursor: Int, _ bytes: [UInt8]) {
    guard mark == nil, word.isEmpty, !isInComment else { return }
    var end = cursor
    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
    word = cursor..<end
  }

  private static func note(_ text: String, _ levels: inout [Level]) {
    guard let last = levels.indices.last else { return }
    if levels[last].isObject, !levels[last].awaitsValue {
      levels[last].key = text
      levels[last].keys.append(text)
    } else {
      endValue(&levels)
    }
  }

  private static func endValue(_ levels: inout [Level]) {
    guard let last = levels.indices.last, levels[last].isObject else { return }
    levels[last].awaitsValue = false
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80 || "_$-+.".utf8.contains(byte)
  }

  /// Where the text of a string ends, and where reading goes on: a line's end closes one that was left open.
  private static func stringEnd(_ start: Int, _ bytes: [UInt8]) -> (content: Int, next: Int) {
    var place = start + 1
    while place < bytes.count {
      switch bytes[place] {
      case bytes[start]: return (place, place + 1)
      case 0x0A, 0x0D: return (place, place)
      case UInt8(ascii: "\\"): place += 2
      default: place += 1
      }
    }
    return (min(place, bytes.count), bytes.count)
  }

  /// The first place of a cursor behind a comment: none in the text where the comment has no end.
  private static func commentEnd(_ start: Int, _ bytes: [UInt8]) -> Int {
    if bytes[start + 1] == 0x2F { return (bytes[start...].firstIndex(of: 0x0A) ?? bytes.count) + 1 }
    var place = start + 2
    while place + 1 < bytes.count {
      if bytes[place] == 0x2A, bytes[place + 1] == 0x2F { return place + 2 }
      place += 1
    }
    return bytes.count + 1
  }
}
