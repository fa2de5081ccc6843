import Foundation
import HTTPTransport
import TestSupport
import Testing

/// What operators see of a running server: `/readyz`, `/metrics`, the access log, and its own log.
@Suite struct OperateTests {
  static let path = ServeTests.path
  let good = CheckTests.good

  func tool(_ hosts: String...) throws -> Tool {
    let tool = try Tool()
    for host in hosts.isEmpty ? ["example.com"] : hosts {
      try tool.write(good, to: "site/\(host)\(Self.path)")
    }
    return tool
  }

  // MARK: - Who is answered

  @Test(arguments: ["/readyz", "/metrics"])
  func pagesForOperatorsAreForThisMachineItselfAndOnlyWhenAskedFor(page: String) throws {
    let closed = try OperatedServer(tool(), ["site"])
    #expect(try closed.ask(page) == "no such file here\n\n404")
    let server = try OperatedServer(tool(), ["site", "--local-pages"])
    #expect(try server.ask(page).hasSuffix("\n200"))
    for mark in [
      "Forwarded: for=127.0.0.1", "X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1", "Via: 1.1 a",
    ] {
      #expect(try server.ask(page, "-H", mark) == "no such file here\n\n404", "\(mark)")
    }
  }

  @Test func aTrustedProxyOnThisMachineIsNotTheMachineItself() throws {
    let server = try OperatedServer(tool(), ["site", "--local-pages", "--trusted-proxy", "127.0.0.0/8"])
    #expect(try server.ask("/metrics").hasSuffix("\n404"))
    #expect(try server.admin("/metrics").contains("linkspan_build_info"))
  }

  @Test func theListenerForOperatorsAnswersNothingElse() throws {
    let server = try OperatedServer(tool(), ["site"])
    #expect(try server.admin("/healthz") == "ok\n")
    #expect(try server.admin(Self.path) == "no such page here\n")
  }

  // MARK: - Publications

  @Test func aBrokenFileIsToldWhileTheOldOneIsServed() throws {
    let tool = try tool()
    let server = try OperatedServer(tool, ["site"])
    #expect(try server.readiness()["status"] as? String == "ready")
    try tool.write("{", to: "site/example.com\(Self.path)")
    #expect(try server.next("publication")["outcome"] as? String == "refused")
    #expect(try server.ask(Self.path) == good + "\n200")
    let readiness = try server.readiness()
    #expect(readiness["status"] as? String == "degraded")
    let refused = try #require((readiness["refused"] as? [[String: Any]])?.first)
    #expect(refused["host"] as? String == "example.com")
    #expect((refused["findings"] as? [String])?.contains { $0.contains("json.unclosed") } == true)
    let metrics = try server.admin("/metrics")
    #expect(metrics.contains("linkspan_publication_refused{host=\"example.com\"} 1\n"))
    #expect(metrics.contains("linkspan_publications_total{outcome=\"refused\"} 1\n"))
    #expect(try server.errors.contains("error[json.unclosed]"))

    try tool.write(good, to: "site/example.com\(Self.path)")
    try server.next("publication")
    #expect(try server.readiness()["status"] as? String == "ready")
    #expect(try server.admin("/metrics").contains("linkspan_publication_refused{host=\"example.com\"} 0\n"))
    #expect(server.end() == 0)
  }

  // MARK: - Metrics

  @Test(
    .enabled(if: Tool.installed("promtool") != nil, "promtool is not on this machine (Debian: prometheus)"))
  func promtoolFindsNothingInTheMetrics() throws {
    let server = try OperatedServer(tool(), ["site"])
    _ = try server.ask(Self.path, "-A", "AASA-Bot/1.0.0")
    let outcome = try server.tool.program(
      Tool.installed("promtool")!, ["check", "metrics"], input: server.admin("/metrics"))
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
  }

