import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan push` (push notes 1 to 5 and 10.5).
@Suite struct PushTests {
  let tool: Tool
  /// Made by openssl for these tests.
  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0qj5lmOzFPBQi42J
    KbMdFdNFne7ujAqlO2Tu0XS3Si6hRANCAAQJM3cVMH3HlwOC3P0d6cPgSrv4/nSq
    i5zhAw1JFxSEfqcaYzVflIqCpZQMdjz1giGcl0LPBT8HSHuk2KE3EYob
    -----END PRIVATE KEY-----
    """
  static let keyFlags = ["--auth-key", "key.p8", "--auth-key-id", "A1B2C3D4E5", "--team-id", "F6G7H8I9J0"]

  init() throws {
    tool = try Tool()
    try tool.write(Self.key, to: "key.p8")
  }

  /// As APNs answers.
  private static func acceptance(of request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(status: 200, fields: ["apns-id": request.fields["apns-id"] ?? ""])
  }

  private func token(_ digit: Character) -> String { String(repeating: digit, count: 64) }

  @Test func lintSaysWhatIsWrongAndWhere() throws {
    try tool.write(#"{"content-available":1,"aps":{}}"#, to: "bad.json")
    let outcome = try tool.run("push", "lint", "bad.json")
    #expect(outcome.status == 1)
    #expect(
      outcome.output == """
        bad.json:1:2: error[push.outside-aps]: 'content-available' is outside 'aps'.
          1 | {"content-available":1,"aps":{}}
            |  ^^^^^^^^^^^^^^^^^^^
          It has no effect there: the app is not woken. Move it into 'aps'.

        1 file: 1 error
        Not checked:
          - whether the device token, the topic and the app belong together
          - the header apns-topic: without it APNs answers 400 MissingTopic, unless the connection's certificate stands for one topic
          - the header apns-push-type: watchOS 6 and later drops a push without it; the payload looks like 'alert'

        """)
    let sarif = try tool.run("push", "lint", "bad.json", "--format", "sarif")
    #expect(sarif.status == 1 && sarif.output.contains("push.outside-aps"))
    try tool.write(#"{"aps":{"content-available":1}}"#, to: "good.json")
    let good = try tool.run("push", "lint", "good.json", "--push-type", "background", "--json")
    #expect(good.status == 0)
    #expect(try good.json()["type"] as? String == "push-lint")
    #expect(try tool.run("push", "lint", "good.json", "--push-type", "banana").status == 2)
  }

  @Test func lintSpeaksOfPayloads() throws {
    try tool.write(#"{"aps":{"alert":{"title":1,"body":["x"]},"sound":{"name":5}}}"#, to: "types.json")
    let types = try tool.run("push", "lint", "types.json", "--json")
    let findings = try #require(types.json()["findings"] as? [[String: Any]])
    #expect(findings.map { $0["rule"] as? String } == Array(repeating: "push.value-type", count: 3))
    #expect(
      findings.map { $0["pointer"] as? String } == [
        "/aps/alert/title", "/aps/alert/body", "/aps/sound/name",
      ])
    try tool.write(#"{"aps":{"alert":"\#(String(repeating: "a", count: 1 << 19))"}}"#, to: "large.json")
    let large = try tool.run("push", "lint", "large.json")
    #expect(large.status == 1 && !large.output.contains("association file"), "\(large.output.prefix(500))")
    #expect(large.output.contains("A payload has at most 4096 bytes, one of type voip 5120."))
  }

  /// Headers that are known are judged; one that is missing is named.
  @Test func lintJudgesTheRequest() throws {
    try tool.write(#"{"aps":{"content-available":1}}"#, to: "p.json")
    let unknown = try tool.run("push", "lint", "p.json", "--push-type", "background", "--json")
    let notChecked = try #require(unknown.json()["not_checked"] as? [String])
    #expect(
      unknown.status == 0 && notChecked.contains { $0.hasPrefix("the header apns-priority: absent means 10") }
    )
    let headers = ["apns-push-type: background", "apns-topic: com/example", "apns-priority: 5"]
    let known = try tool.run(["push", "lint", "p.json"] + headers.flatMap { ["--header", $0] })
    #expect(known.status == 0 && known.output.contains("warning[push.topic]"), "\(known.output)")
    let whole = try tool.run("push", "lint", "p.json", "--header", "apns-push-type:background")
    #expect(whole.status == 1)
    for reason in ["400 MissingTopic", "400 BadPriority"] { #expect(whole.output.contains(reason)) }
    let twice = try tool.run(
      ["push", "lint", "p.json"] + (headers + ["Apns-Topic:a"]).flatMap { ["--header", $0] })
    #expect(twice.status == 1 && twice.output.contains("400 DuplicateHeaders"))
    #expect(try tool.run("push", "lint", "p.json", "--header", "nonsense").status == 2)
  }

  /// No header can carry it, so '--force' is no way out, and both senders say so in one sentence.
  @Test func aTopicWithOtherBytesIsNone() throws {
    try tool.write(#"{"aps":{"alert":"a"}}"#, to: "p.json")
    let sends = [
      [
        "push", "send", "--token", token("a"), "--topic", "com/x", "--payload", "p.json", "--dry-run",
        "--force",
      ],
      ["apn", "push", token("a"), "--topic", "com/x", "-m", "a", "--server", "http://127.0.0.1:1"]
        + Self.keyFlags,
    ]
    for words in sends {
      let outcome = try tool.run(words)
      #expect(outcome.status == 2 && !outcome.errors.contains("They are listed above"))
      #expect(
        outcome.errors.contains(
          "'com/x' is not a topic; expected a bundle identifier such as com.example.app"),
        "\(outcome.errors)")
    }
  }

  /// The same verdict, whoever is asked: an empty sound makes nothing of a background push.
  @Test func oneVerdictForOnePush() throws {
    try tool.write(#"{"aps":{"content-available":1,"sound":""}}"#, to: "p.json")
    let app = [
      "--app", ExplainPushTests.example("App.entitlements"), "--info-plist",
      ExplainPushTests.example("Info.plist"),
    ]
    for type in [[], ["--push-type", "background"]] {
      let lint = try tool.run(["push", "lint", "p.json", "--json"] + type)
      let rules = (try lint.json()["findings"] as? [[String: Any]] ?? []).map { "\($0["rule"] ?? "")" }
      #expect(lint.status == 1 && rules == ["push.background-shown"])
      let explain = try tool.run(["explain", "--push", "p.json", "--json"] + app + type)
      let json = try explain.json()
      #expect(explain.status == 1 && json["push_type"] as? String == "background")
      #expect(ExplainPushTests.wakes(json) == "no type-mismatch")
      let found = (json["findings"] as? [[String: Any]] ?? []).map { "\($0["rule"] ?? "")" }
      #expect(found == rules)
    }
    let send = try tool.run(
      [
        "push", "send", "--token", token("a"), "--topic", "com.example.app", "--payload", "p.json",
        "--dry-run",
      ]
        + Self.keyFlags)
    #expect(send.status == 2 && send.errors.contains("push.background-shown"))
  }

  /// A value that a device ignores, as the lint says, stops no alert; what is documented nowhere is not known.
  @Test func theLintAndTheExplanationSayTheSame() throws {
    let app = [
      "--app", ExplainPushTests.example("App.entitlements"), "--info-plist",
      ExplainPushTests.example("Info.plist"),
    ]
    for (member, status, words) in [
      (#""relevance-score":2"#, 0, "shows it"),
      (#""sound":{"critical":1,"name":"a","volume":2}"#, 2, "whether it shows it is not known"),
    ] {
      try tool.write("{\"aps\":{\"alert\":\"x\",\(member)}}", to: "p.json")
      #expect(try tool.run("push", "lint", "p.json").status == 1)
      let explain = try tool.run(["explain", "--push", "p.json"] + app)
      #expect(Int(explain.status) == status && explain.output.contains(words), "\(explain.output)")
      #expect(Int(try tool.run(["doctor", "p.json"] + app).status) == status)
    }
  }

  @Test func aKeyThatEveryoneMayReadIsWarnedOf() throws {
    for (bits, isOpen) in [(0o644, true), (0o600, false)] {
      let path = tool.folder.appending(path: "key.p8").path
      try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
      let made = try tool.run(["push", "token"] + Self.keyFlags)
      #expect(made.status == 0)
      #expect(
        made.errors.contains("every user of this machine can read 'key.p8'") == isOpen, "\(made.errors)")
    }
  }

  @Test func aTokenIsMadeAndChecked() throws {
    let made = try tool.run(["push", "token"] + Self.keyFlags)
    #expect(made.status == 0 && made.output.split(separator: ".").count == 3)
    try tool.write(made.output, to: "token")
    let check = try tool.run("push", "token", "--check", "token", "--auth-key", "key.p8", "--json")
    #expect(check.status == 0)
    #expect(try check.json()["verdict"] as? String == "valid")
    #expect(!check.output.contains(made.lines[0]))
    // Push notes, 3.1: without the key nobody knows who signed it, so that is no yes.
    let parts = made.lines[0].split(separator: ".")
    try tool.write("\(parts[0]).\(parts[1]).AAAA\n", to: "forged")
    let open = try tool.run("push", "token", "--check", "forged", "--json")
    #expect(open.status == 2 && open.output.contains(#""verdict":"unverified""#))
    #expect(open.output.contains(#""signature_verified":false"#))
    let words = try tool.run("push", "token", "--check", "forged")
    #expect(words.status == 2 && words.output.hasPrefix("unverified: key A1B2C3D4E5"))
    #expect(words.output.contains("The signature was not verified"))
    #expect(try tool.run("push", "token", "--check", "forged", "--auth-key", "key.p8").status == 1)
    try tool.write("no token", to: "none")
    #expect(try tool.run("push", "token", "--check", "none").status == 2)
  }

  /// Push notes, 2.1: a push has one type.
  @Test func twoTypesOfOnePushContradictEachOther() throws {
    try tool.write(#"{"aps":{"alert":"x"}}"#, to: "p.json")
    func lint(_ type: String) throws -> Tool.Outcome {
      try tool.run("push", "lint", "p.json", "--push-type", type, "--header", "apns-push-type:alert")
    }
    let outcome = try lint("voip")
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.contains(
        "'--push-type voip' and '--header apns-push-type:alert' contradict each other"))
    #expect(try lint("alert").output.contains("push.topic"))
  }

  /// What is not sent is an answer for programs, too; the text for people stays on standard error.
  @Test func aPushWithErrorsIsRefusedAsJSON() throws {
    try tool.write(#"{"aps":{"alert":"x","badge":"1"}}"#, to: "p.json")
    let sent = ["--topic", "com.example.app", "--json"] + Self.keyFlags
    let outcome = try tool.run(
      ["push", "send", "--payload", "p.json", "--token", token("A"), "--dry-run"] + sent)
    let apn = try tool.run(["apn", "push", token("A"), "-P", #"{"aps":{"alert":"x","badge":"1"}}"#] + sent)
    for outcome in [outcome, apn] {
      #expect(outcome.status == 2 && outcome.errors.contains("the push has errors, so it was not sent."))
      let refusal = try outcome.json()
      #expect(refusal["type"] as? String == "refused" && refusal["status"] is NSNull)
      #expect((refusal["findings"] as? [[String: Any]])?.first?["rule"] as? String == "push.badge")
    }
    let broken = try tool.run(["apn", "push", token("A"), "-P", "{bad"] + sent)
    #expect(broken.status == 2 && !broken.errors.contains("push.missing-aps"), "\(broken.errors)")
  }

  @Test func aFlagOfHoustonThatIsRefusedSaysWhy() throws {
    for flag in ["-r", "--raw-certificate"] {
      let outcome = try tool.run("apn", "push", token("A"), flag, "x")
      #expect(outcome.status == 2 && outcome.errors.contains("there is no flag '\(flag)'."))
      #expect(outcome.errors.contains("could read a certificate's text"), "\(outcome.errors)")
    }
  }

  /// A key that cannot be read is named by its file; nothing of its text is printed.
  @Test func aKeyIsNeverShown() throws {
    try tool.write("-----BEGIN PRIVATE KEY-----\nTOPSECRET\n-----END PRIVATE KEY-----\n", to: "key.p8")
    let outcome = try tool.run(["push", "token"] + Self.keyFlags)
    #expect(outcome.status == 2 && outcome.errors.contains("'key.p8' cannot sign provider tokens"))
    #expect(!outcome.errors.contains("TOPSECRET"))
    let usage = try tool.run(
      "push", "token", "--auth-key", "key.p8", "--auth-key-id", "short", "--team-id", "x")
    #expect(usage.status == 2 && usage.errors.contains("ten letters and digits"))
  }

  @Test func aSilentPushIsCorrectByDefault() throws {
    let server = try LocalServer(nil) { Self.acceptance(of: $0) }
    let outcome = try tool.run(
      ["push", "send", "--token", token("A"), "--topic", "com.example.app", "--silent", "--json", "--server"]
        + ["http://127.0.0.1:\(server.port)"] + Self.keyFlags)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let result = try outcome.json()
    #expect(result["type"] as? String == "push" && result["status"] as? Int == 200)
    #expect(result["outcome"] as? String == "accepted")
    let request = try #require(server.requests.first)
    #expect(request.target == "/3/device/\(token("a"))")
    #expect(request.fields["apns-push-type"] == "background" && request.fields["apns-priority"] == "5")
    #expect(request.fields["apns-topic"] == "com.example.app")
    #expect(request.fields["apns-id"] == result["apns_id"] as? String)
    #expect(request.body == Array(#"{"aps":{"content-available":1}}"#.utf8))
  }

  /// Exit 1 with reason and advice; over TLS, with the payload byte for byte.
  @Test func aRefusalSaysWhatToDo() throws {
    let certificate = try LocalCertificate(["127.0.0.1", "localhost"])
    try certificate.writeAuthority(to: tool)
    let server = try LocalServer(certificate) { request in
      request.target.contains("bb")
        ? HTTPResponse(status: 410, body: Array(#"{"reason":"Unregistered","timestamp":1454402113000}"#.utf8))
        : Self.acceptance(of: request)
    }
    let payload = "{ \"aps\": {\"alert\":\"Hi\"} }\n"
    try tool.write(payload, to: "payload.json")
    try tool.write("\(token("a"))\n\n\(token("b"))\n", to: "tokens")
    let outcome = try tool.run(
      ["push", "send", "--tokens", "tokens", "--topic", "com.example.app", "--payload", "payload.json"]
        + ["--server", "https://localhost:\(server.port)", "--ca", "ca.pem"] + Self.keyFlags)
    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.output.contains("rejected: 410 Unregistered. The app is gone from the device."))
    #expect(outcome.output.hasSuffix("1 accepted, 1 rejected, 0 deferred\n"))
    #expect(server.requests.allSatisfy { $0.body == Array(payload.utf8) })
  }

  @Test func nothingIsSentWhenAnErrorIsFoundFirst() throws {
    try tool.write(#"{"aps":{"content_available":1}}"#, to: "payload.json")
    let send = [
      "push", "send", "--token", token("a"), "--topic", "com.example.app", "--payload", "payload.json",
    ]
    let outcome = try tool.run(send + ["--server", "http://127.0.0.1:1"] + Self.keyFlags)
    #expect(outcome.status == 2 && outcome.errors.contains("push.misspelt-key"))
    let plan = try tool.run(send + ["--dry-run", "--force", "--push-type", "voip", "--json"])
    #expect(plan.status == 0)
    let headers = try plan.json()["headers"] as? [String: String]
    #expect(headers?["apns-topic"] == "com.example.app.voip" && headers?["authorization"] == nil)
  }

  /// A dry run fails where sending would, with a key that cannot be used as well.
  @Test(arguments: [
    "push send --token TOKEN --alert Hi",
    "push activity start --token TOKEN --attributes-type A --attributes {} --content-state {} --alert Hi",
    "push activity update --token TOKEN --content-state {}",
    "push activity update --channel dHN0LXNyY2gtY2hubA== --content-state {}",
    "push channel send --channel dHN0LXNyY2gtY2hubA== --payload p.json",
  ])
  func aDryRunReadsTheKeyThatItNames(_ text: String) throws {
    try tool.write(#"{"aps":{"event":"update","timestamp":1700000000,"content-state":{}}}"#, to: "p.json")
    try tool.write("no key", to: "broken.p8")
    let words = text.split(separator: " ").map { $0 == "TOKEN" ? token("a") : String($0) }
    let send = words + ["--topic", "com.example.app", "--server", "http://127.0.0.1:1"]
    let dry = send + ["--dry-run"]
    #expect(try tool.run(dry).status == 0)
    #expect(try tool.run(dry + Self.keyFlags).status == 0)
    for flags in [
      ["--auth-key", "broken.p8"] + Self.keyFlags.dropFirst(2), ["--auth-key", "key.p8"], ["--team-id", "x"],
      Self.keyFlags.dropLast() + ["x"],
    ] {
      let (sent, shown) = (try tool.run(send + flags), try tool.run(dry + flags))
      #expect(sent.status == 2 && shown.status == 2, "\(flags)")
      #expect(shown.errors == sent.errors && shown.output.isEmpty, "\(shown.errors)\(sent.errors)")
    }
  }

  /// A dry run fails where sending would.
  @Test(arguments: [["--connections", "0"], ["--patience", "soon"], ["--ca", "missing.pem"]])
  func aDryRunReadsTheOtherFlagsToo(flags: [String]) throws {
    let send = ["push", "send", "--token", token("a"), "--topic", "com.example.app", "--alert", "Hi"]
    let sent = try tool.run(send + ["--server", "http://127.0.0.1:1"] + Self.keyFlags + flags)
    let dry = try tool.run(send + ["--dry-run"] + flags)
    // Sending reads the key first, and warns of one that others can read.
    #expect(sent.status == 2 && dry.status == 2 && sent.errors.hasSuffix(dry.errors), "\(dry.errors)")
    #expect(dry.output.isEmpty)
  }

  /// Every command that sends refuses it in the same words, also with `--force`: no header can carry it.
  @Test(arguments: [
    ("-1", "≥ 0"), ("soon", "≥ 0"), ("1.5", "≥ 0"),
    ("9223372036854775808", "from 0 to 9223372036854775807"),
  ])
  func anExpirationThatIsNoTimeIsRefused(expiration: String, range: String) throws {
    try tool.write(#"{"aps":{"event":"update","timestamp":1700000000,"content-state":{}}}"#, to: "p.json")
    let channel = ["--channel", "dHN0LXNyY2gtY2hubA=="]
    let dry = ["--dry-run", "--force"]
    for send in [
      ["send", "--token", token("a"), "--alert", "Hi"] + dry,
      ["activity", "update", "--token", token("a"), "--content-state", "{}"] + dry,
      ["channel", "send", "--payload", "p.json"] + channel + dry,
      ["campaign", "create", "--registry", "sqlite:r.db", "--all", "--environment", "production"]
        + ["--alert", "Hi"],
    ] {
      let outcome = try tool.run(
        ["push"] + send + ["--topic", "com.example.app", "--expiration", expiration])
      let message = "'--expiration': expected an integer \(range), got '\(expiration)'."
      #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
      #expect(outcome.output.isEmpty && !outcome.errors.contains("push.expiration"), "\(outcome.errors)")
    }
  }

  /// A channel that is none would be an activity that no broadcast reaches.
  @Test(arguments: [
    (["--attributes", "{}", "--channel", "zzz"], "'--channel': 'zzz' is not an identifier in Base64."),
    (["--attributes", "[1]"], "'--attributes' is an array; expected an object."),
    (["--attributes", "{}", "--attributes-type", ""], "without 'attributes-type'"),
  ])
  func anActivityIsNotStartedWithWhatIsNone(flags: [String], message: String) throws {
    let type = flags.contains("--attributes-type") ? [] : ["--attributes-type", "Game"]
    let outcome = try tool.run(
      ["push", "activity", "start", "--token", token("a"), "--topic", "com.example.app", "--dry-run"]
        + ["--content-state", "{}", "--alert", "Kick-off"] + type + flags)
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  /// As the server warns over the API; what a rule finds is told once.
  @Test(arguments: [
    ("1700000000", "warning: '--expiration': It is in the past, so no device gets the push.\n"),
    ("3600", "[push.past-expiration]"), ("0", ""), ("4102444800", ""),
  ])
  func anExpirationThatIsOverIsWarnedOf(expiration: String, words: String) throws {
    try tool.write(#"{"aps":{"event":"update","timestamp":1700000000,"content-state":{}}}"#, to: "p.json")
    let to = ["--topic", "com.example.app", "--dry-run", "--expiration", expiration]
    let channel = ["--channel", "dHN0LXNyY2gtY2hubA=="]
    for send in [
      ["send", "--token", token("a"), "--alert", "Hi"],
      ["activity", "update", "--token", token("a"), "--content-state", "{}"],
      ["activity", "update", "--content-state", "{}"] + channel,
      ["channel", "send", "--payload", "p.json"] + channel,
    ] {
      let outcome = try tool.run(["push"] + send + to)
      #expect(outcome.status == 0)
      #expect(words.isEmpty ? outcome.errors.isEmpty : outcome.errors.contains(words), "\(outcome.errors)")
      #expect(outcome.errors.contains("It is in the past") == words.contains("It is in the past"))
    }
  }

  @Test func aServerThatIsNotThereIsNotNow() throws {
    let outcome = try tool.run(
      ["push", "send", "--token", token("a"), "--topic", "com.example.app", "--alert", "Hi", "--json"]
        + ["--server", "http://127.0.0.1:1", "--patience", "20"] + Self.keyFlags)
    #expect(outcome.status == 2)
    #expect(try outcome.json()["outcome"] as? String == "not-now")
    #expect(try outcome.json()["next"] as? String == "retry")
  }
}
