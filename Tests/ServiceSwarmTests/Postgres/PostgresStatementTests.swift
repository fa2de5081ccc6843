import RegistryDatabases
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What SQLite runs in the place of PostgreSQL's statements.
@Suite struct PostgresStatementTests {
  @Test(arguments: [
    (
      "SELECT id FROM a WHERE b = $1 ORDER BY id FOR UPDATE SKIP LOCKED",
      "SELECT id FROM a WHERE b = ?1 ORDER BY id"
    ),
    ("SELECT f.id FROM f ORDER BY f.a COLLATE \"C\" FOR SHARE OF f", "SELECT f . id FROM f ORDER BY f . a"),
    (
      "SELECT id FROM a WHERE b = $1::bigint AND c = $2 LIMIT $3::int",
      "SELECT id FROM a WHERE b = ?1 AND c = ?2 LIMIT ?3"
    ),
    ("SELECT strpos(a, $1) FROM b", "SELECT instr ( a , ?1 ) FROM b"),
    (
      "DELETE FROM a WHERE id = ANY($1::bigint[])",
      "DELETE FROM a WHERE id IN ( SELECT value FROM json_each(?1) )"
    ),
    (
      "SELECT id FROM a WHERE id <> ALL(CAST($1 AS BIGINT[]))",
      "SELECT id FROM a WHERE id NOT IN ( SELECT value FROM json_each(?1) )"
    ),
    (
      "UPDATE a SET b = 1 WHERE id = ANY(ARRAY(SELECT id FROM c LIMIT $1))",
      "UPDATE a SET b = 1 WHERE id IN ( SELECT id FROM c LIMIT ?1 )"
    ),
    (
      "INSERT INTO a SELECT *, 1 FROM unnest($1::text[], $2::bigint[]) ON CONFLICT (b) DO NOTHING",
      "INSERT INTO a SELECT * , 1 FROM (SELECT json_extract(value, '$[0]') AS column1, json_extract(value, '$[1]') AS"
        + " column2 FROM json_each(?1)) WHERE 1 = 1 ON CONFLICT ( b ) DO NOTHING"
    ),
    (
      "SELECT b FROM (SELECT count(*) FROM a) AS counted (b) WHERE b > $1",
      "SELECT b FROM (WITH counted ( b ) AS ( SELECT count ( * ) FROM a ) SELECT * FROM counted) AS counted WHERE b > ?1"
    ),
    (
      "SELECT given.a FROM given CROSS JOIN LATERAL (SELECT id, t FROM d WHERE x = given.x LIMIT $1) AS found ORDER BY 1",
      "SELECT given . a FROM given JOIN d AS found ON found.id IN (SELECT id FROM d WHERE x = given . x LIMIT ?1 )"
        + " ORDER BY 1"
    ),
    (
      "SELECT x FROM unnest($1::text[], $2::bigint[]) AS given (x, y)",
      "SELECT x FROM (SELECT json_extract(value, '$[0]') AS x, json_extract(value, '$[1]') AS y FROM json_each(?1)) AS given"
    ),
    (
      "INSERT INTO a SELECT b FROM given ON CONFLICT (b) DO NOTHING",
      "INSERT INTO a SELECT b FROM given WHERE 1 = 1 ON CONFLICT ( b ) DO NOTHING"
    ),
    (
      "INSERT INTO a SELECT b FROM c AS reached ON CONFLICT (b) DO NOTHING",
      "INSERT INTO a SELECT b FROM c AS reached WHERE 1 = 1 ON CONFLICT ( b ) DO NOTHING"
    ),
    (
      "INSERT INTO a SELECT b FROM c AS other ON CONFLICT (b) DO NOTHING",
      "INSERT INTO a SELECT b FROM c AS other ON CONFLICT ( b ) DO NOTHING"
    ),
  ]) func oneStatementBecomesOne(_ postgres: String, _ sqlite: String) {
    #expect(PostgresStatement(postgres).steps.map(\.sql) == [sqlite])
  }

  @Test func aPartitionIsItsRowsOfTheTable() {
    let statement = PostgresStatement(
      "UPDATE messages_before AS ended SET a = 1 WHERE b OR c RETURNING id")
    #expect(statement.partitions == ["messages_before"])
    #expect(
      statement.steps.map(\.sql) == [
        "UPDATE messages AS ended SET a = 1 WHERE (id >= (SELECT low FROM pg_partition WHERE name = 'messages_before')"
          + " AND id < (SELECT high FROM pg_partition WHERE name = 'messages_before')) AND ( b OR c ) RETURNING id"
      ])
  }

  @Test func aChangeWithinAQueryGoesFirst() {
    let statement = PostgresStatement(
      "WITH given (a) AS (SELECT * FROM unnest($1::bigint[])), line AS (INSERT INTO b (a) SELECT a FROM given RETURNING id, a)"
        + " INSERT INTO c SELECT id, a, $2 FROM line")
    #expect(statement.steps.map(\.columns) == [["a"], ["id", "a"], nil])
    #expect(statement.steps.map(\.valueCount) == [1, 3, 4])
  }

  @Test func arraysBecomeRows() throws {
    let statement = PostgresStatement("SELECT * FROM unnest($1::bigint[], $2::text[]) WHERE b = $3")
    let values = try statement.values([.list([.int(1), .int(2)]), .list([.text("x"), .null]), .int(3)])
    #expect(values == [.text(#"[[1,"x"],[2,null]]"#), .null, .int(3)])
  }
}
