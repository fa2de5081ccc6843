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
