internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests

/// A statement of PostgreSQL's as SQLite runs it: the same text, but for what SQLite spells differently or does not have.
struct PostgresStatement: Sendable {
  /// One statement of SQLite's.
  struct Step: Sendable {
    var sql: String
    /// Values that it has.
    var valueCount: Int
    /// The columns of its rows, which become a parameter of later steps; nil for the last step.
    var columns: [String]?
  }

  /// The last one answers.
  private(set) var steps: [Step] = []
  /// Parameters that are compared with each element of an array.
  private var lists: [Int: Bool] = [:]
  /// Parameters that make rows together; their first has all of them then.
  private var rows: [[(place: Int, isText: Bool)]] = []
  /// Partitions that it names.
  private(set) var partitions: Set<String> = []
  /// Values that it takes.
  private let valueCount: Int

  init(_ sql: String) {
    var tokens = SQLToken.tokens(Self.withoutHashes(sql))
    valueCount = tokens.reduce(0) { if case .parameter(let number) = $1 { max($0, number) } else { $0 } }
    tokens = Self.withoutLocks(tokens)
    tokens = Self.withArrays(tokens)
    tokens = takeLists(tokens)
    tokens = takeRows(tokens)
    tokens = Self.withoutColumnNames(tokens)
    tokens = Self.withSeries(tokens)
    tokens = Self.withoutLateral(tokens)
    tokens = takePartitions(tokens)
    takeSteps(tokens)
  }

  /// Those of this process, since stories have the same ones.
  private static let known = LockedState([String: PostgresStatement]())

  static func known(_ sql: String) -> PostgresStatement {
    if let known = known.withLock({ $0[sql] }) { return known }
    let statement = PostgresStatement(sql)
    known.withLock { $0[sql] = statement }
    return statement
  }

  // MARK: - Values

  /// The values of its first step. Later ones have those of the rows in addition.
  ///
  /// - Throws: That a value is no array.
  func values(_ values: [SQLValue]) throws(RegistryError) -> [SQLValue] {
    var values = values
    for (place, isText) in lists {
      let elements = try Self.elements(values[place - 1], isText)
      values[place - 1] = .text("[" + elements.joined(separator: ",") + "]")
    }
    for group in rows {
      var columns: [[String]] = []
      for column in group { columns.append(try Self.elements(values[column.place - 1], column.isText)) }
      let count = columns.map(\.count).max() ?? 0
      let rows = (0..<count).map { row in columns.map { row < $0.count ? $0[row] : "null" } }
      for column in group { values[column.place - 1] = .null }
      values[group[0].place - 1] = .text(PostgresArray.json(rows))
    }
    return values
  }

  private static func elements(_ value: SQLValue, _ isText: Bool) throws(RegistryError) -> [String] {
    guard case .list(let elements) = value, elements.allSatisfy({ Self.isElement($0, isText) }) else {
      throw PostgresAnswer.error(state: "22P02", reason: "malformed array")
    }
    return elements.map { PostgresArray.json($0) }
  }

  private static func isElement(_ value: SQLValue, _ isText: Bool) -> Bool {
    switch value {
    case .null: true
    case .text: isText
    case .int, .real: !isText
    case .list: false
    }
  }

  // MARK: - Words

  /// PostgreSQL computes keyed hashes by what it brings along, SQLite by a function of ours.
  private static func withoutHashes(_ sql: String) -> String {
    guard sql.contains("hash_key)") else {
      return sql.replacing("FROM devices AS before", with: "FROM pg_before AS before")
    }
    var sql = sql
    for column in ["token", "d.token", "devices.token"] {
      sql = sql.replacing(SQLDialect.postgres.tokenHash(column), with: SQLDialect.sqlite.tokenHash(column))
    }
    return sql
  }

