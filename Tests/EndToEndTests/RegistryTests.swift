import Foundation
import TestSupport
import Testing

/// The registry as a person runs it: the built binary and curl.
@Suite("Registry program", .timeLimit(.minutes(15)))
struct RegistryTests {
  static let token = String(repeating: "a1", count: 32)
  static let store = ["--registry", "sqlite:registry.db"]

  /// A server on a free port; ends with SIGTERM.
  func serving(_ tool: Tool, _ arguments: [String] = [], _ body: (String) throws -> Void) throws {
    let process = tool.process(
      ["serve", "--plain", "--listen", "127.0.0.1:0", "--json"] + Self.store + arguments)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer {
      process.terminate()
      process.waitUntilExit()
    }
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data([0x0A]) {
      line += byte
    }
    let said = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
    #expect(said["type"] as? String == "listening")
    try body("http://127.0.0.1:\(try #require(said["port"] as? Int))")
  }

  /// The status and the body of an answer.
  func curl(_ arguments: String...) throws -> (status: String, body: String) { try curl(arguments) }

  func curl(_ arguments: [String]) throws -> (status: String, body: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/curl")
    process.arguments = ["-s", "--max-time", "20", "--noproxy", "*", "-w", "\n%{http_code}"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
  }

  func credential(_ tool: Tool, _ arguments: String...) throws -> String {
    let outcome = try tool.run(["token", "create"] + Self.store + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.lines.first ?? ""
  }

  static let body = #"{"topic":"com.example.app","environment":"production","alias":"ann","tags":["beta"]}"#

  @Test func aDeviceIsThereAfterARestart() throws {
    let tool = try Tool()
    let credential = try credential(tool, "--scope", "devices:read,devices:write")
    #expect(credential.hasPrefix("lsp_"))
    let access = "Authorization: Bearer \(credential)"
    let type = "Content-Type: application/json"
    try serving(tool) { base in
      let path = "\(base)/v1/devices/"
      let put = ["-X", "PUT", "-d", Self.body, "-H", type]
      let first = try curl(put + [path + Self.token]).status
      #expect(first == "401")
      let second = try curl(put + ["-H", access, path + Self.token]).status
      #expect(second == "201")
      let third = try curl(put + ["-H", access, path + Self.token.uppercased()]).status
      #expect(third == "200")
    }
    try serving(tool) { base in
      let found = try curl("-H", access, "\(base)/v1/devices/\(Self.token)?topic=com.example.app")
      #expect(found.status == "200")
      #expect(found.body.contains(#""alias":"ann""#))
      #expect(try curl("\(base)/v1/openapi.json").status == "200")
    }
    // The credential itself is nowhere.
    let file = try Data(contentsOf: tool.folder.appending(path: "registry.db"))
    #expect(file.firstRange(of: Data(credential.split(separator: "_")[2].utf8)) == nil)
  }

  @Test func aBodyThatIsTooLargeIsAProblem() throws {
    let tool = try Tool()
    try tool.write(String(repeating: "x", count: 70_000), to: "large.json")
    try serving(tool) { base in
      for more in [[], ["--http2-prior-knowledge"], ["-H", "Transfer-Encoding: chunked"]] {
        let answer = try curl(
          more + [
            "-X", "PUT", "--data-binary", "@" + tool.folder.path + "/large.json", "-H",
            "Content-Type: application/json",
            "\(base)/v1/devices/\(Self.token)",
          ])
        #expect(answer.status == "413")
        #expect(
          answer.body.hasPrefix(#"{"type":"about:blank","title":"Content Too Large","status":413,"#),
          "\(more)")
      }
      #expect(try curl("-d", "@" + tool.folder.path + "/large.json", base).body.contains("{") == false)
    }
  }

  @Test func orbiterRegistersAtBothBaseAddresses() throws {
    let tool = try Tool()
    let legacy = ["--legacy-topic", "com.example.app", "--legacy-environment", "sandbox", "--legacy-open"]
    let orbiter = [
      #"{"locale":"en_US","language":"en","timezone":"America/New_York","lat":"37.7","lng":"-122.4","#,
      #""tags":["v1.0","iPhone","iOS 7.0"]}"#,
    ].joined()
    try serving(tool, legacy) { base in
      for (root, status) in [("", "201"), ("/push_notification", "200")] {
        let path = "\(base)\(root)/devices/\(Self.token.uppercased())"
        let answer = try curl(
          "-X", "PUT", "-d", orbiter, "-H", "Content-Type: application/json", "-H",
          "Accept: application/json", path)
        #expect(answer.status == status)
        #expect(answer.body.contains(#""lat":37.7"#))
      }
      #expect(try curl("-X", "DELETE", "\(base)/push_notification/devices/\(Self.token)").status == "200")
      #expect(try curl("-X", "DELETE", "\(base)/devices/\(Self.token)").status == "404")
    }
  }

  @Test func credentialsAreListedAndRevoked() throws {
    let tool = try Tool()
    let credential = try credential(
      tool, "--scope", "devices:read", "--topic", "com.example.app", "--expires", "90d", "--name",
      "app server")
    let identifier = String(credential.split(separator: "_")[1])
    let list = try tool.run(["token", "list", "--json"] + Self.store)
    #expect(try list.json()["id"] as? String == identifier)
    #expect(try list.json()["topics"] as? [String] == ["com.example.app"])
    #expect(try list.json()["valid"] as? Bool == true)
    #expect(!list.output.contains(credential.split(separator: "_")[2]))
    // Hexadecimal digits are the same in capitals.
    #expect(try tool.run(["token", "revoke", identifier.uppercased()] + Self.store).status == 0)
    #expect(try tool.run(["token", "revoke", identifier] + Self.store).status == 1)
    let audit = try tool.run(["registry", "audit", "--json"] + Self.store)
    #expect(try audit.json()["action"] as? String == "token.revoke")
    #expect(try audit.json(line: 1)["action"] as? String == "token.create")
  }

  @Test func aNameThatCouldForgeALineIsRefused() throws {
    let tool = try Tool()
    let outcome = try tool.run(
      ["token", "create", "--scope", "devices:read", "--name", "app\u{1B}[31m\nforged  line"] + Self.store)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.split(separator: "\n").allSatisfy { !$0.hasPrefix("forged") }, "\(outcome.errors)")
  }

  @Test func theDoctorChangesNothing() throws {
    let tool = try Tool()
    try tool.write("", to: "empty.db")
    let outcome = try tool.run("registry", "doctor", "--registry", "sqlite:empty.db")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("There is no registry in 'empty.db'"), "\(outcome.errors)")
    #expect(try tool.text("empty.db").isEmpty)
  }

