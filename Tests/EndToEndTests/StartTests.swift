import Foundation
import TestSupport
import Testing

/// What a start finds, fails on and waits for.
@Suite struct StartTests {
  static let path = ServeTests.path
  let good = CheckTests.good

  private func tool() throws -> Tool {
    let tool = try Tool()
    try tool.write(good, to: "sites/example.com\(Self.path)")
    return tool
  }

  // MARK: - Configuration

  @Test func aConfigurationInTheWorkingDirectoryIsFound() throws {
    let tool = try tool()
    let initialized = try tool.run("init")
    #expect(initialized.status == 0)
    #expect(initialized.output.contains("'linkspan serve' serves them"))
    let outcome = try tool.run("serve", "--dry-run")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "example.com: published\n")
    let server = try OperatedServer(tool, [])
    #expect(try server.ask(Self.path) == good + "\n200")
  }

  @Test func aSiteThatTheConfigurationNamesAndIsNotThereIsTold() throws {
    let tool = try Tool()
    #expect(try tool.run("init").status == 0)
    for words in [["serve"], ["serve", "--dry-run"]] {
      let outcome = try tool.run(words + ["--listen", "127.0.0.1:0"])
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains(
          "error: there is no file or folder 'sites', which 'sites' in 'linkspan.json5' names.\n"
            + "  Make sites/HOST/.well-known/apple-app-site-association, or name another folder there.\n"),
        "\(outcome.errors)")
    }
    let check = try tool.run("check")
    #expect(check.status == 2)
    #expect(
      check.errors.contains(
        "SITE… is missing; '--config linkspan.json5' checks the sites that 'linkspan.json5' names"),
      "\(check.errors)")
  }

  @Test func withoutOneTheErrorNamesTheFlag() throws {
    let outcome = try Tool().run("serve")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix(
        "linkspan serve: error: SITE… is missing, and there is no linkspan.json5 here; name one with '--config'."
      ))
  }

  @Test func rollbackFindsItToo() throws {
    let tool = try tool()
    try tool.write("{ sites: 'sites', server: { state: 'state' } }", to: "linkspan.json5")
    #expect(try OperatedServer(tool, []).end() == 0)
    try tool.write(good.replacing("/a", with: "/b"), to: "sites/example.com\(Self.path)")
    #expect(try OperatedServer(tool, []).end() == 0)
    let outcome = try tool.run("rollback", "example.com")
    #expect(outcome.status == 0)
    #expect(
      outcome.output == "No server with this state answers; the order is carried out when one starts.\n")
    let server = try OperatedServer(tool, [])
    #expect(try tool.run("rollback", "example.com", "--list").output.contains("newest  rolled back to 1"))
    #expect(server.end() == 0)
  }

  // MARK: - Dry runs

  @Test(arguments: [
    (["--certificate", "none.pem", "--key", "none.pem"], "'none.pem' cannot be read"),
    (
      ["--access-log", "missing/access.log"],
      "'missing/access.log' cannot be written: No such file or directory."
    ),
    (["--access-log", "sites"], "'sites' is a directory; expected a file."),
    (
      ["--write-certificate", "missing/ca.pem"],
      "'missing/ca.pem' cannot be written: No such file or directory."
    ),
    (["--listen", "192.0.2.1:8443"], "cannot bind 192.0.2.1:8443: Cannot assign requested address."),
    (["--admin", "192.0.2.1:9464"], "cannot bind 192.0.2.1:9464: Cannot assign requested address."),
    (["--plain", "--user", "no-such-user-here"], "there is no user 'no-such-user-here'"),
  ])
  func aDryRunFailsOnWhatAStartWouldFailOn(words: [String], message: String) throws {
    let listen = words.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    let outcome = try tool().run(["serve", "sites", "--dry-run"] + listen + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("linkspan serve: error: \(message)"), "\(outcome.errors)")
  }

  /// The first port that any program may listen on (ip(7)).
  static let firstOpenPort =
    (try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8))
    .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 1_024

  @Test(
    .enabled(if: firstOpenPort > 80, "every program may listen on port 80 here"),
    arguments: [["serve", "site", "--plain"], ["stand-in", "cdn"]])
  func aReservedPortIsExplained(_ words: [String]) throws {
    let tool = try Tool()
    try tool.write(EndOfServiceTests.file(1), to: "site/example.com\(ServeTests.path)")
    // Root without that one right; any other user has none.
    let launcher =
      geteuid() == 0 ? ["setpriv", "--bounding-set=-net_bind_service", "--inh-caps=-net_bind_service"] : []
    let run = try tool.program(
      "/usr/bin/env", launcher + [Tool.binary.path] + words + ["--listen", "127.0.0.1:80"])
    #expect(run.status == 2)
    #expect(
      run.output.contains(
        """
        cannot bind 127.0.0.1:80: Permission denied.
          Ports below 1024 are reserved. Listen on a port above 1023, or let the program have this one: by 'setcap \
        cap_net_bind_service=+ep' on its file, in a systemd unit by AmbientCapabilities=CAP_NET_BIND_SERVICE, or by a \
        socket unit.

        """), "\(run.output)")
  }

  @Test func aDryRunRefusesWhatTheHistoryCannotKeep() throws {
    let tool = try tool()
    try tool.write("in the way", to: "state/publications/example.com")
    let outcome = try tool.run("serve", "sites", "--dry-run", "--state", "state", "--listen", "127.0.0.1:0")
    #expect(outcome.status == 2)
    #expect(
      outcome.output.hasPrefix("example.com: refused, nothing is served for it: "), "\(outcome.output)")
  }

  /// Where root may write as far as modes say, and no folder can be made.
  @Test func aDryRunFailsAsAStartDoesWhereNoHistoryCanBeMade() throws {
    let tool = try tool()
    // What is wrong with one folder is told, and is not why nothing is served.
    try tool.write("{}", to: "sites/a.example:8443/.well-known/apple-app-site-association")
    let words = ["serve", "sites", "--plain", "--state", "/proc/linkspan", "--listen", "127.0.0.1:0"]
    let start = try tool.run(words)
    let dryRun = try tool.run(words + ["--dry-run"])
    #expect(start.status == 2 && dryRun.status == 2)
    let said = "error: there is nothing to serve: the history in '/proc/linkspan' cannot be written: "
    #expect(start.errors.contains(said), "\(start.errors)")
    #expect(dryRun.errors.contains(said), "\(dryRun.errors)")
    try FileManager.default.removeItem(at: tool.folder.appending(path: "sites/a.example:8443"))
    #expect(try tool.run("serve", "sites", "--plain", "--state", "state", "--dry-run").status == 0)
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "state").path))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).allSatisfy {
        !$0.hasPrefix(".linkspan-")
      })
  }

  // MARK: - Root

  /// The log used to quote the line of the linked file that is no JSON.
  @Test(.enabled(if: geteuid() == 0, "needs root"))
  func rootReadsNothingThroughALinkOutOfTheSite() throws {
    let tool = try tool()
    try tool.write("root:secret-digest:19000:0:99999:7:::\n", to: "shadow")
    try tool.write("", to: "sites/a.example/.well-known/README")
    try FileManager.default.createSymbolicLink(
      atPath: tool.folder.appending(path: "sites/a.example\(Self.path)").path,
      withDestinationPath: tool.folder.appending(path: "shadow").path)
    let server = try OperatedServer(tool, ["sites"])
    #expect(try server.ask(Self.path) == good + "\n200")
    let refused = try #require((try server.readiness()["refused"] as? [[String: Any]])?.first)
    #expect(refused["host"] as? String == "a.example")
    let findings = try #require(refused["findings"] as? [String])
    #expect(findings.first?.contains("is a symbolic link that leads out of 'sites/a.example'") == true)
    #expect(server.end() == 0)
    #expect(try !server.errors.contains("secret") && !findings.joined().contains("secret"))
    let dryRun = try tool.run("serve", "sites", "--plain", "--dry-run", "--listen", "127.0.0.1:0")
    #expect(dryRun.status == 1)
    #expect(dryRun.output.contains("a.example: refused, nothing is served for it: "))
    #expect(!(dryRun.output + dryRun.errors).contains("secret"))
  }

  // MARK: - Secrets

  @Test(.enabled(if: Tool.installed("openssl") != nil, "openssl is not on this machine (Debian: openssl)"))
  func aKeyThatEveryoneMayReadIsRefused() throws {
    let tool = try tool()
    _ = try tool.program(
      Tool.installed("openssl")!,
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"]
        + ["-subj", "/CN=example.com", "-keyout", "key.pem", "-out", "chain.pem"])
    let words = [
      "serve", "sites", "--certificate", "chain.pem", "--key", "key.pem", "--listen", "127.0.0.1:0",
    ]
    func run(_ mode: Int, _ more: String...) throws -> Tool.Outcome {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: tool.folder.appending(path: "key.pem").path)
      return try tool.run(words + more)
    }
    for outcome in [try run(0o644), try run(0o604, "--dry-run")] {
      #expect(outcome.status == 2)
      #expect(
        outcome.errors
          == "linkspan serve: error: every user of this machine can read 'key.pem', which holds a "
          + "private key.\n  Run chmod o-r on it, and replace the key: others may have read it.\n")
    }
    #expect(try run(0o640, "--dry-run").status == 0)
  }

  // MARK: - Log

  @Test func linesHaveTheirTimeUnlessTheJournalAddsOne() throws {
    let tool = try tool()
    let stamped = /(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z no certificate given/
    #expect(try OperatedServer(tool, ["sites"], isPlain: false).errors.contains(stamped))
    // As the service manager does: the device and the inode of standard error.
    let server = try OperatedServer(tool, ["sites"], isPlain: false) { process in
      process.arguments =
        ["-c", "JOURNAL_STREAM=$(stat -Lc %d:%i /dev/stderr) exec \"$0\" \"$@\"", Tool.binary.path]
        + (process.arguments ?? [])
      process.executableURL = URL(filePath: "/bin/sh")
    }
    #expect(try server.errors.hasPrefix("no certificate given"))
  }

  // MARK: - Files that are hard to check

  /// A file of legal size whose rules are hard to compare with each other.
  private var hard: String {
    let components = (0..<3_000).map { "{\"/\":\"/p*/\($0)/*\"}" }.joined(separator: ",")
    return
      "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.a\"],\"components\":[\(components)]}]}}"
  }

  @Test func aHardFileHoldsUpNothingButItsHost() throws {
    let tool = try tool()
    try tool.write(hard, to: "sites/a.example\(Self.path)")
    let server = try OperatedServer(tool, ["sites"])
    #expect(try server.ask(Self.path) == good + "\n200")
    let other = good.replacing("/a", with: "/b")
    try tool.write(other, to: "sites/example.com\(Self.path)")
    var host: String?
    repeat { host = try server.next("publication")["host"] as? String } while host != "example.com"
    #expect(try server.ask(Self.path) == other + "\n200")
    #expect(server.end() == 0)
  }

  @Test func aFileAboveTheLimitIsRefusedUnread() throws {
    let tool = try tool()
    try tool.write(String(repeating: " ", count: 20_000_000), to: "sites/a.example\(Self.path)")
    let server = try OperatedServer(tool, ["sites", "--accept-errors"])
    #expect(try server.ask(Self.path) == good + "\n200")
    let refused = try #require((try server.readiness()["refused"] as? [[String: Any]])?.first)
    #expect(
      refused["findings"] as? [String] == [
        "'sites/a.example\(Self.path)' has 20000000 bytes; at most 131072 are allowed (R4), so it was not read."
      ])
  }
}
