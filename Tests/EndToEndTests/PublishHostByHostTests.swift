import Foundation
import Testing

/// What is wrong with one host is no business of the others.
@Suite struct PublishHostByHostTests {
  static let path = ServeTests.path
  let good = CheckTests.good

  private func tool() throws -> Tool {
    let tool = try Tool()
    for host in ["a.example", "b.example"] { try tool.write(good, to: "site/\(host)\(Self.path)") }
    return tool
  }

  private func outcomes(_ outcome: Tool.Outcome) throws -> [String?: String] {
    try (0..<outcome.lines.count).reduce(into: [:]) { outcomes, line in
      let object = try outcome.json(line: line)
      outcomes[object["host"] as? String] = object["outcome"] as? String
    }
  }

  private func fetch(_ server: OperatedServer, _ host: String) throws -> String {
    try server.tool.curl([
      "-H", "Host: \(host)", "-o", "fetched", "-w", "%{http_code}",
      "http://127.0.0.1:\(server.port)\(Self.path)",
    ])
  }

  /// A link to nothing, which root cannot read either.
  private func breakLink(_ tool: Tool, _ place: String) throws {
    let url = tool.folder.appending(path: place)
    try? FileManager.default.removeItem(at: url)
    try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "/nothing/there")
  }

  @Test(arguments: ["site/b.example", "site/b.example\(path)", "site/b.example/.well-known/assetlinks.json"])
  func aHostThatCannotBeReadIsRefusedAlone(place: String) throws {
    let tool = try tool()
    try breakLink(tool, place)
    let outcome = try tool.run("serve", "site", "--dry-run", "--json")
    #expect(outcome.status == 1)
    #expect(try outcomes(outcome) == ["a.example": "published", "b.example": "refused"])
    #expect(outcome.output.contains("is not there. Fix the link, or remove it."))
  }

  @Test func aHostThatCannotBeReadAnyMoreGoesOnAndTheOthersAreNoticed() throws {
    let tool = try tool()
    let server = try OperatedServer(tool, ["site"])
    try breakLink(tool, "site/b.example\(Self.path)")
    let refused = try server.next("publication")
    #expect(refused["outcome"] as? String == "refused" && refused["served"] as? Bool == true)
    try tool.write(good.replacing("/a", with: "/b"), to: "site/a.example\(Self.path)")
    var outcomes: [String?] = []
    repeat {
      let outcome = try server.next("publication")
      if outcome["host"] as? String == "a.example" { outcomes.append(outcome["outcome"] as? String) }
    } while outcomes.isEmpty
    #expect(outcomes == ["changed"])
    #expect(try fetch(server, "b.example") == "200")
    #expect(try server.readiness()["problem"] is NSNull)
    #expect(
      try server.admin("/metrics").contains("linkspan_publication_refused{host=\"b.example\"} 1\n"))
  }

  @Test func aStartWithNothingReadableSaysWhat() throws {
    let tool = try Tool()
    try tool.write("", to: "site/README")
    try breakLink(tool, "site/b.example")
    let outcome = try tool.run("serve", "site", "--plain", "--listen", "127.0.0.1:0")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("there is nothing to serve: 'site/b.example' is a link to a folder"))
  }

  @Test func aHistoryThatCannotBeWrittenHoldsUpItsOwnHostOnly() throws {
    let tool = try tool()
    try tool.write("in the way", to: "state/publications/b.example")
    let server = try OperatedServer(tool, ["site", "--state", "state"])
    #expect(try fetch(server, "a.example") == "200")
    #expect(try fetch(server, "b.example") == "404")
    let refused = try #require((try server.readiness()["refused"] as? [[String: Any]])?.first)
    #expect(refused["host"] as? String == "b.example")
    #expect((refused["findings"] as? [String])?.first?.contains("state/publications/b.example") == true)
  }

  /// For a wildcard the parent is asked (E6), and a port is no part of a host (E3).
  @Test(arguments: [
    "*.example", "sp ace.example", "c.example:8443", "-d.example", "d-.example", "d..example",
    String(repeating: "d", count: 64) + ".example",
  ])
  func aFolderThatIsNoHostIsRefused(name: String) throws {
    let tool = try tool()
    try tool.write(good, to: "site/\(name)\(Self.path)")
    let outcome = try tool.run("serve", "site", "--dry-run", "--json")
    #expect(try outcomes(outcome)[name] == "refused")
    #expect(outcome.output.contains("no device asks for a host '\(name)', which "))
    #expect(try tool.run("check", "site").output.contains("error[site.host-name]: '\(name)'"))
  }

  @Test func aDamagedPublicationIsTold() throws {
    let tool = try tool()
    #expect(try OperatedServer(tool, ["site", "--state", "state"]).end() == 0)
    try tool.write("{", to: "state/publications/a.example/00000001/publication.json")
    let said =
      "publication 1 of 'a.example' is left out: 'state/publications/a.example/00000001/publication.json' "
      + "is not what was stored there."
    #expect(try tool.run("rollback", "a.example", "--state", "state", "--list").errors.contains(said))
    #expect(try OperatedServer(tool, ["site", "--state", "state"]).errors.contains(said))
  }
}