  static let misuses: [([String], String)] = [
    (["token", "create"] + store, "'--scope' is missing: one or more of devices:read, "),
    (
      ["token", "create", "--scope", "device:read"] + store,
      "campaigns:write or sites:write, got 'device:read'. Did you mean 'devices:read'?"
    ),
    (
      ["token", "create", "--scope", "everything"] + store,
      "'--scope': expected devices:read, devices:write, notifications:read, "
    ),
    (
      ["token", "create", "--scope", "devices:read", "--expires", "1"] + store,
      "'--expires': expected a time to come"
    ),
    (
      ["token", "create", "--scope", "devices:read", "--expires", "36501d"] + store,
      "'--expires': expected a time to come, such as 90d (at most 36500d) or 2027-01-31, got '36501d'."
    ),
    (
      ["token", "create", "--scope", "devices:read", "--topic", "a b"] + store,
      "'--topic': 'a b' is not a bundle identifier"
    ),
    (["token", "list"], "'--registry' is missing: sqlite:FILE or postgres://…"),
    (["token", "list", "--registry", "sqlite:mistyped.db"], "There is no registry 'mistyped.db'."),
    (
      ["token", "create", "--registry", "sqlite:new.db", "--scope", "devices:read", "--topic", ""],
      "'--topic' names no app. Without '--topic' the credential is for every app"
    ),
    (
      ["token", "list", "--registry", "mysql://x"],
      "A registry's address begins with 'sqlite:' or 'postgres://'."
    ),
    (["serve", "--legacy-open"], "the routes of 2013 need '--registry'"),
    (["serve", "--legacy-open"] + store, "the routes of 2013 need '--legacy-topic'"),
    (
      ["serve", "--legacy-topic", "a.b", "--legacy-environment", "test"] + store,
      "expected production, sandbox or development"
    ),
  ]

