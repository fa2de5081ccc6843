internal import LinkspanCore
internal import RegistryDatabases

/// PostgreSQL's arrays in their text form, and rows, as JSON that SQLite reads.
enum PostgresArray {
  /// The elements of an array of one dimension, each as JSON.
  ///
  /// - Parameter isText: Whether they are texts; others are numbers.
  /// - Returns: nil for a text that is no array.
  static func elements(_ text: String, isText: Bool) -> [String]? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
      return nil
    }
    var elements: [String] = []
    var place = 1
    while place < bytes.count - 1 {
      if bytes[place] == UInt8(ascii: "\"") {
        var element: [UInt8] = []
        place += 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
          if bytes[place] == UInt8(ascii: "\\") { place += 1 }
          if place < bytes.count { element.append(bytes[place]) }
          place += 1
        }
        place += 1
        elements.append(json(String(decoding: element, as: UTF8.self)))
      } else {
        let end = bytes[place...].firstIndex { $0 == UInt8(ascii: ",") } ?? bytes.count - 1
        let word = String(decoding: bytes[place..<end], as: UTF8.self)
        elements.append(word == "NULL" ? "null" : isText ? json(word) : word)
        place = end
      }
      guard place < bytes.count - 1 else { break }
      guard bytes[place] == UInt8(ascii: ",") else { return nil }
      place += 1
    }
    return elements
  }

  static func json(_ text: String) -> String { JSON.string(text).text }

  static func json(_ value: SQLValue) -> String {
    switch value {
    case .null: "null"
    case .int(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): json(text)
    }
  }

  /// Rows as an array of arrays.
  static func json(_ rows: [[String]]) -> String {
    "[" + rows.map { "[" + $0.joined(separator: ",") + "]" }.joined(separator: ",") + "]"
  }

  /// A query for the columns of rows in a parameter.
  static func query(_ parameter: Int, columns: [String]) -> String {
    let list = columns.enumerated().map { "json_extract(value, '$[\($0.offset)]') AS \($0.element)" }
    return "SELECT \(list.joined(separator: ", ")) FROM json_each(?\(parameter))"
  }
}
