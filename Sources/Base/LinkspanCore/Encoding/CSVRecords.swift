/// A field of a CSV file and where it stands.
package struct CSVField: Hashable, Sendable {
  /// Without quotes, and without blanks around it.
  package var text: String
  package var range: Range<Int>
}

extension CSVField {
  /// A text as it stands in a file: quoted where it has to be (RFC 4180, 2), and where a reader would take blanks around it away.
  package static func written(_ text: String) -> String {
    let special: Set<UInt8> = [0x22, 0x2C, 0x0A, 0x0D]
    guard ASCII.trimmed(text) != text || text.utf8.contains(where: special.contains) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}

/// The records of a CSV file (RFC 4180): fields between commas, quoted where they hold commas, quotes or line ends. Lines
/// may end in LF or CRLF; empty ones are no records.
package struct CSVRecords {
  /// Where reading went wrong: the byte, and why.
  package struct Mistake: Error, Hashable {
    package var place: Int
    package var reason: String
  }

  private let bytes: [UInt8]
  private var place: Int

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A byte order mark, as spreadsheets write it.
    place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// - Returns: The next record, or nil at the end.
  package mutating func next() throws(Mistake) -> [CSVField]? {
    while place < bytes.count, ASCII.isLineEnd(bytes[place]) { place += 1 }
    guard place < bytes.count else { return nil }
    var fields: [CSVField] = []
    while true {
      fields.append(try field())
      guard place < bytes.count, bytes[place] == UInt8(ascii: ",") else { return fields }
      place += 1
    }
  }

  private mutating func field() throws(Mistake) -> CSVField {
    while place < bytes.count, ASCII.isBlank(bytes[place]) { place += 1 }
    if place < bytes.count, bytes[place] == UInt8(ascii: "\"") { return try quoted() }
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: ","), !ASCII.isLineEnd(bytes[place]) {
      if bytes[place] == UInt8(ascii: "\"") {
        throw Mistake(place: place, reason: "a quote is in the middle of a field")
      }
      place += 1
    }
    var end = place
    while end > start, ASCII.isBlank(bytes[end - 1]) { end -= 1 }
    return try text(Array(bytes[start..<end]), start..<end)
  }

  private mutating func quoted() throws(Mistake) -> CSVField {
    let start = place
    place += 1
    var content: [UInt8] = []
    while true {
      guard place < bytes.count else { throw Mistake(place: start, reason: "a quoted field has no end") }
      let byte = bytes[place]
      place += 1
      guard byte == UInt8(ascii: "\"") else {
        content.append(byte)
        continue
      }
      guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { break }
      content.append(byte)
      place += 1
    }
    let end = place
    while place < bytes.count, ASCII.isBlank(bytes[place]) { place += 1 }
    guard place == bytes.count || bytes[place] == UInt8(ascii: ",") || ASCII.isLineEnd(bytes[place]) else {
      throw Mistake(place: place, reason: "text follows the end of a quoted field")
    }
    return try text(content, start..<end)
  }

  private func text(_ content: [UInt8], _ range: Range<Int>) throws(Mistake) -> CSVField {
    guard let text = String(validating: content, as: UTF8.self) else {
      throw Mistake(place: range.lowerBound, reason: "a field is not UTF-8")
    }
    return CSVField(text: text, range: range)
  }
}
