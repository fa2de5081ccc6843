internal import LinkspanCore
internal import RegistryDatabases

/// PostgreSQL's arrays, and rows, as JSON that SQLite reads.
enum PostgresArray {
  static func json(_ text: String) -> String { JSON.string(text).text }

  static func json(_ value: SQLValue) -> String {
    switch value {
    case .null: "null"
    case .int(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): json(text)
    case .list(let elements): "[" + elements.map(json).joined(separator: ",") + "]"
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
