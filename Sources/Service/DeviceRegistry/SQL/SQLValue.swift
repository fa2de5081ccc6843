/// A value that goes into a statement or comes out of one.
enum SQLValue: Hashable, Sendable {
  case null
  case int(Int64)
  case real(Double)
  case text(String)

  init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }

  init(_ value: Int64?) { self = value.map(SQLValue.int) ?? .null }

  init(_ value: Double?) { self = value.map(SQLValue.real) ?? .null }
}

/// One row of an answer.
struct SQLRow: Hashable, Sendable {
  let values: [SQLValue]

  /// - Throws: That the column has no text.
  func text(_ column: Int) throws(RegistryError) -> String {
    guard case .text(let text) = values[column] else { throw wrongType(column, "text") }
    return text
  }

  /// - Throws: That the column has no whole number.
  func int(_ column: Int) throws(RegistryError) -> Int64 {
    guard case .int(let number) = values[column] else { throw wrongType(column, "a whole number") }
    return number
  }

  func optionalText(_ column: Int) throws(RegistryError) -> String? {
    values[column] == .null ? nil : try text(column)
  }

  func optionalInt(_ column: Int) throws(RegistryError) -> Int64? {
    values[column] == .null ? nil : try int(column)
  }

  func optionalReal(_ column: Int) throws(RegistryError) -> Double? {
    switch values[column] {
    case .null: return nil
    case .real(let number): return number
    case .int(let number): return Double(number)
    case .text: throw wrongType(column, "a number")
    }
  }

  private func wrongType(_ column: Int, _ wanted: String) -> RegistryError {
    RegistryError(
      .damaged, "The registry's store has no \(wanted) in column \(column + 1) of an answer.",
      help: "Restore the store from a backup, or export what can be read with 'linkspan registry export'.")
  }
}