  /// Nobody else is in a transaction while this one is, so there is nothing to lock. Texts compare as in Swift anyhow.
  private static func withoutLocks(_ tokens: [SQLToken]) -> [SQLToken] {
    var kept: [SQLToken] = []
    var place = 0
    while place < tokens.count {
      if let words = ["FOR UPDATE", "FOR SHARE", "FOR KEY SHARE", "COLLATE \"C\""].first(where: {
        tokens.has($0, at: place)
      }) {
        place += words.split(separator: " ").count
        if tokens.has("OF", at: place) { place += 2 }
        if tokens.has("SKIP LOCKED", at: place) { place += 2 }
      } else if tokens[place].isWord("strpos") {
        kept.append(.text("instr"))
        place += 1
      } else {
        kept.append(tokens[place])
        place += 1
      }
    }
    return kept
  }

  /// Casts of parameters become parameters, those to arrays special ones.
  private static func withArrays(_ tokens: [SQLToken]) -> [SQLToken] {
    var kept: [SQLToken] = []
    var place = 0
    while place < tokens.count {
      guard case .parameter(let number) = tokens[place] else {
        kept.append(tokens[place])
        place += 1
        continue
      }
      let isCast = tokens.has("::", at: place + 1)
      let isAs = tokens.has("AS", at: place + 1) && place > 1 && tokens.has("CAST (", at: place - 2)
      let isArray = tokens.has("[ ]", at: place + 3)
      switch (isCast, isAs, isArray) {
      case (true, _, true):
        kept.append(.array(number, isText: tokens[place + 2].isWord("text")))
        place += 5
      case (true, _, false):
        kept.append(.parameter(number))
        place += 3
      case (_, true, true):
        kept.removeLast(2)
        kept.append(.array(number, isText: tokens[place + 2].isWord("TEXT")))
        place += 6
      default:
        kept.append(.parameter(number))
        place += 1
      }
    }
    return kept
  }

  private mutating func takeLists(_ tokens: [SQLToken]) -> [SQLToken] {
    var kept: [SQLToken] = []
    var place = 0
    while place < tokens.count {
      let isNone = tokens.has("<> ALL (", at: place)
      guard isNone || tokens.has("= ANY (", at: place), place + 3 < tokens.count else {
        kept.append(tokens[place])
        place += 1
        continue
      }
      kept += isNone ? [.text("NOT"), .text("IN"), .text("(")] : [.text("IN"), .text("(")]
      let end = tokens.end(ofBracketAt: place + 2)
      if case .array(let number, let isText) = tokens[place + 3] {
        lists[number] = isText
        kept.append(.text("SELECT value FROM json_each(?\(number))"))
      } else {
        // ARRAY (…)
        kept += takeLists(Array(tokens[(place + 5)..<(end - 2)]))
      }
      kept.append(.text(")"))
      place = end
    }
    return kept
  }

  private mutating func takeRows(_ tokens: [SQLToken]) -> [SQLToken] {
    var kept: [SQLToken] = []
    var place = 0
    while place < tokens.count {
      if tokens.has("unnest (", at: place) {
        var end = tokens.end(ofBracketAt: place + 1)
        let group = tokens[place..<end].compactMap { token -> (place: Int, isText: Bool)? in
          if case .array(let number, let isText) = token { (number, isText) } else { nil }
        }
        rows.append(group)
        var columns = group.indices.map { "column\($0 + 1)" }
        var alias: [SQLToken] = []
        if tokens.has("AS", at: end), end + 2 < tokens.count, tokens[end + 2].isWord("(") {
          alias = Array(tokens[end...(end + 1)])
          let close = tokens.end(ofBracketAt: end + 2)
          columns = tokens[(end + 3)..<(close - 1)].map(\.spelling).filter { $0 != "," }
          end = close
        }
        kept += [.text("(" + PostgresArray.query(group[0].place, columns: columns) + ")")] + alias
        place = end
      } else {
        kept.append(tokens[place])
        place += 1
      }
      // SQLite would take it for the condition of a join.
      let isRows = kept.last.map { $0.isWord("given") || $0.spelling.contains("json_each") } ?? false
      let isAlias =
        kept.count > 1 && kept[kept.count - 2].isWord("AS") && kept.last?.isWord("reached") == true
      if tokens.has("ON CONFLICT", at: place), isRows || isAlias { kept.append(.text("WHERE 1 = 1")) }
    }
    return kept
  }

