internal import CSQLite

extension SQLValue {
  /// Gives the value to a place of a statement, from 1.
  ///
  /// - Returns: SQLite's code. It has no lists.
  func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .int(let number): return sqlite3_bind_int64(statement, index, number)
    case .real(let number): return sqlite3_bind_double(statement, index, number)
    case .list: return SQLITE_MISMATCH
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          linkspan_sqlite_bind_text(
            statement, index, characters.baseAddress ?? Self.empty, sqlite3_uint64(characters.count))
        }
      }
    }
  }

  /// A null pointer would bind NULL instead of an empty text. The byte is never freed and never written.
  nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()
}
