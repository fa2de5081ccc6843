import Foundation
import Testing

/// Only a start and what changes a registry bring its tables to a newer version: a program of before does not read them then.
@Suite("Older registries", .timeLimit(.minutes(5)))
struct OlderRegistryTests {
  private static let hasSQLite = Tool.installed("sqlite3") != nil
  private static let needsSQLite: Comment = "needs sqlite3 (Debian: sqlite3)"
  private static let dryRun = ["serve", "--plain", "--listen", "127.0.0.1:0", "--dry-run"]

  private func sqlite(_ tool: Tool, _ sql: String, in file: String = "r.db") throws -> String {
    let outcome = try tool.program(try #require(Tool.installed("sqlite3")), [file, sql])
    #expect(outcome.status == 0, "\(outcome.output)")
    return outcome.output
  }

  /// With the tables of this version, and the number of another.
  private func older() throws -> Tool {
    let tool = try Tool()
    let made = try tool.run("token", "create", "--registry", "sqlite:r.db", "--scope", "devices:read")
    #expect(made.status == 0, "\(made.errors)")
    _ = try sqlite(tool, "UPDATE linkspan_registry SET version = 14")
    return tool
  }

  @Test(
    .enabled(if: hasSQLite, needsSQLite),
    arguments: [
      (dryRun, 0), (["registry", "backup", "copy.db"], 0), (["registry", "count"], 2),
      (["registry", "export"], 2),
      (["registry", "audit"], 2), (["registry", "doctor"], 2), (["token", "list"], 2),
      (["push", "campaign", "list"], 2), (["push", "campaign", "show", "7"], 2),
    ] as [([String], Int32)])
  func whatOnlyAsksLeavesItAsItIs(command: [String], status: Int32) throws {
    let tool = try older()
    let outcome = try tool.run(command + ["--registry", "sqlite:r.db"])
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(try sqlite(tool, "SELECT version FROM linkspan_registry") == "14\n")
    if status == 2 {
      #expect(outcome.errors.contains("The registry has version 14, and this program reads version"))
      #expect(outcome.errors.contains("The next start of 'linkspan serve' brings it up to date."))
    }
  }

  @Test(.enabled(if: hasSQLite, needsSQLite)) func aCopyHasTheVersionOfItsRegistry() throws {
    let tool = try older()
    #expect(try tool.run("registry", "backup", "copy.db", "--registry", "sqlite:r.db").status == 0)
    #expect(try sqlite(tool, "SELECT version FROM linkspan_registry", in: "copy.db") == "14\n")
    #expect(try sqlite(tool, "SELECT count(*) FROM access_tokens", in: "copy.db") == "1\n")
  }

  @Test(.enabled(if: hasSQLite, needsSQLite)) func aDryRunSaysWhatAStartWouldBring() throws {
    let tool = try older()
    let outcome = try tool.run(Self.dryRun + ["--registry", "sqlite:r.db"])
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.contains("note: a start would bring the registry from version 14 to "),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("copy it first with 'linkspan registry backup'"))
  }

  /// A dry run has an answer where there is a registry and no site.
  @Test(.enabled(if: hasSQLite, needsSQLite)) func aDryRunSaysWhatItFoundAsJSON() throws {
    let tool = try Tool()
    func found() throws -> [String: Any] {
      let outcome = try tool.run(Self.dryRun + ["--registry", "sqlite:r.db", "--json"])
      #expect(outcome.status == 0 && outcome.lines.count == 1, "\(outcome.output)")
      let json = try outcome.json()
      #expect(json["type"] as? String == "registry")
      return json
    }
    let wanted = try #require(found()["version_after_start"] as? Int)
    #expect(try found()["version"] is NSNull)
    let made = try tool.run("token", "create", "--registry", "sqlite:r.db", "--scope", "devices:read")
    #expect(made.status == 0, "\(made.errors)")
    #expect(try found()["version"] as? Int == wanted)
    let words = try tool.run(Self.dryRun + ["--registry", "sqlite:r.db"])
    #expect(words.output == "the device registry: version \(wanted), unchanged\n")
    _ = try sqlite(tool, "UPDATE linkspan_registry SET version = 14")
    #expect(try found()["version"] as? Int == 14)
  }

  @Test func aDryRunMakesNoRegistry() throws {
    let tool = try Tool()
    let outcome = try tool.run(Self.dryRun + ["--registry", "sqlite:r.db"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains("note: a start would make the registry"), "\(outcome.errors)")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).filter { !$0.hasPrefix(".") }
        == [])
  }

  /// What a start fails on, a dry run fails on.
  @Test func aDryRunRefusesAMissingFolder() throws {
    let tool = try Tool()
    let outcome = try tool.run(Self.dryRun + ["--registry", "sqlite:missing/r.db"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("The registry 'missing/r.db' cannot be opened"), "\(outcome.errors)")
  }
}
