import Foundation
import Testing

/// Logins at a console behind a proxy, while strangers guess.
@Suite struct ConsoleLoginTests {
  private static let password = "a password of some length"
  /// A user with that password, hashed at the least cost that is read, since this logs in some twenty times.
  private static let users = """
    {"users": [{"name": "ada", "created_at": "2026-09-14T08:00:00.000Z", "password": "scrypt$16384$07070707070707070707070707070707$fa6414c9adc33f516fc92f9f323a7de98b848d3fe717f8c8cdc9ac3d036c9750"}]}
    """

  /// A console, and what it answers to somebody behind the proxy.
  private struct Guarded {
    let tool: Tool
    let server: OperatedServer

    init(_ tool: Tool) throws {
      self.tool = tool
      server = try OperatedServer(
        tool, ["sites", "--state", "state", "--console", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1"])
    }

    /// Logs in, with the cookies of a browser's jar.
    ///
    /// - Returns: The status.
    func logIn(_ password: String, jar: String, from address: String) throws -> String {
      let start = ["-b", jar, "-c", jar, "-H", "X-Forwarded-For: \(address)"]
      let page = try tool.curl(start + [server.consoleURL + "login"])
      let form = page.components(separatedBy: "name=\"form\" value=\"").last?.prefix { $0 != "\"" } ?? ""
      return try tool.curl(
        start + [
          "-o", "/dev/null", "-w", "%{http_code}", "--data-urlencode", "form=\(form)", "-d", "name=ada",
          "--data-urlencode", "password=\(password)", server.consoleURL + "login",
        ])
    }
  }

  @Test func aBrowserThatHasLoggedInIsKnownThroughAttackAndRestart() throws {
    let tool = try Tool()
    try tool.write("{\"applinks\":{}}", to: "sites/example.com/.well-known/apple-app-site-association")
    try tool.write(Self.users, to: "state/console-users.json")
    try tool.restrict("state/console-users.json")
    for round in 0..<2 {
      let console = try Guarded(tool)
      if round == 0 {
        #expect(try console.logIn(Self.password, jar: "known", from: "2001:db8:1:2::1") == "303")
      }
      for guess in 0..<10 {
        let status = try console.logIn("guess \(guess)", jar: "stranger", from: "2001:db8:1:2::\(guess)")
        #expect(status == "403")
      }
      #expect(try console.logIn(Self.password, jar: "stranger", from: "2001:db8:1:2::ffff") == "429")
      // Without its session, as after a day.
      let jar = try tool.text("known").split(separator: "\n").filter { !$0.contains("linkspan_console") }
      try tool.write(jar.joined(separator: "\n") + "\n", to: "known")
      #expect(try console.logIn(Self.password, jar: "known", from: "2001:db8:1:2::1") == "303")
      #expect(
        try tool.curl([
          "-b", "known", "-o", "/dev/null", "-w", "%{http_code}", console.server.consoleURL + "sites",
        ]) == "200")
      #expect(console.server.end() == 0)
    }
  }
}
