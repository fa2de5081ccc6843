internal import LinkspanCore

/// An element of a part of a page, as a browser has it: what a difference is made of.
struct LiveElement {
  /// Their content is never changed piece by piece: a picture's elements have another namespace, and `localizeTimes` changes
  /// times in the browser.
  private static let whole: Set<String> = ["svg", "time", "textarea"]
  /// HTML has no end tag for them.
  private static let withoutEnd: Set<String> = ["br", "hr", "img", "input"]

  /// The start tag as it is written; empty for the part itself.
  private(set) var tag: ArraySlice<UInt8> = []
  private(set) var name = ""
  /// All of it, with its tags.
  private(set) var html: ArraySlice<UInt8> = []
  /// What is between its tags.
  private(set) var inner: ArraySlice<UInt8> = []
  private(set) var elements: [LiveElement] = []
  /// The text around its elements: one more than there are of them.
  private(set) var texts: [ArraySlice<UInt8>] = [[]]

  private init() {}

  /// Reads the markup of a part; nil where its tags are not balanced.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    var open = [LiveElement()]
    var next = 0
    while let begin = bytes[next...].firstIndex(of: UInt8(ascii: "<")) {
      guard let end = Self.endOfTag(in: bytes, from: begin) else { return nil }
      open[open.count - 1].end(text: bytes[next..<begin])
      next = end
      if bytes[begin + 1] == UInt8(ascii: "/") {
        guard open.count > 1, var element = open.popLast(),
          bytes[begin..<end].elementsEqual("</\(element.name)>".utf8)
        else { return nil }
        element.inner = bytes[element.tag.endIndex..<begin]
        element.html = bytes[element.tag.startIndex..<end]
        open[open.count - 1].add(element)
        continue
      }
      var element = LiveElement()
      element.tag = bytes[begin..<end]
      element.name = String(decoding: bytes[(begin + 1)..<end].prefix(while: Self.isInName), as: UTF8.self)
      if Self.whole.contains(element.name) {
        guard let last = bytes[next...].firstRange(of: Array("</\(element.name)>".utf8)) else { return nil }
        next = last.upperBound
      } else if !Self.withoutEnd.contains(element.name) {
        open.append(element)
        continue
      }
      element.html = bytes[begin..<next]
      open[open.count - 1].add(element)
    }
    guard open.count == 1 else { return nil }
    self = open[0]
    end(text: bytes[next...])
    (html, inner) = (bytes[...], bytes[...])
  }

  private mutating func end(text: ArraySlice<UInt8>) { texts[texts.count - 1] = text }

  private mutating func add(_ element: LiveElement) {
    elements.append(element)
    texts.append([])
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte)
  }

  /// Where a tag ends; a `>` in the value of an attribute is not its end.
  private static func endOfTag(in bytes: [UInt8], from begin: Int) -> Int? {
    var isQuoted = false
    for index in begin..<bytes.count {
      if bytes[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if bytes[index] == UInt8(ascii: ">"), !isQuoted { return index + 1 }
    }
    return nil
  }

  /// Whether it can only be replaced as a whole.
  var isWhole: Bool { Self.whole.contains(name) || Self.withoutEnd.contains(name) }

  /// Whether there is no text between its elements, only blanks.
  var hasElementsOnly: Bool {
    texts.allSatisfy { $0.allSatisfy { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") } }
  }

  /// It, without what is between its tags.
  var emptied: String { String(decoding: tag, as: UTF8.self) + "</\(name)>" }
}
