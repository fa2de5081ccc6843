internal import CSQLite

extension SQLiteDatabase {
  /// Has the statements of a connection know ``SQLDialect/lower``; SQLite's own function knows ASCII only.
  static func addLowerFunction(to handle: OpaquePointer?) {
    sqlite3_create_function_v2(
      handle, SQLDialect.sqlite.lower, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
      { context, _, values in
        guard let text = sqlite3_value_text(values?.pointee) else { return }
        let answer = String(cString: text).lowercased()
        linkspan_sqlite_result_text(context, answer, CInt(answer.utf8.count))
      }, nil, nil, nil)
  }
}
