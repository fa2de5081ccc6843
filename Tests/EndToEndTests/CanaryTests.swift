import Foundation
import TestSupport
import Testing

/// No secret comes out of the program, wherever it was put in.
///
/// `Scripts/canaries .build/release/linkspan` runs all of its table; here one command in ``every`` is run, beside a server
/// with every kind of secret file.
@Suite("Canaries", .timeLimit(.minutes(15)))
struct CanaryTests {
  private static let every = 40

  @Test func noCanaryComesOut() throws {
    let tool = try Tool()
    let script = Fixtures.root.appending(path: "Scripts/canaries").path
    let (status, output) = try tool.program(
      "/usr/bin/python3", [script, Tool.binary.path, "--every", "\(Self.every)"])
    #expect(status == 0, "\(output)")
    let last = output.split(separator: "\n").last ?? ""
    let counts = last.split(separator: " ").compactMap { Int($0) }
    #expect(last.hasPrefix("canaries: ") && last.hasSuffix(" 0 came out"), "\(last)")
    #expect(counts.count == 4 && counts[0] >= 200 && counts[1] > 100 && counts[2] > 20, "\(last)")
  }

  /// Row 14: of an address that cannot be parsed, nothing but the scheme is printed.
  @Test(arguments: [
    ["registry", "export"], ["registry", "backup", "copy.db"], ["token", "list"],
    ["push", "campaign", "list"], ["serve", "--dry-run", "--plain", "--listen", "127.0.0.1:0"],
  ])
  func aMalformedStoreIsNotQuoted(_ words: [String]) throws {
    let outcome = try Tool().run(words + ["--registry", "postgres://u:hunter2hunter2@[::1/x"])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("'postgres://…'"), "\(outcome.errors)")
    #expect(!(outcome.output + outcome.errors).contains("hunter"))
  }

  @Test(arguments: [["push", "campaign", "list"], ["registry", "doctor"], ["self-test"]])
  func aServersCredentialIsNotQuoted(_ words: [String]) throws {
    let outcome = try Tool().run(
      words + ["--server", "http://u:hunter2@127.0.0.1:1"], environment: ["LINKSPAN_TOKEN": "hunter3"])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        "'--server': http://…@127.0.0.1:1 has a user or password, which is not used; remove it"),
      "\(outcome.errors)")
    #expect(!(outcome.output + outcome.errors).contains("hunter"))
  }

  /// Row 1: a file that is not what its name says is refused by rule and place.
  @Test func aServedFileIsNotQuoted() throws {
    let tool = try Tool()
    try tool.write(EndOfServiceTests.file(1), to: "sites/good.example\(ServeTests.path)")
    try tool.write(PushTests.key, to: "sites/key.example\(ServeTests.path)")
    let server = try OperatedServer(tool, ["sites"])
    var refused: [[String: Any]] = []
    while refused.isEmpty { refused = try #require(try server.readiness()["refused"] as? [[String: Any]]) }
    let findings = try #require(refused.first?["findings"] as? [String])
    let place = "sites/key.example\(ServeTests.path):1:1: error[json."
    #expect(findings.contains { $0.hasPrefix(place) && $0.contains(". The rule: ") }, "\(findings)")
    let metrics = try server.admin("/metrics")
    #expect(server.end() == 0)
    let said = try server.errors + metrics + findings.joined()
    #expect(said.contains(place))
    for line in PushTests.key.split(separator: "\n") where !line.hasPrefix("-") {
      #expect(!said.contains(line.prefix(12)), "\(said)")
    }
  }
}
