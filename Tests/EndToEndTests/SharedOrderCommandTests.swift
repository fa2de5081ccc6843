import Foundation
import Testing

/// Two servers with folders of their own and one registry.
@Suite struct SharedOrderCommandTests {
  private static let path = OperateTests.path
  private static let old = CheckTests.good
  private static let new = CheckTests.good.replacing("/a", with: "/b")

  private func start(_ site: String, _ tool: Tool, hasState: Bool = true) throws -> OperatedServer {
    try OperatedServer(
      tool, [site, "--registry", "sqlite:registry.db"] + (hasState ? ["--state", "state-\(site)"] : []))
  }

  @Test func whatOneServerIsToldTheOtherObeysAndSoDoesEachStart() throws {
    let tool = try Tool()
    for site in ["one", "two"] { try tool.write(Self.old, to: "\(site)/example.com\(Self.path)") }
    let servers = try ["one", "two"].map { try start($0, tool) }
    // An SQLite file has one server that writes to it, and its part says that there are two.
    let part = try servers[1].admin("/readyz?part=registry")
    #expect(part.contains(#""status":"degraded","part":"registry""#), "\(part)")
    for (site, server) in zip(["one", "two"], servers) {
      try tool.write(Self.new, to: "\(site)/example.com\(Self.path)")
      #expect(try server.next("publication")["outcome"] as? String == "changed")
    }
    let rollback = try tool.run("rollback", "example.com", "--state", "state-one")
    #expect(rollback.status == 0, "\(rollback.errors)")
    // The server that was told writes the line; the others obey.
    let audit = try tool.run("registry", "audit", "--registry", "sqlite:registry.db", "--json")
    #expect(audit.lines.count == 1, "\(audit.output)")
    let line = try audit.json()
    #expect(line["actor"] as? String == "operator" && line["action"] as? String == "site.rollback")
    #expect(line["subject"] as? String == "example.com to 1")
    #expect(try servers[0].ask(Self.path) == Self.old + "\n200")
    #expect(try servers[1].next("publication")["outcome"] as? String == "changed")
    #expect(try servers[1].ask(Self.path) == Self.old + "\n200")
    #expect(try servers[1].errors.contains("site.rollback example.com, as another server was told"))
    #expect(servers[1].end() == 0)
    // One that has no state knows by the registry alone.
    let next = try start("two", tool, hasState: false)
    #expect(try next.ask(Self.path) == Self.old + "\n200")
    try tool.write(Self.old.replacing("/a", with: "/c"), to: "two/example.com\(Self.path)")
    #expect(try next.next("publication")["outcome"] as? String == "changed")
    #expect(try next.ask(Self.path).contains("/c"))
    #expect(try servers[0].ask(Self.path) == Self.old + "\n200")
  }
}