  @Test(arguments: misuses.indices)
  func refusesMisuse(_ index: Int) throws {
    let outcome = try Tool().run(Self.misuses[index].0)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(Self.misuses[index].1), "\(outcome.errors)")
  }

  @Test func movesFromOneStoreToAnother() throws {
    let tool = try Tool()
    let lines = (10..<20).map { index in
      #"{"token":"\#(String(repeating: "\(index)", count: 32))","topic":"com.example.app","environment":"sandbox","#
        + #""alias":"user\#(index)","tags":["t\#(index % 2)"],"last_seen_at":"2026-09-14T08:00:00Z"}"#
    }
    try tool.write(lines.joined(separator: "\n") + "\nnonsense\n", to: "devices.jsonl")
    let first = try tool.run(["registry", "import", "devices.jsonl", "--json"] + Self.store)
    #expect(first.status == 1)
    #expect(first.errors.contains("line 11: It is not JSON") && !first.errors.contains("--from"))
    #expect(try first.json()["stored"] as? Int == 10)
    let export = try tool.run(["registry", "export"] + Self.store)
    #expect(export.lines.count == 10)
    let other = try tool.run(
      ["registry", "import", "-", "--registry", "sqlite:other.db"], input: export.output)
    #expect(other.output == "stored 10 of 10 devices; 0 were there already\n")
    #expect(try tool.run("registry", "export", "--registry", "sqlite:other.db").output == export.output)
    let count = try tool.run(["registry", "count", "--tag", "t1", "--environment", "sandbox"] + Self.store)
    #expect(count.output == "5\n")
    let erased = try tool.run(["registry", "erase", "user12"] + Self.store)
    #expect(
      erased.output.hasPrefix("erased 1 device, cancelled 0 deliveries, redacted 0 messages\nremains in: "))
    #expect(try tool.run(["registry", "erase", "user12"] + Self.store).status == 1)
    // A script whose variable is empty is not told that there was nothing.
    for alias in ["", "user\u{1}", String(repeating: "u", count: 256)] {
      let mistaken = try tool.run(["registry", "erase", alias] + Self.store)
      #expect(mistaken.status == 2, "\(mistaken.errors)")
      #expect(mistaken.errors.contains("is not an alias. Expected a string of 1 to 255 characters"))
    }
    #expect(try tool.run(["registry", "export"] + Self.store).lines.count == 9)
  }

  @Test(arguments: [[], ["--json"]]) func namesTheFirstLinesWithErrorsAndCountsTheRest(words: [String]) throws
  {
    let tool = try Tool()
    let hint =
      "  Expected one device a line, as 'linkspan registry export' prints them; '--from' reads exports of other services.\n"
    for (count, rest) in [
      (20, ""), (21, "and 1 more line with errors\n"), (45, "and 25 more lines with errors\n"),
    ] {
      try tool.write(String(repeating: "{}\n", count: count), to: "bad.jsonl")
      let run = try tool.run(["registry", "import", "bad.jsonl"] + words + Self.store)
      let lines = run.errors.split(separator: "\n")
      let error = "'bad.jsonl' has \(count) errors and no device, so nothing was imported.\n"
      #expect(run.status == 2 && run.errors.hasSuffix(hint), "\(run.errors)")
      #expect(rest.isEmpty || run.errors.contains(rest), "\(run.errors)")
      #expect(run.errors.contains(error), "\(run.errors)")
      #expect(lines.count { $0.hasPrefix("line ") } == 20 && lines.count == (rest.isEmpty ? 22 : 23))
      #expect(words.isEmpty ? run.output.isEmpty : run.output.contains("\"errors\":\(count)"))
      guard !words.isEmpty else { continue }
      let problems = try run.json()["problems"] as? [[String: Any]]
      #expect(problems?.map { $0["line"] as? Int } == Array(1...count))
      #expect(problems?.allSatisfy { ($0["message"] as? String)?.contains("token") == true } == true)
    }
  }

  /// A byte order mark, as PowerShell writes it, and all of an export on one line.
  @Test func importsWhatOtherToolsWrote() throws {
    let tool = try Tool()
    let token = String(repeating: "a1", count: 32)
    let place = ["--topic", "com.example.app", "--environment", "production"] + Self.store
    let answer = #"{"results":[{"apns_token":"\#(token)","status":"OK"},{"apns_token":"zz","status":"OK"}]}"#
    try tool.write("\u{FEFF}" + answer, to: "export.json")
    let read = try tool.run(["registry", "import", "export.json", "--from", "firebase"] + place)
    #expect(read.output == "stored 1 of 1 device; 0 were there already; 1 error\n")
    #expect(read.errors.contains("line 1, entry 2: 'apns_token' is not a device token"), "\(read.errors)")
    let other = #"{"results":[{"deviceType":"ios","installationId":"gone"}]}"#
    try tool.write(other, to: "parse.json")
    let disabled = try tool.run(["registry", "import", "parse.json", "--from", "parse"] + place)
    #expect(disabled.output.contains("; 1 that the service has disabled not stored"), "\(disabled.output)")
    try tool.write(#"{"results":[{"status":"OK"}]}"#, to: "export.json")
    let missing = try tool.run(["registry", "import", "export.json", "--from", "firebase"] + place)
    #expect(
      missing.errors.contains("'apns_token' is missing; is this an export of another service?"),
      "\(missing.errors)")
    let export = try tool.run(["registry", "export"] + Self.store)
    try tool.write("\u{FEFF}" + export.output + "\r\n  \r\n", to: "own.jsonl")
    let own = try tool.run(["registry", "import", "own.jsonl"] + Self.store)
    #expect(own.status == 0 && own.output == "stored 0 of 1 device; 1 were there already\n", "\(own.errors)")
    try Data([0xFF, 0xFE, 0x7B, 0x00]).write(to: tool.folder.appending(path: "wide.json"))
    let wide = try tool.run(["registry", "import", "wide.json", "--from", "firebase"] + place)
    #expect(wide.status == 2 && wide.errors.contains("'wide.json' is in UTF-16; expected UTF-8."))
    try tool.write("\n \r\n", to: "empty.jsonl")
    let nothing = "error: 'empty.jsonl' has no device, so nothing was imported."
    let empty = try tool.run(["registry", "import", "empty.jsonl"] + Self.store)
    #expect(empty.status == 2 && empty.output.isEmpty && empty.errors.contains(nothing), "\(empty.errors)")
    for service in ["firebase", "onesignal"] {
      let export = try tool.run(["registry", "import", "empty.jsonl", "--from", service] + place)
      #expect(export.status == 2 && export.errors.contains(nothing), "\(export.errors)")
    }
    let unknown = try tool.run(["registry", "import", "own.jsonl", "--from", "urban"] + Self.store)
    #expect(unknown.status == 2 && unknown.errors.contains("'--from': expected parse, firebase,"))
    for (words, problem) in [
      (["firebase", "--environment", "sandbox"], "'--topic' is required: an export with '--from firebase'"),
      (["onesignal", "--topic", "com.example.app"], "'--environment' is required, production or sandbox: "),
      (["sns", "--topic", "a b"], "'--topic': 'a b' is not a bundle identifier"),
    ] {
      let outcome = try tool.run(["registry", "import", "export.json", "--from"] + words + Self.store)
      #expect(outcome.status == 2 && outcome.errors.contains(problem), "\(outcome.errors)")
    }
    let place2 = ["--topic", "com.example.app", "--environment", "prod"] + Self.store
    let environment = try tool.run(["registry", "import", "export.json", "--from", "firebase"] + place2)
    #expect(
      environment.errors.contains("'--environment': expected production, sandbox or development, got 'prod'.")
    )
  }

  @Test func aLostPostgresAndItsReturnAreLoggedWithTheirTime() throws {
    guard let server = PostgresServer.address("postgres"), let address = PostgresServer.address("lost") else {
      return
    }
    let tool = try Tool()
    func run(_ sql: String) throws {
      let outcome = try tool.program("/usr/bin/env", ["psql", "-q", server, "-c", sql])
      #expect(outcome.status == 0, "\(outcome.output)")
    }
    try run("CREATE DATABASE lost")
    let made = try tool.run("token", "create", "--registry", address, "--scope", "devices:read")
    let access = "Authorization: Bearer \(try #require(made.lines.first))"
    let service = try OperatedServer(tool, ["--registry", address])
    // Nobody but this server loses its connections.
    try run("ALTER DATABASE lost ALLOW_CONNECTIONS false")
    try run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'lost'")
    let path = "/v1/devices/\(Self.token)?topic=com.example.app"
    #expect(try service.ask(path, "-H", access).hasSuffix("\n503"))
    let lost = try service.errors.split(separator: "\n")
    #expect(lost.contains { $0.contains("Z error: The connection to the registry's PostgreSQL is lost: ") })
    try run("ALTER DATABASE lost ALLOW_CONNECTIONS true")
    for _ in 0..<2_000 where try !service.errors.contains("answers again") { _ = try service.ask("/") }
    let lines = try service.errors.split(separator: "\n")
    #expect(lines.last?.hasSuffix("Z the registry's PostgreSQL answers again") == true, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("20") }, "\(lines)")
    for _ in 0..<2 { _ = try service.ask(path, "-H", access) }
    #expect(try service.ask(path, "-H", access).hasSuffix("\n404"))
    #expect(service.end() == 0)
  }

  /// The full number of kills is `Scripts/soak-registry`.
  @Test(arguments: ["sqlite", "postgres"])
  func nothingAcknowledgedIsLostWhenItIsKilled(_ kind: String) throws {
    let tool = try Tool()
    var arguments = ["3"]
    if kind == "postgres" {
      guard let address = PostgresServer.address("postgres") else { return }
      arguments.append(address)
    }
    let process = Process()
    process.executableURL = Fixtures.root.appending(path: "Scripts/soak-registry")
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin", "LINKSPAN": Tool.binary.path, "TMPDIR": tool.folder.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(said.hasPrefix("3 kills, ") && said.hasSuffix(", none lost\n"), "\(said)")
  }

  /// A registry without a closed day has nothing to export, which is no error.
  @Test func aJournalWithoutAClosedDayIsSaidToHaveNone() throws {
    let tool = try Tool()
    _ = try credential(tool, "--scope", "devices:read")
    try FileManager.default.createDirectory(
      at: tool.folder.appending(path: "out"), withIntermediateDirectories: false)
    let text = try tool.run(["registry", "export-journal", "out"] + Self.store)
    #expect(text.status == 0 && text.output == "no closed day is left to export\n", "\(text.errors)")
    let json = try tool.run(["registry", "export-journal", "out", "--json"] + Self.store)
    #expect(json.status == 0 && json.output.isEmpty)
  }

  /// A mistyped folder would be found out on the day that has something to export.
  @Test func aJournalIsNotExportedToAFolderThatIsNotThere() throws {
    let tool = try Tool()
    _ = try credential(tool, "--scope", "devices:read")
    let outcome = try tool.run(["registry", "export-journal", "uot"] + Self.store)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("there is no folder 'uot'."), "\(outcome.errors)")
    #expect(outcome.errors.contains("Make the folder, or correct its name."))
    #expect(!FileManager.default.fileExists(atPath: tool.folder.appending(path: "uot").path))
  }
}