  /// `(SELECT …) AS name (columns)` names its columns by a `WITH` of its own.
  private static func withoutColumnNames(_ tokens: [SQLToken]) -> [SQLToken] {
    let ends = tokens.indices.filter { tokens.has(") AS", at: $0) && !tokens.has("(", at: $0 + 2) }
    guard let end = ends.first(where: { tokens.has("(", at: $0 + 3) }),
      let start = tokens.indices.first(where: {
        tokens.has("( SELECT", at: $0) && tokens.end(ofBracketAt: $0) == end + 1
      })
    else { return tokens }
    let name = tokens[end + 2].spelling
    let listEnd = tokens.end(ofBracketAt: end + 3)
    let list = Array(tokens[(end + 3)..<listEnd]).spelling
    var kept = Array(tokens[..<start])
    kept.append(.text("(WITH \(name) \(list) AS"))
    kept += tokens[start...end]
    kept.append(.text("SELECT * FROM \(name)) AS \(name)"))
    kept += tokens[listEnd...]
    return kept
  }

  private static func withSeries(_ tokens: [SQLToken]) -> [SQLToken] {
    guard let place = tokens.firstIndex(where: { $0.isWord("generate_series") }), place + 5 < tokens.count
    else { return tokens }
    let last = tokens[place + 4].spelling
    let series = SQLToken.text(
      "(WITH RECURSIVE series (n) AS (SELECT 1 WHERE \(last) > 0 UNION ALL SELECT n + 1 FROM series WHERE n < \(last))"
        + " SELECT n FROM series)")
    return tokens[..<place] + [series] + tokens[(place + 6)...]
  }

  /// `CROSS JOIN LATERAL (SELECT id, … FROM table …) AS name` is a join with those that the query finds.
  private static func withoutLateral(_ tokens: [SQLToken]) -> [SQLToken] {
    guard let place = tokens.indices.first(where: { tokens.has("CROSS JOIN LATERAL (", at: $0) }) else {
      return tokens
    }
    let end = tokens.end(ofBracketAt: place + 3)
    let query = Array(tokens[(place + 4)..<(end - 1)])
    guard let from = query.place(of: "FROM") else { return tokens }
    let name = tokens[end + 1]
    var joined = Array(tokens[..<place])
    joined.append(
      .text("JOIN \(query[from + 1].spelling) AS \(name.spelling) ON \(name.spelling).id IN (SELECT id"))
    joined += query[from...]
    joined.append(.text(")"))
    joined += tokens[(end + 2)...]
    return joined
  }
}

/// Parts.
extension PostgresStatement {
  /// A table that a partition belongs to, and the column that says to which.
  private static func parent(_ token: SQLToken) -> (table: String, column: String, name: String)? {
    guard case .text(let name) = token else { return nil }
    let (table, column) = name.hasPrefix("messages_") ? ("messages", "id") : ("deliveries", "message_id")
    guard name.hasPrefix("\(table)_") else { return nil }
    let rest = name.dropFirst(table.count + 1)
    guard rest == "before" || rest.hasSuffix("_transactional") || rest.hasSuffix("_campaign") else {
      return nil
    }
    return (table, column, name)
  }

