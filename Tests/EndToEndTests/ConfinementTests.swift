import Foundation
import TestSupport
import Testing

/// The owner of one host's folder reaches no other folder: not through the server, whoever it runs as, and not through the
/// operator's commands.
@Suite struct ConfinementTests {
  static let path = ServeTests.path
  static let tenant: uid_t = 54_322
  let good = CheckTests.good
  var old: String { good.replacing("/a", with: "/old") }

  private static let isRoot = getuid() == 0
  private static let needsRoot: Comment = "needs root, which plays several users"

  private func place(_ tool: Tool, _ name: String) -> String { tool.folder.appending(path: name).path }

  /// alice.example belongs to a tenant, bob.example to another.
  private func tool() throws -> Tool {
    let tool = try Tool()
    try tool.write(good, to: "sites/alice.example\(Self.path)")
    try tool.write(good.replacing("/a", with: "/bob"), to: "sites/bob.example\(Self.path)")
    give(tool, "sites/alice.example", "sites/alice.example/.well-known", "sites/alice.example\(Self.path)")
    return tool
  }

  private func give(_ tool: Tool, _ names: String..., to user: uid_t = ConfinementTests.tenant) {
    for name in names { #expect(lchown(place(tool, name), user, user) == 0) }
  }

  private func plant(_ tool: Tool, _ name: String, _ target: String, by user: uid_t = ConfinementTests.tenant)
    throws
  {
    let link = place(tool, "link-\(user)")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    #expect(lchown(link, user, user) == 0)
    // In one step, so that no server sees the host without its file.
    #expect(rename(link, place(tool, name)) == 0)
  }

  // MARK: - Serving (row 1)

  @Test(.enabled(if: isRoot, needsRoot), arguments: [["--user", "nobody"], []])
  func aTenantsLinkShowsNothingOfTheServersFiles(flags: [String]) throws {
    let tool = try tool()
    try tool.write("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEsecret\n", to: "key.pem")
    try tool.restrict("key.pem")
    give(tool, "key.pem", to: flags.isEmpty ? 0 : 65_534)
    try tool.write(good.replacing("/a", with: "/elsewhere"), to: "elsewhere.json")
    let server = try OperatedServer(tool, ["sites"] + flags, environment: ["PGPASSWORD": "canary-secret"])
    for target in [place(tool, "key.pem"), place(tool, "elsewhere.json"), "/proc/self/environ"] {
      try plant(tool, "sites/alice.example\(Self.path)", target)
      server.signal(SIGHUP)
      try server.next("not-reloaded")
      let refused = try #require((try server.readiness()["refused"] as? [[String: Any]])?.first)
      #expect(refused["host"] as? String == "alice.example")
      let findings = try #require(refused["findings"] as? [String]).joined()
      #expect(findings.contains("is a symbolic link of user \(Self.tenant) that leads out of"), "\(findings)")
      #expect(!(try server.admin("/readyz") + server.errors).contains("secret"))
      #expect(try !served(server).contains("elsewhere") && served(server) == good)
    }
    #expect(server.end() == 0)
  }

  private func served(_ server: OperatedServer) throws -> String {
    try server.tool.curl(["-H", "Host: alice.example", "http://127.0.0.1:\(server.port)\(Self.path)"])
  }

  @Test func aReleaseThatALinkLeadsToIsServedFromBelowALinkRoot() throws {
    let tool = try Tool()
    for release in ["1", "2"] {
      try tool.write(good.replacing("/a", with: "/release-\(release)"), to: "releases/\(release)\(Self.path)")
    }
    try tool.write("", to: "sites/README")
    let site = place(tool, "sites/alice.example")
    try FileManager.default.createSymbolicLink(atPath: site, withDestinationPath: "../releases/1")
    let refused = try tool.run("serve", "sites", "--plain", "--dry-run", "--listen", "127.0.0.1:0")
    #expect(refused.status == 1)
    #expect(
      refused.output.contains(
        "'sites/alice.example' is a symbolic link that leads out of 'sites', and into no folder of '--link-root'. "
          + "Name the folder it leads to with '--link-root'"), "\(refused.output)")
    let server = try OperatedServer(tool, ["sites", "--link-root", "releases"])
    #expect(try served(server).contains("/release-1"))
    try FileManager.default.createSymbolicLink(
      atPath: place(tool, "next"), withDestinationPath: "../releases/2")
    #expect(rename(place(tool, "next"), site) == 0)
    // Without a signal: the link is watched.
    #expect(try server.next("publication")["outcome"] as? String == "changed")
    #expect(try served(server).contains("/release-2"))
    #expect(server.end() == 0)
  }

