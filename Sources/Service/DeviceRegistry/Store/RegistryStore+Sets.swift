internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// Statements about many rows: one statement where the database takes arrays, or one prepared statement for each row.
extension RegistryStore {
  /// Runs a statement about rows with identifiers.
  ///
  /// - Parameters:
  ///   - identifiers: In their order, so that two servers do not wait for each other in a circle.
  ///   - values: `$1` and so on; the identifiers come after them.
  ///   - isLater: Whether nobody needs the answer, see ``SQLDatabase/runLater(_:_:)``.
  ///   - sql: Takes what a column of identifiers is compared with: `= …`.
  @discardableResult
  func run(
    each identifiers: [Int64], _ values: [SQLValue] = [], isLater: Bool = false, _ sql: (String) -> String
  ) throws(RegistryError) -> [SQLRow] {
    guard !identifiers.isEmpty else { return [] }
    let place = "$\(values.count + 1)"
    guard database.dialect.hasArrays else {
      let rows = try database.runEach(sql("= \(place)"), identifiers.map { values + [.int($0)] })
      return Array(rows.joined())
    }
    return try run(
      sql("= ANY(\(place)::bigint[])"), values + Self.arrays(identifiers.map { [.int($0)] }), isLater: isLater
    )
  }

  private func run(_ sql: String, _ values: [SQLValue], isLater: Bool) throws(RegistryError) -> [SQLRow] {
    guard isLater else { return try database.run(sql, values) }
    try database.runLater(sql, values)
    return []
  }

  /// The same for identifiers of messages, each in the table of its part.
  @discardableResult
  func run(
    eachMessage messages: some Sequence<Int64>, _ values: [SQLValue] = [],
    _ sql: (_ table: String, _ isEach: String) -> String
  ) throws(RegistryError) -> [SQLRow] {
    var rows: [SQLRow] = []
    for (part, messages) in Self.byPart(messages) {
      rows += try run(each: messages, values) { sql(table("messages", part), $0) }
    }
    return rows
  }

  /// A column of given rows.
  struct Given {
    var name: String
    var type: String

    static func int(_ name: String) -> Given { Given(name: name, type: "bigint") }
    static func text(_ name: String) -> Given { Given(name: name, type: "text") }
    static func real(_ name: String) -> Given { Given(name: name, type: "float8") }
  }

  /// Runs a statement that reads rows from `given`.
  ///
  /// - Parameters:
  ///   - columns: Of the given rows; their values are `$1` and so on.
  ///   - others: What comes after them.
  ///   - isLater: Whether nobody needs the answer, see ``SQLDatabase/runLater(_:_:)``.
  @discardableResult
  func run(
    given columns: [Given], _ rows: [[SQLValue]], _ sql: String, others: [SQLValue] = [],
    isLater: Bool = false
  ) throws(RegistryError) -> [SQLRow] {
    guard !rows.isEmpty else { return [] }
    let names = columns.map(\.name).joined(separator: ", ")
    guard database.dialect.hasArrays else {
      let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
      let answers = try database.runEach(
        "WITH given (\(names)) AS (SELECT \(places)) " + sql, rows.map { $0 + others })
      return Array(answers.joined())
    }
    let statement = Self.statement(given: columns, rows, sql, others: others)
    return try run(statement.sql, statement.values, isLater: isLater)
  }

  /// A statement that reads rows from `given`, for a database that takes arrays.
  static func statement(
    given columns: [Given], _ rows: [[SQLValue]], _ sql: String, others: [SQLValue] = []
  ) -> SQLStatement {
    let names = columns.map(\.name).joined(separator: ", ")
    let arrays = columns.enumerated().map { "$\($0.offset + 1)::\($0.element.type)[]" }
    return SQLStatement(
      sql: "WITH given (\(names)) AS (SELECT * FROM unnest(\(arrays.joined(separator: ", ")))) " + sql,
      values: Self.arrays(rows) + others)
  }

  // MARK: - Parts

  /// The table that holds a part of messages or deliveries. PostgreSQL would look through every part otherwise.
  func table(_ name: String, _ part: JournalPart) -> String {
    database.dialect.isRemote ? "\(name)_\(part.suffix)" : name
  }

  /// Identifiers of messages by their parts, both in their order.
  static func byPart(_ messages: some Sequence<Int64>) -> [(JournalPart, [Int64])] {
    Dictionary(grouping: Set(messages).sorted()) { JournalPart(of: $0) }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
