import Foundation
import Testing

/// A running server goes by its configuration file as it is now.
@Suite struct ConfigurationReloadTests {
  static let path = ServeTests.path
  let good = CheckTests.good

  private func started(_ more: String = "") throws -> OperatedServer {
    let tool = try Tool()
    try tool.write(good, to: "one/example.com\(Self.path)")
    try tool.write(good, to: "two/www.example.com\(Self.path)")
    try configure(tool, "sites: 'one'" + more)
    return try OperatedServer(tool, ["--config", "linkspan.json5"])
  }

  private func configure(_ tool: Tool, _ members: String) throws {
    try tool.write("{ \(members) }", to: "linkspan.json5")
  }

  private func status(_ server: OperatedServer, _ host: String) throws -> String {
    try server.tool.curl([
      "-H", "Host: \(host)", "-o", "fetched", "-w", "%{http_code}",
      "http://127.0.0.1:\(server.port)\(Self.path)",
    ])
  }

  @Test func aFolderThatIsAddedIsServedWithoutASignal() throws {
    let server = try started()
    #expect(try status(server, "www.example.com") == "404")
    try configure(server.tool, "sites: ['one', 'two']")
    #expect(try server.next("publication")["host"] as? String == "www.example.com")
    #expect(try status(server, "www.example.com") == "200")
    // The new folder is watched from now on.
    try server.tool.write(good.replacing("/a", with: "/b"), to: "two/www.example.com\(Self.path)")
    #expect(try server.next("publication")["outcome"] as? String == "changed")
  }

  @Test func keysRequiringARestartAreNamedOnce() throws {
    let server = try started()
    try configure(server.tool, "sites: 'one', server: { max_connections: 7, drain_seconds: 3 }")
    for _ in 1...2 {
      server.signal(SIGHUP)
      try server.next("reloaded")
    }
    let lines = try server.errors.split(separator: "\n").filter { $0.contains("restart") }
    #expect(
      lines.map { $0.drop { $0 != " " } } == [
        " these keys require a restart: max_connections, drain_seconds"
      ])
  }

  /// Else the log's last word would be that the mistake is there.
  @Test func thatAMistakeIsMendedIsToldWithoutASignal() throws {
    let server = try started()
    try configure(server.tool, "sites: 'one', sirver: {}")
    try server.next("not-reloaded")
    try configure(server.tool, "sites: 'one'")
    #expect(try server.next("reloaded")["hosts"] as? [String] == ["example.com"])
    #expect(try server.readiness()["status"] as? String == "ready")
  }

  @Test func aMistakeLeavesEverythingAsItWasUntilItIsMended() throws {
    let server = try started()
    try configure(server.tool, "sites: 'one', sirver: {}")
    server.signal(SIGHUP)
    try server.next("not-reloaded")
    #expect(try status(server, "example.com") == "200")
    let readiness = try server.readiness()
    #expect(readiness["status"] as? String == "degraded")
    #expect((readiness["problem"] as? String)?.contains("linkspan.json5:1:17: error") == true)
    #expect(try server.admin("/metrics").contains("\nlinkspan_sites_unreadable 1\n"))
    try configure(server.tool, "sites: 'one'")
    server.signal(SIGHUP)
    try server.next("reloaded")
    #expect(try server.readiness()["status"] as? String == "ready")
  }
}