  @Test func theConfigurationNamesLinkRoots() throws {
    let tool = try Tool()
    try tool.write(good, to: "conf/releases/1\(Self.path)")
    try tool.write("", to: "conf/sites/README")
    try FileManager.default.createSymbolicLink(
      atPath: place(tool, "conf/sites/alice.example"), withDestinationPath: "../releases/1")
    try tool.write(
      "{ sites: 'sites', server: { plain: true, listen: '127.0.0.1:0', link_roots: ['releases'] } }",
      to: "conf/linkspan.json5")
    let outcome = try tool.run("serve", "--config", "conf/linkspan.json5", "--dry-run")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("alice.example: published"), "\(outcome.errors)")
  }

  // MARK: - Rolling back (row 2)

  /// Two publications of alice.example, the newer of which lies in the folder.
  private func published() throws -> Tool {
    let tool = try tool()
    for text in [old, good] {
      try tool.write(text, to: "sites/alice.example\(Self.path)")
      #expect(try PublishTests.Server(tool, ["sites", "--state", "state"]).end() == 0)
    }
    return tool
  }

  private func snapshot(_ tool: Tool) throws -> [String: String] {
    var seen: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: place(tool, "sites")) {
      seen[name] = (try? tool.text("sites/\(name)")) ?? "a directory or a link to one"
    }
    return seen
  }

  // MARK: - Commands that write where they are told

  @Test func generateWritesThroughNoLink() throws {
    let tool = try Tool()
    try tool.write(#"{apps: [{id: "ABCDE12345.com.example.app", routes: ["/buy/:id"]}]}"#, to: "app.json5")
    try tool.write("untouched", to: "elsewhere")
    try tool.write("", to: "out/README")
    try FileManager.default.createSymbolicLink(
      atPath: place(tool, "out/apple-app-site-association"), withDestinationPath: "../elsewhere")
    let outcome = try tool.run("generate", "app.json5", "--output", "out")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("It was not changed."), "\(outcome.errors)")
    let forced = try tool.run("generate", "app.json5", "--output", "out", "--force")
    #expect(forced.status == 2)
    #expect(
      forced.errors.contains("is a symbolic link; only a regular file is replaced"), "\(forced.errors)")
    #expect(try tool.text("elsewhere") == "untouched")
  }

  @Test(
    .enabled(if: isRoot, needsRoot),
    arguments: [["init", "home/x/new.json5"], ["generate", "app.json5", "--output", "home/x"]])
  func aLinkOfATenantLeadsNoCommandToAnotherUsersDirectory(words: [String]) throws {
    let tool = try Tool()
    try tool.write(#"{apps: [{id: "ABCDE12345.com.example.app", routes: ["/buy/:id"]}]}"#, to: "app.json5")
    try tool.write("", to: "elsewhere/README")
    try tool.write("", to: "home/README")
    try plant(tool, "home/x", "../elsewhere")
    let outcome = try tool.run(words)
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains("leads over the symbolic link 'home/x' of user \(Self.tenant)"),
      "\(outcome.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place(tool, "elsewhere")) == ["README"])
  }

  // MARK: - Games

  /// Forty games by default; LINKSPAN_CONFINEMENT_GAMES=10000 plays as many.
  @Test(
    .enabled(
      if: isRoot && Tool.installed("python3") != nil, "needs root, which plays several users, and python3"))
  func noGameOfTenantOperatorAndServerLeavesTheHostsFolder() throws {
    let games = ProcessInfo.processInfo.environment["LINKSPAN_CONFINEMENT_GAMES"] ?? "40"
    let process = Process()
    process.executableURL = Fixtures.root.appending(path: "Scripts/soak-confinement")
    process.arguments = [games, "--linkspan", Tool.binary.path]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(problem)")
    let counts = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(counts["games"] as? Int == Int(games))
    // It has shown something: files were served, and rollbacks were made and refused.
    for name in ["served of the operator's", "rolled back, exit 0"] {
      #expect((counts[name] as? Int ?? 0) > 0, "\(name) in \(text)")
    }
  }
}
