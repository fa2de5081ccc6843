internal import CPostgres

/// An answer of libpq, which is freed with it.
final class PostgresResult {
  private let pointer: OpaquePointer

  init?(_ pointer: OpaquePointer?) {
    guard let pointer else { return nil }
    self.pointer = pointer
  }

  deinit { PQclear(pointer) }

  var status: ExecStatusType { PQresultStatus(pointer) }

  var isGood: Bool { status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK }

  /// Rows that an INSERT, UPDATE or DELETE has changed.
  var changedCount: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

  /// The SQLSTATE of an error, five characters.
  var state: String? { field("C") }

  /// The first line of an error; the others may quote values.
  var message: String? { field("M") }

  private func field(_ code: Unicode.Scalar) -> String? {
    PQresultErrorField(pointer, CInt(code.value)).map { String(cString: $0) }
  }

  var columns: SQLColumns {
    SQLColumns(
      (0..<PQnfields(pointer)).map { PQfname(pointer, $0).map { String(cString: $0) } ?? "" })
  }

  /// - Parameter columns: Those of the statement.
  func rows(_ columns: SQLColumns) -> [SQLRow] {
    let fields = 0..<PQnfields(pointer)
    let types = fields.map { PQftype(pointer, $0) }
    return (0..<PQntuples(pointer)).map { row in
      SQLRow(columns: columns, values: fields.map { value(row, $0, types[Int($0)]) })
    }
  }

  private func value(_ row: CInt, _ column: CInt, _ type: Oid) -> SQLValue {
    guard PQgetisnull(pointer, row, column) == 0, let bytes = PQgetvalue(pointer, row, column) else {
      return .null
    }
    let text = bytes.withMemoryRebound(to: UInt8.self, capacity: Int(PQgetlength(pointer, row, column))) {
      String(
        decoding: UnsafeBufferPointer(start: $0, count: Int(PQgetlength(pointer, row, column))),
        as: UTF8.self)
    }
    // The numbers are PostgreSQL's own types: int8, int2, int4; float4, float8; bool.
    switch type {
    case 20, 21, 23: return Int64(text).map(SQLValue.int) ?? .text(text)
    case 700, 701: return Double(text).map(SQLValue.real) ?? .text(text)
    case 16: return .int(text == "t" ? 1 : 0)
    default: return .text(text)
    }
  }
}