  /// A partition is the rows of its parent within its bounds.
  private mutating func takePartitions(_ tokens: [SQLToken]) -> [SQLToken] {
    var kept: [SQLToken] = []
    var changed: (column: String, name: String)?
    for (place, token) in tokens.enumerated() {
      guard let (table, column, name) = Self.parent(token) else {
        kept.append(token)
        continue
      }
      partitions.insert(name)
      let isDeleted = place > 1 && tokens.has("DELETE FROM", at: place - 2)
      if isDeleted || (place > 0 && tokens[place - 1].isWord("UPDATE")) {
        changed = (column, name)
        kept.append(.text(table))
      } else {
        let hasAlias = tokens.has("AS", at: place + 1)
        kept.append(
          .text(
            "(SELECT * FROM \(table) WHERE \(Self.bounds(column, name)))" + (hasAlias ? "" : " AS \(name)")))
      }
    }
    guard let changed, let start = kept.place(of: "WHERE") else { return kept }
    let end = kept.place(of: "RETURNING", from: start) ?? kept.count
    let condition =
      [SQLToken.text("WHERE (\(Self.bounds(changed.column, changed.name))) AND (")] + kept[(start + 1)..<end]
    return Array(kept[..<start]) + condition + [.text(")")] + Array(kept[end...])
  }

  private static func bounds(_ column: String, _ name: String) -> String {
    "\(column) >= (SELECT low FROM pg_partition WHERE name = '\(name)')"
      + " AND \(column) < (SELECT high FROM pg_partition WHERE name = '\(name)')"
  }

  // MARK: - Steps

  /// A query of a `WITH`.
  private struct Part {
    var name: String
    var columns: [String]
    var body: [SQLToken]
  }

  /// Statements that change something within a `WITH` go first, and what they return is a parameter of the others.
  private mutating func takeSteps(_ tokens: [SQLToken]) {
    var parts: [Part] = []
    var place = 1
    if tokens.has("WITH", at: 0), !tokens.has("RECURSIVE", at: 1) {
      while true {
        let name = tokens[place].spelling
        var columns: [String] = []
        place += 1
        if tokens[place].isWord("(") {
          let end = tokens.end(ofBracketAt: place)
          columns = tokens[(place + 1)..<(end - 1)].map(\.spelling).filter { $0 != "," }
          place = end
        }
        let end = tokens.end(ofBracketAt: place + 1)
        let body = Array(tokens[(place + 2)..<(end - 1)])
        parts.append(
          Part(name: name, columns: columns.isEmpty ? Self.columns(body, parts) : columns, body: body))
        place = end
        guard tokens.has(",", at: place) else { break }
        place += 1
      }
    }
    let areChanges = parts.contains { part in
      ["INSERT", "UPDATE", "DELETE"].contains { part.body.has($0, at: 0) }
    }
    guard areChanges else { return add(tokens.spelling, nil) }
    var known: [String] = []
    func with(_ rest: [SQLToken]) -> String {
      known.isEmpty ? rest.spelling : "WITH \(known.joined(separator: ", ")) \(rest.spelling)"
    }
    for part in parts {
      add(with(part.body), part.columns)
      guard !part.columns.isEmpty else { continue }
      let query = PostgresArray.query(valueCount + known.count + 1, columns: part.columns)
      known.append("\(part.name) AS (\(query))")
    }
    add(with(Array(tokens[place...])), nil)
  }

  private mutating func add(_ sql: String, _ columns: [String]?) {
    let numbers = sql.split(separator: "?").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
    steps.append(Step(sql: sql, valueCount: numbers.max() ?? 0, columns: columns))
  }

  /// The names of what a query returns.
  private static func columns(_ body: [SQLToken], _ known: [Part]) -> [String] {
    let isQuery = body.has("SELECT", at: 0)
    let start = isQuery ? 0 : body.place(of: "RETURNING") ?? body.count
    guard start < body.count else { return [] }
    let end = isQuery ? body.place(of: "FROM") ?? body.count : body.count
    return Array(body[(start + 1)..<end]).parts.flatMap { part -> [String] in
      guard part.count == 1, part[0].isWord("*") else { return part.last.map { [$0.spelling] } ?? [] }
      return known.first { body.has($0.name, at: end + 1) }?.columns ?? []
    }
  }
}
