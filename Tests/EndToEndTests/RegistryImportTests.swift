import Foundation
import Testing

/// What an import leaves behind where it does not come to its end.
@Suite("Registry import", .timeLimit(.minutes(5)))
struct RegistryImportTests {
  private static let store = ["--registry", "sqlite:r.db"]

  private func lines(_ numbers: Range<Int>) -> String {
    numbers.map {
      let token = String(format: "%064x", $0)
      return #"{"token":"\#(token)","topic":"com.example.app","environment":"production","#
        + #""last_seen_at":"2026-01-01T00:00:00Z"}"# + "\n"
    }.joined()
  }

  /// A mistake made a registry without devices, which the next command took for the right one.
  @Test func aMistakeMakesNoRegistry() throws {
    let tool = try Tool()
    try tool.write("", to: "empty.jsonl")
    try tool.write("{}\n", to: "bad.jsonl")
    for (words, status) in [
      (["none.jsonl"], 2), (["empty.jsonl"], 2), (["bad.jsonl"], 2), (["bad.jsonl", "--topic", "a.b"], 2),
      (["bad.jsonl", "--from", "onesignal"], 2), (["bad.jsonl", "--from", "parse"], 2),
    ] as [([String], Int32)] {
      let outcome = try tool.run(["registry", "import"] + words + Self.store)
      #expect(outcome.status == status, "\(words): \(outcome.errors)")
      let isOwn = words.count == 1 && words != ["none.jsonl"]
      #expect(outcome.errors.contains("'--from' reads exports of other services") == isOwn)
      let count = try tool.run(["registry", "count"] + Self.store)
      #expect(
        count.status == 2 && count.errors.contains("no registry"), "\(words): \(count.output)\(count.errors)")
    }
    try tool.write(lines(0..<1), to: "one.jsonl")
    #expect(try tool.run(["registry", "import", "one.jsonl"] + Self.store).status == 0)
    #expect(try tool.run(["registry", "count"] + Self.store).output == "1\n")
  }

  /// APNs' word that a token is gone counts for devices that were seen before (push notes, 4).
  @Test func noDeviceWasSeenInTheFuture() throws {
    let tool = try Tool()
    try tool.write(lines(0..<1).replacing("2026-01-01", with: "2999-01-01"), to: "one.jsonl")
    #expect(try tool.run(["registry", "import", "one.jsonl"] + Self.store).status == 0)
    let exported = try tool.run(["registry", "export"] + Self.store).output
    #expect(exported.contains(#""last_seen_at":"20"#) && !exported.contains("2999"), "\(exported)")
  }

  private static let sqlite = Tool.installed("sqlite3")

  /// A page is stored or not; what a full disk leaves has to be known.
  @Test(.enabled(if: sqlite != nil, "needs sqlite3 (Debian: sqlite3)"))
  func aFailureSaysHowMuchIsStored() throws {
    let tool = try Tool()
    try tool.write(lines(0..<1), to: "one.jsonl")
    #expect(try tool.run(["registry", "import", "one.jsonl"] + Self.store).status == 0)
    let last = String(format: "%064x", 1_500)
    let trigger =
      "CREATE TRIGGER full BEFORE INSERT ON devices WHEN new.token = '\(last)' BEGIN SELECT RAISE(ABORT, 'no'); END"
    #expect(try tool.program(try #require(Self.sqlite), ["r.db", trigger]).status == 0)
    try tool.write(lines(0..<2_500), to: "many.jsonl")
    let failed = try tool.run(["registry", "import", "many.jsonl"] + Self.store)
    #expect(failed.status == 2 && failed.output == "")
    #expect(
      failed.errors.contains(
        "1000 of the 2000 devices read until then are in the registry; the same command goes on with the others"
      ),
      "\(failed.errors)")
    #expect(try tool.run(["registry", "count"] + Self.store).output == "1000\n")
    #expect(try tool.program(try #require(Self.sqlite), ["r.db", "DROP TRIGGER full"]).status == 0)
    let again = try tool.run(["registry", "import", "many.jsonl"] + Self.store)
    #expect(again.output == "stored 1500 of 2500 devices; 1000 were there already\n")
  }
}
