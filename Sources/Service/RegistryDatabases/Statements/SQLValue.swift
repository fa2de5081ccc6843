/// A value that goes into a statement or comes out of one.
package enum SQLValue: Hashable, Sendable {
  case null
  case int(Int64)
  case real(Double)
  case text(String)
  /// An array of values of one kind, or NULL; for PostgreSQL alone, and only into a statement.
  case list([SQLValue])

  package init(_ value: String?) { self = value.map(SQLValue.text) ?? .null }

  package init(_ value: Int64?) { self = value.map(SQLValue.int) ?? .null }

  package init(_ value: Double?) { self = value.map(SQLValue.real) ?? .null }
}