  @Test(
    .enabled(if: Tool.installed("promtool") != nil, "promtool is not on this machine (Debian: prometheus)"))
  func promtoolTakesTheAlertRules() throws {
    let rules = Fixtures.root.appending(path: "Packaging/prometheus/alerts.yml").path
    let outcome = try Tool().program(Tool.installed("promtool")!, ["check", "rules", rules])
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  /// Injected failures fire the right page within three minutes, and no other; or their ticket.
  @Test(
    .enabled(if: Tool.installed("promtool") != nil, "promtool is not on this machine (Debian: prometheus)"),
    arguments: ["alerts-test.yml", "alerts-ticket-test.yml"])
  func eachInjectedFailureFiresItsAlert(_ name: String) throws {
    let file = Fixtures.root.appending(path: "Packaging/prometheus/\(name)").path
    let outcome = try Tool().program(Tool.installed("promtool")!, ["test", "rules", file])
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  /// Without promtool, too, an alert that nothing tests is found.
  @Test func everyAlertHasACase() throws {
    func text(_ name: String) throws -> String {
      try String(
        contentsOf: Fixtures.root.appending(path: "Packaging/prometheus/\(name)"), encoding: .utf8)
    }
    let alerts = try text("alerts.yml").matches(of: /- alert: (\w+)/).map(\.output.1)
    let cases = try text("alerts-test.yml") + text("alerts-ticket-test.yml")
    let fired = Set(cases.matches(of: /exp_samples: \[\{ labels: '\{alertname="(\w+)"/).map(\.output.1))
    #expect(alerts.filter { !fired.contains($0) } == [])
  }

  /// Every alert has a fault of a real server, too, and no fault is about an alert that is gone.
  @Test func everyAlertHasAFault() throws {
    func names(_ path: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<Substring> {
      let text = try String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8)
      return Set(text.matches(of: pattern).map(\.output.1))
    }
    let alerts = try names("Packaging/prometheus/alerts.yml", /- alert: (\w+)/)
    let faults = try names("Scripts/soak-alerts", /": Fault\("(\w+)"/)
    #expect(alerts.subtracting(faults) == [] && faults.subtracting(alerts) == [])
  }

  /// Every alert has a line in the runbook.
  @Test func everyAlertIsInTheRunbook() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8)
    }
    let guide = try text("Documentation/operations.md")
    let alerts = try text("Packaging/prometheus/alerts.yml").matches(of: /- alert: (\w+)/).map(\.output.1)
    let runbook = try #require(guide.range(of: "### Runbook")).upperBound
    let missing = alerts.filter { !guide[runbook...].contains("`\($0)`") }
    #expect(alerts.count > 30 && missing == [])
  }

  @Test func rulesAndDashboardNameWhatThereIsAndLeaveNothingOut() throws {
    let tool = try tool()
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
    // Nothing is sent, so nobody listens there.
    let server = try OperatedServer(
      tool,
      [
        "site", "--registry", "sqlite:registry.db", "--journal-export", "exports", "--apns",
        "http://127.0.0.1:1",
      ] + PushTests.keyFlags)
    // The sizes are there once the store has been measured for the first time.
    var page = try server.admin("/metrics")
    for _ in 0..<2_000 where !page.contains("linkspan_push_journal_lines") {
      page = try server.admin("/metrics")
    }
    let families = Set(
      page.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map {
        String($0.split(separator: " ")[2])
      })
    var named: Set<String> = []
    for file in [
      "Packaging/prometheus/alerts.yml", "Packaging/grafana/linkspan.json",
      "Sources/Service/LinkspanConsole/Console/Console+Health.swift",
    ] {
      let text = try String(contentsOf: Fixtures.root.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /\b(linkspan|process)_[a-z0-9_]+/) {
        named.insert(String(match.output.0).replacing(/_bucket$/, with: ""))
      }
    }
    #expect(named.subtracting(families).sorted() == [])
    #expect(families.subtracting(named).sorted() == [])
    let dashboard = try Data(contentsOf: Fixtures.root.appending(path: "Packaging/grafana/linkspan.json"))
    #expect(
      (try JSONSerialization.jsonObject(with: dashboard) as? [String: Any])?["uid"] as? String == "linkspan")
  }

  @Test func requestsAreCountedByHostClientStatusAndProtocol() throws {
    let server = try OperatedServer(tool(), ["site"])
    _ = try server.ask(Self.path, "-A", "AASA-Bot/1.0.0")
    _ = try server.ask("/no", "-A", "com.apple.swcd (unknown version) CFNetwork/1 Darwin/1")
    _ = try server.ask(Self.path, "-H", "Host: made-up.example")
    let metrics = try server.admin("/metrics")
    func line(_ host: String, _ client: String, _ status: Int) -> String {
      "linkspan_requests_total{host=\"\(host)\",client=\"\(client)\",status=\"\(status)\",protocol=\"HTTP/1.1\"} 1\n"
    }
    #expect(metrics.contains(line("example.com", "AASA-Bot", 200)))
    #expect(metrics.contains(line("example.com", "swcd", 404)))
    #expect(metrics.contains("linkspan_request_duration_seconds_count 3\n"))
    #expect(!metrics.contains("made-up"), "who asks decides about no series")
  }

  // MARK: - Access log

  @Test(.enabled(if: Tool.installed("goaccess") != nil, "goaccess is not on this machine (Debian: goaccess)"))
  func goaccessReadsTheCombinedLog() throws {
    let tool = try tool()
    let server = try OperatedServer(tool, ["site", "--access-log", "access.log"])
    for agent in ["AASA-Bot/1.0.0", "evil\" \\ é", "Mozilla/5.0 (iPhone)"] {
      _ = try server.ask(Self.path + "?token=hidden", "-A", agent)
    }
    #expect(server.end() == 0)
    let text = try tool.text("access.log")
    #expect(text.split(separator: "\n").count == 3)
    #expect(!text.contains("hidden"))
    let outcome = try tool.program(
      Tool.installed("goaccess")!,
      ["access.log", "--log-format=VCOMBINED", "-o", "out.json", "--no-global-config", "--no-progress"])
    #expect(outcome.status == 0, "\(outcome.output)")
    let general = try #require(
      JSONSerialization.jsonObject(with: Data(tool.text("out.json").utf8)) as? [String: Any])["general"]
    #expect((general as? [String: Any])?["valid_requests"] as? Int == 3)
    #expect((general as? [String: Any])?["failed_requests"] as? Int == 0)
  }

  @Test func aLogOnStandardOutputHasItForItself() throws {
    let tool = try tool()
    let process = tool.process(
      [
        "serve", "site", "--plain", "--listen", "127.0.0.1:0", "--log-level", "error", "--access-log", "-",
        "--localhost",
      ])
    process.environment = Tool.environment
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    var said = ""
    while !said.hasSuffix("\n") {
      let byte = try #require(try errors.fileHandleForReading.read(upToCount: 1), "it ended")
      said += String(decoding: byte, as: UTF8.self)
    }
    let address = try #require(said.split(separator: " ").last?.trimmingCharacters(in: .newlines))
    #expect(said.hasSuffix("Z serving example.com on \(address)\n"))
    _ = try tool.curl([address + Self.path])
    process.terminate()
    let log = String(decoding: try #require(try output.fileHandleForReading.readToEnd()), as: UTF8.self)
    process.waitUntilExit()
    #expect(log.contains(" 127.0.0.1 - - ["))
    #expect(log.split(separator: "\n").count == 1, "\(log)")
  }

  @Test func jsonLinesTellTheClientBehindATrustedProxy() throws {
    let tool = try tool()
    let server = try OperatedServer(
      tool, ["site", "--access-log", "a.log", "--access-log-format", "json", "--trusted-proxy", "127.0.0.1"])
    _ = try server.ask(Self.path, "-H", "X-Forwarded-For: 198.51.100.9, 203.0.113.7")
    #expect(server.end() == 0)
    let line = try #require(
      JSONSerialization.jsonObject(with: Data(tool.text("a.log").utf8)) as? [String: Any])
    #expect(line["peer"] as? String == "203.0.113.7")
    #expect(line["host"] as? String == "example.com")
    #expect(line["status"] as? Int == 200)
  }

  @Test func nobodyBelievesAnUntrustedClient() throws {
    let tool = try tool()
    let server = try OperatedServer(tool, ["site", "--access-log", "a.log"])
    _ = try server.ask(Self.path, "-H", "X-Forwarded-For: 203.0.113.7")
    #expect(server.end() == 0)
    #expect(try tool.text("a.log").hasPrefix("example.com:443 127.0.0.1 - - ["))
  }

  @Test(arguments: [SIGUSR1, SIGHUP])
  func aSignalOpensTheLogAgain(number: Int32) throws {
    let tool = try tool()
    let server = try OperatedServer(tool, ["site", "--access-log", "access.log"])
    _ = try server.ask("/before")
    // The line is written by a thread of its own; each answer gives it the time it needs.
    for _ in 0..<2_000 where !(try tool.text("access.log").contains("GET /before ")) {
      _ = try server.admin("/healthz")
    }
    let files = FileManager.default
    try files.moveItem(
      at: tool.folder.appending(path: "access.log"), to: tool.folder.appending(path: "access.log.1"))
    server.signal(number)
    // The new file is there when it has been opened again.
    for _ in 0..<2_000 where !files.fileExists(atPath: tool.folder.appending(path: "access.log").path) {
      _ = try server.admin("/healthz")
    }
    _ = try server.ask("/after")
    #expect(server.end() == 0)
    #expect(try tool.text("access.log.1").contains("GET /before "))
    #expect(try tool.text("access.log").contains("GET /after "))
  }

  @Test func aLogThatWasRemovedIsOpenedAgain() throws {
    let tool = try tool()
    try tool.write("", to: "logs/access.log")
    let server = try OperatedServer(tool, ["site", "--access-log", "logs/access.log"])
    try FileManager.default.removeItem(at: tool.folder.appending(path: "logs/access.log"))
    _ = try server.ask("/after")
    #expect(server.end() == 0)
    #expect(try tool.text("logs/access.log").contains("GET /after "))
    #expect(
      try server.errors.contains(
        "the access log 'logs/access.log' was removed; a new file was opened in its place"))
  }

  /// Asks again and again, and not for ever.
  private func untilTrue(_ question: () throws -> Bool) throws {
    for _ in 0..<2_000 { if try question() { return } }
  }

  @Test func aLogWhoseDirectoryIsGoneIsToldUntilItIsBack() throws {
    let tool = try tool()
    try tool.write("", to: "logs/access.log")
    let server = try OperatedServer(tool, ["site", "--access-log", "logs/access.log"])
    let ready = try server.readiness()
    #expect(ready["status"] as? String == "ready")
    #expect((ready["parts"] as? [String: String])?["log"] == "ready")
    try FileManager.default.removeItem(at: tool.folder.appending(path: "logs"))
    let reason = "the access log 'logs/access.log' cannot be opened: No such file or directory."
    for count in 1...2 {
      _ = try server.ask("/lost")
      // Each answer gives the thread that writes the time it needs.
      try untilTrue {
        try server.admin("/metrics").contains("linkspan_access_log_lines_dropped_total \(count)\n")
      }
    }
    #expect(try server.admin("/metrics").contains("linkspan_access_log_lines_dropped_total 2\n"))
    #expect(try server.errors.components(separatedBy: reason).count == 2, "told once")
    #expect(try server.errors.contains("Lines are dropped until it can."))
    let told = try server.readiness()
    #expect(told["status"] as? String == "degraded" && told["part"] as? String == "log")
    #expect(told["problem"] as? String == reason)
    try FileManager.default.createDirectory(
      at: tool.folder.appending(path: "logs"), withIntermediateDirectories: false)
    _ = try server.ask("/after")
    try untilTrue { try server.readiness()["status"] as? String == "ready" }
    #expect(try server.readiness()["status"] as? String == "ready")
    #expect(server.end() == 0)
    let text = try tool.text("logs/access.log")
    #expect(text.contains("GET /after ") && !text.contains("/lost"))
  }

  @Test func aLogThatCannotBeOpenedAgainGoesOnAndSaysSo() throws {
    let tool = try tool()
    let server = try OperatedServer(tool, ["site", "--access-log", "access.log"])
    let files = FileManager.default
    let place = tool.folder.appending(path: "access.log")
    try files.moveItem(at: place, to: tool.folder.appending(path: "access.log.1"))
    try files.createDirectory(at: place, withIntermediateDirectories: false)
    server.signal(SIGUSR1)
    // Each answer gives the server the time it needs.
    for _ in 0..<2_000 where try !server.errors.contains("Is a directory") {
      _ = try server.admin("/healthz")
    }
    #expect(
      try server.errors.contains("error: the access log 'access.log' cannot be opened: Is a directory."))
    _ = try server.ask("/after")
    #expect(server.end() == 0)
    #expect(try tool.text("access.log.1").contains("GET /after "))
  }

