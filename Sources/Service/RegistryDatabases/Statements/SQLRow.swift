package import LinkspanCore
package import RegistryRequests

/// The names of a statement's columns, in their order.
package final class SQLColumns: Sendable {
  package let names: [String]

  package init(_ names: [String]) { self.names = names }

  /// Finds a column by its name; for many rows once, by ``Swift/Array/decoded(_:)``.
  ///
  /// - Throws: That the statement has none of that name.
  package subscript(_ name: String) -> SQLColumn {
    get throws(RegistryError) {
      guard let index = names.firstIndex(of: name) else {
        let others = names.map { "'\($0)'" }.joined(separator: ", ")
        throw RegistryError(
          .damaged, "An answer of the registry's store has no column '\(name)'; it has \(others).")
      }
      return SQLColumn(index: index)
    }
  }
}

/// Where a column is in the rows of a statement.
package struct SQLColumn: Sendable {
  fileprivate let index: Int
}

/// One row of an answer.
package struct SQLRow: Sendable {
  package let columns: SQLColumns
  package let values: [SQLValue]

  package init(columns: SQLColumns, values: [SQLValue]) {
    self.columns = columns
    self.values = values
  }

  /// - Throws: That the column has no text.
  package func text(_ column: SQLColumn) throws(RegistryError) -> String {
    guard case .text(let text) = values[column.index] else { throw wrongType(column, "text") }
    return text
  }

  /// - Throws: That the column has no whole number.
  package func int(_ column: SQLColumn) throws(RegistryError) -> Int64 {
    guard case .int(let number) = values[column.index] else { throw wrongType(column, "whole number") }
    return number
  }

  package func optionalText(_ column: SQLColumn) throws(RegistryError) -> String? {
    values[column.index] == .null ? nil : try text(column)
  }

  package func optionalInt(_ column: SQLColumn) throws(RegistryError) -> Int64? {
    values[column.index] == .null ? nil : try int(column)
  }

  package func optionalReal(_ column: SQLColumn) throws(RegistryError) -> Double? {
    switch values[column.index] {
    case .null: return nil
    case .real(let number): return number
    case .int(let number): return Double(number)
    case .text, .list: throw wrongType(column, "number")
    }
  }

  /// A moment, in milliseconds since 1970.
  package func time(_ column: SQLColumn) throws(RegistryError) -> WallTime {
    WallTime(milliseconds: try int(column))
  }

  package func optionalTime(_ column: SQLColumn) throws(RegistryError) -> WallTime? {
    try optionalInt(column).map(WallTime.init(milliseconds:))
  }

  private func wrongType(_ column: SQLColumn, _ wanted: String) -> RegistryError {
    RegistryError(
      .damaged,
      "The registry's store has no \(wanted) in column '\(columns.names[column.index])' of an answer.",
      help: "Restore the store from a backup, or export what can be read with 'linkspan registry export'.")
  }
}

/// For statements of few columns: each name is looked for.
extension SQLRow {
  package func text(_ name: String) throws(RegistryError) -> String { try text(columns[name]) }

  package func int(_ name: String) throws(RegistryError) -> Int64 { try int(columns[name]) }

  package func optionalText(_ name: String) throws(RegistryError) -> String? {
    try optionalText(columns[name])
  }

  package func optionalInt(_ name: String) throws(RegistryError) -> Int64? { try optionalInt(columns[name]) }

  package func time(_ name: String) throws(RegistryError) -> WallTime { try time(columns[name]) }

  package func optionalTime(_ name: String) throws(RegistryError) -> WallTime? {
    try optionalTime(columns[name])
  }
}

extension [SQLRow] {
  /// Reads the rows of a statement.
  ///
  /// - Parameter decoder: Finds the columns, once, and returns what reads a row by them.
  package func decoded<Answer>(
    _ decoder: (SQLColumns) throws(RegistryError) -> (SQLRow) throws(RegistryError) -> Answer
  ) throws(RegistryError) -> [Answer] {
    guard let first else { return [] }
    let decode = try decoder(first.columns)
    return try map { row throws(RegistryError) in try decode(row) }
  }

  /// One column of each row.
  package func ints(_ name: String) throws(RegistryError) -> [Int64] {
    try decoded { columns throws(RegistryError) in
      let column = try columns[name]
      return { row throws(RegistryError) in try row.int(column) }
    }
  }

  /// One column of each row.
  package func texts(_ name: String) throws(RegistryError) -> [String] {
    try decoded { columns throws(RegistryError) in
      let column = try columns[name]
      return { row throws(RegistryError) in try row.text(column) }
    }
  }
}
