import Foundation
import Testing

/// What `push campaign` does with the deliveries that wait, where no server of the registry lives.
@Suite("Settled campaigns", .timeLimit(.minutes(5)))
struct SettledCampaignTests {
  private static let hasSQLite = Tool.installed("sqlite3") != nil
  private static let store = ["--registry", "sqlite:r.db"]
  /// More than one part of them.
  private static let count = 5_003

  private func sqlite(_ tool: Tool, _ sql: String) throws -> String {
    let outcome = try tool.program(try #require(Tool.installed("sqlite3")), ["r.db", sql])
    #expect(outcome.status == 0, "\(outcome.output)")
    return outcome.output
  }

  /// A paused campaign that holds back the deliveries of a server that is gone.
  private func campaign() throws -> Tool {
    let tool = try Tool()
    let token = String(repeating: "ab", count: 32)
    let device = #"{"token":"\#(token)","topic":"com.example.app","environment":"production"}"#
    try tool.write(device + "\n", to: "devices.jsonl")
    #expect(try tool.run(["registry", "import", "devices.jsonl"] + Self.store).status == 0)
    let made = try tool.run(
      [
        "push", "campaign", "create", "--all", "--paused", "--topic", "com.example.app", "--environment",
        "production", "--alert", "Hello",
      ] + Self.store)
    #expect(made.status == 0, "\(made.errors)")
    _ = try sqlite(
      tool,
      """
      WITH RECURSIVE line(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM line WHERE id < \(Self.count))
      INSERT INTO queue (delivery_id, message_id, turn, state, due_at, address, topic, environment, apns_id, attempts,
        maybe_twice, created_at)
      SELECT id, 1, 3, 'held', 0, 'ab', 'com.example.app', 'production', 'id-' || id, 1, 0, 0 FROM line
      """)
    return tool
  }

  @Test(.enabled(if: hasSQLite, "needs sqlite3 (Debian: sqlite3)"))
  func aCancelEndsAllThatWaits() throws {
    let tool = try campaign()
    let outcome = try tool.run(["push", "campaign", "cancel", "1"] + Self.store)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("cancelled") && !outcome.output.contains("not ended yet"))
    #expect(try sqlite(tool, "SELECT count(*) FROM queue") == "0\n")
  }

  @Test(.enabled(if: hasSQLite, "needs sqlite3 (Debian: sqlite3)"))
  func aResumeLetsAllThatWaitsGoOn() throws {
    let tool = try campaign()
    let outcome = try tool.run(["push", "campaign", "resume", "1"] + Self.store)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try sqlite(tool, "SELECT state, count(*) FROM queue GROUP BY state") == "queued|\(Self.count)\n")
  }
}