  // MARK: - Certificates

  @Test(.enabled(if: Tool.installed("openssl") != nil, "openssl is not on this machine (Debian: openssl)"))
  func aCertificateThatCannotBeReadAnewIsToldUntilItIsMended() throws {
    let tool = try tool()
    let made = try tool.program(
      Tool.installed("openssl")!,
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"]
        + ["-subj", "/CN=example.com", "-keyout", "key.pem", "-out", "chain.pem"])
    #expect(made.status == 0)
    let chain = try tool.text("chain.pem")
    let server = try OperatedServer(
      tool, ["site", "--no-watch", "--certificate", "chain.pem", "--key", "key.pem"], isPlain: false)
    #expect(try server.readiness()["status"] as? String == "ready")
    try tool.write("nonsense", to: "chain.pem")
    server.signal(SIGHUP)
    try server.next("not-reloaded")
    let told = try server.readiness()
    #expect(told["status"] as? String == "degraded")
    #expect((told["problem"] as? String)?.hasPrefix("'chain.pem' cannot be used: ") == true)
    try tool.write(chain, to: "chain.pem")
    server.signal(SIGHUP)
    try server.next("reloaded")
    #expect(try server.readiness()["status"] as? String == "ready")
    #expect(server.end() == 0)
  }

  // MARK: - Secrets

  @Test(.enabled(if: SigningAuthority.path != nil, Comment(rawValue: SigningAuthority.absence)))
  func nothingSecretIsSaidAtDebugLevel() throws {
    let tool = try SigningAuthority.tool()
    try tool.write(good, to: "site/example.com\(Self.path)")
    try tool.write(SigningAuthority.passphrase + "\n", to: "passphrase")
    try tool.restrict("passphrase")
    try tool.write(
      """
      { sites: ["site"], server: { log_level: "debug", access_log: "access.log",
        signed: { "example.com": { p12: "rsa-new.p12", passphrase_file: "passphrase" } },
        certificates: [{ certificate: "server.pem", key: "rsa.key" }] } }
      """, to: "linkspan.json5")
    let server = try OperatedServer(
      tool, ["--config", "linkspan.json5"], environment: ["SECRET": SigningAuthority.passphrase],
      isPlain: false)
    _ = try tool.curl([
      "-k", "-H", "Authorization: Bearer hidden-token", "-H", "Cookie: id=hidden-cookie", "-H",
      "Referer: https://a.example/?hidden-referer", "https://127.0.0.1:\(server.port)/x?hidden-query",
    ])
    server.signal(SIGHUP)
    try server.next("reloaded")
    try tool.write("wrong\n", to: "passphrase")
    server.signal(SIGHUP)
    try server.next("not-reloaded")
    #expect(server.end() == 0)
    let key = try tool.text("rsa.key").split(separator: "\n")[1]
    let logs = try server.errors + tool.text("access.log")
    #expect(logs.contains("debug: "))
    for secret in [SigningAuthority.passphrase, String(key), "hidden", "wrong\n"] {
      #expect(!logs.contains(secret))
    }
  }

  // MARK: - Settings

  @Test(arguments: [
    (
      ["--access-log-format", "json"],
      "'--access-log-format' needs '--access-log'"
    ),
    (
      ["--access-log", "a", "--access-log-format", "xml"],
      "'--access-log-format': expected vhost_combined, combined or json, got 'xml'"
    ),
    (["--log-level", "loud"], "'--log-level': expected error, info or debug, got 'loud'"),
    (["--trusted-proxy", "10.0.0.0/33"], "'10.0.0.0/33' is not a network of IP addresses."),
    (["--user", "nobody"], "'--user' needs '--certificate' or '--plain'"),
    (["--plain", "--user", "no-such-user-here"], "there is no user 'no-such-user-here'"),
    (["--plain", "--user", "root"], "'root' is root; --user must name another user."),
    (["--access-log", "missing/a.log"], "the access log 'missing/a.log' cannot be opened: No such file"),
    (["--drain", "0"], "'--drain': expected an integer from 1 to 86400, got '0'."),
    (["--drain", "86401"], "'--drain': expected an integer from 1 to 86400, got '86401'."),
  ])
  func wrongSettingsSayWhatAndWhy(words: [String], message: String) throws {
    let outcome = try tool().run(["serve", "site", "--listen", "127.0.0.1:0"] + words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("linkspan serve: error: \(message)"), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("{ 'a.example': { p12: 'x', key: 'y', certificate: 'z' } }", "1:51: error[configuration.missing-key]"),
    ("{ 'a.example': { key: 'y' } }", "1:51: error[configuration.missing-key]"),
    ("{ 'a.example': { p12: 'x', passphrase: 'y' } }", "error[configuration.unknown-key]"),
  ])
  func aSignerIsOneOfTwoForms(signed: String, finding: String) throws {
    let tool = try tool()
    try tool.write("{ sites: 'site', server: { signed: \(signed) } }", to: "c.json5")
    let outcome = try tool.run("serve", "--config", "c.json5", "--dry-run")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(finding), "\(outcome.errors)")
  }

  // MARK: - Certificates

  /// Spec of associated domains, T1 and D2: no device takes a file over a certificate that has ended or has not begun.
  @Test func aDryRunTellsCertificatesThatAreNotValid() throws {
    let tool = try tool()
    let now = Int64(Date().timeIntervalSince1970)
    func write(_ name: String, from start: Int64) throws {
      let made = try ThrowawayCertificate.make(
        for: ["example.com"], from: start, lifetime: .seconds(60 * 86_400))
      try tool.write(String(decoding: made.certificatePEM, as: UTF8.self), to: "\(name).pem")
      try tool.write(String(decoding: made.keyPEM, as: UTF8.self), to: "\(name).key")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: tool.folder.appending(path: "\(name).key").path)
    }
    try write("ended", from: now - 61 * 86_400)
    try write("later", from: now + 86_400)
    try write("good", from: now - 86_400)
    for (names, status, words) in [
      (["ended"], 1, ["ended.pem: a certificate for example.com expired at "]),
      (["later"], 1, ["later.pem: a certificate for example.com is not valid before "]),
      (["good"], 0, []),
      (["ended", "good"], 0, ["ended.pem: warning: ", "; a valid one of another file is shown"]),
    ] as [([String], Int32, [String])] {
      let flags = names.flatMap { ["--certificate", "\($0).pem", "--key", "\($0).key"] }
      let outcome = try tool.run(["serve", "site", "--dry-run", "--listen", "127.0.0.1:0"] + flags)
      #expect(outcome.status == status, "\(names): \(outcome.errors)")
      for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)") }
      if words.isEmpty { #expect(!outcome.errors.contains("good.pem"), "\(outcome.errors)") }
    }
  }

  /// A root that an older one has signed comes with many chains until long after the older one has ended: devices know it by
  /// itself. Of the own certificate's issuer they know no other.
  @Test(.enabled(if: SigningAuthority.path != nil, Comment(rawValue: SigningAuthority.absence)))
  func aDryRunTakesAChainWhoseLastCertificateHasExpired() throws {
    let tool = try SigningAuthority.tool()
    try tool.write(SigningAuthority.file, to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write("basicConstraints=critical,CA:true\n", to: "ca.ext")
    func sign(_ name: String, by issuer: String, as file: String) throws {
      try tool.openssl(
        "req -new -key \(name).key -subj /CN=\(name == "root" ? "root" : "between.example.com") -out ca.csr")
      try tool.openssl(
        "x509 -req -in ca.csr -CA \(issuer).pem -CAkey \(issuer).key -CAcreateserial -days -1 -sha256 -extfile ca.ext "
          + "-out \(file).pem")
    }
    try sign("root", by: "other", as: "crossed")
    try sign("between", by: "root", as: "ended")
    for (names, status, words) in [
      (
        ["rsa", "between", "crossed"], 0,
        "chain.pem: warning: a certificate behind the server's own expired at "
      ),
      (
        ["rsa", "ended", "between"], 0,
        "chain.pem: warning: a certificate behind the server's own expired at "
      ),
      (["rsa", "ended"], 1, "chain.pem: a certificate for example.com expired at "),
      (["past", "between"], 1, "chain.pem: a certificate for example.com expired at "),
    ] as [([String], Int32, String)] {
      let chain = try names.map { String(decoding: try tool.bytes("\($0).pem"), as: UTF8.self) }
      try tool.write(chain.joined(), to: "chain.pem")
      let outcome = try tool.run(
        "serve", "site", "--dry-run", "--listen", "127.0.0.1:0", "--certificate", "chain.pem", "--key",
        "rsa.key")
      #expect(outcome.status == status && outcome.errors.contains(words), "\(names): \(outcome.errors)")
    }
  }
}
