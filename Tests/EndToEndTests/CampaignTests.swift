import Foundation
import TestSupport
import Testing

/// Notifications and campaigns as a person runs them: `serve` with a key, the stand-in for APNs, `push campaign`.
@Suite("Campaign program", .timeLimit(.minutes(15)))
struct CampaignTests {
  let tool: Tool
  private static let store = ["--registry", "sqlite:registry.db"]

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
  }

  private func standIn(_ rules: String = "{}") throws -> StandIn {
    try tool.write(rules, to: "rules.json5")
    return try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl",
        "--rules", "rules.json5",
      ]
        + PushTests.keyFlags)
  }

  private func server(_ standIn: StandIn, _ more: String...) throws -> OperatedServer {
    try OperatedServer(
      tool,
      Self.store + PushTests.keyFlags + ["--apns", standIn.url, "--apns-ca", "ca.pem", "--apns-retry", "1"]
        + more)
  }

  private func credential() throws -> String {
    let scopes = ["devices", "notifications", "campaigns"].flatMap { ["\($0):read", "\($0):write"] }
    let outcome = try tool.run(
      ["token", "create", "--scope", scopes.joined(separator: ",")] + Self.store)
    return outcome.lines.first ?? ""
  }

  private func call(
    _ server: OperatedServer, _ access: String, _ method: String, _ path: String, _ body: String? = nil
  ) throws -> [String: Any] {
    var words = ["-X", method, "-H", "Authorization: Bearer \(access)"]
    if let body { words += ["-H", "Content-Type: application/json", "-d", body] }
    let text = try tool.curl(words + ["http://127.0.0.1:\(server.port)\(path)"])
    return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  /// What is at a path once it has ended.
  private func ended(_ server: OperatedServer, _ access: String, _ path: String) throws -> [String: Any] {
    while true {
      let found = try call(server, access, "GET", path)
      if found["finished_at"] is String { return found }
    }
  }

  private func token(_ number: Int) -> String { String(format: "%064x", number) }

  private func record() throws -> [[String: Any]] {
    try tool.text("record.jsonl").split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test func aNotificationReachesAPNsAndADeadTokenIsForgotten() throws {
    let standIn = try standIn("{rules: [{token: \"\(token(2))\", answer: 410}]}")
    let access = try credential()
    let server = try server(standIn)
    for number in 1...2 {
      _ = try call(
        server, access, "PUT", "/v1/devices/\(token(number))",
        #"{"topic":"com.example.app","environment":"sandbox","alias":"user\#(number)"}"#)
    }
    let made = try call(
      server, access, "POST", "/v1/notifications",
      #"{"topic":"com.example.app","environment":"sandbox","payload":{ "aps" : {"alert":"Hé"} },"aliases":["user1","user2"]}"#
    )
    let path = "/v1/notifications/\(try #require(made["id"] as? String))"
    let end = try ended(server, access, path)
    #expect(end["state"] as? String == "completed")
    #expect((end["deliveries"] as? [String: Int])?["accepted"] == 1)
    #expect(end["reasons"] as? [String: Int] == ["Unregistered": 1])
    let dead = try call(server, access, "GET", "/v1/devices/\(token(2))")
    #expect(dead["unregistered_reason"] as? String == "Unregistered")
    let journal = try call(server, access, "GET", "/v1/deliveries?reason=Unregistered")
    let journalOfToken = try call(server, access, "GET", "/v1/deliveries?token=\(token(2))")
    #expect(journal["deliveries"] as? NSArray == journalOfToken["deliveries"] as? NSArray)
    #expect((journal["deliveries"] as? [[String: Any]])?.count == 1)
    let metrics = try server.admin("/metrics")
    #expect(metrics.contains(#"linkspan_push_deliveries_total{outcome="rejected",reason="Unregistered"} 1"#))
    #expect(metrics.contains("linkspan_push_tokens_forgotten_total 1"))
    #expect(server.end() == 0)
    let accepted = try #require(try record().first { $0["status"] as? Int == 200 })
    #expect(accepted["payload_bytes"] as? Int == #"{ "aps" : {"alert":"Hé"} }"#.utf8.count)
  }

  private static let push = ["--topic", "com.example.app", "--environment", "production", "--alert", "Hi"]

  private func importDevices(_ count: Int) throws {
    let lines = (0..<count).map {
      #"{"token":"\#(token($0))","topic":"com.example.app","environment":"production","#
        + #""locale":"\#($0 % 2 == 0 ? "de" : "fr")","last_seen_at":"2026-01-01T00:00:00Z"}"#
    }
    try tool.write(lines.joined(separator: "\n"), to: "devices.jsonl")
    #expect(try tool.run(["registry", "import", "devices.jsonl"] + Self.store).status == 0)
  }

  private func campaignCount() throws -> Int {
    try tool.run(["push", "campaign", "list"] + Self.store).lines.count
  }

  /// A person gave flags, and no members of a body.
  @Test func errorsOfTheRegistryNameTheFlag() throws {
    try importDevices(3)
    let create = ["push", "campaign", "create", "--all", "--yes", "--paused"] + Self.push + Self.store
    let errors: [([String], String)] = [
      (
        ["--quiet-hours", "22:00-22:00"],
        "'--quiet-hours': expected two different times of day such as 22:00-08:00"
      ),
      (["--quiet-hours", "22-8"], "'--quiet-hours': expected two different times of day such as 22:00"),
      (["--quiet-hours", "00:01-00:00"], "'--quiet-hours': They leave one minute of the day"),
      (
        ["--cap", "0/60"],
        "'--cap': expected 1 to 1000 campaigns in 1 to 2592000 seconds such as 2/86400, got '0/60'"
      ),
      (["--throttle", "9999999"], "'--throttle': expected an integer from 1 to 1000000, got '9999999'."),
      (["--throttle", "0"], "'--throttle': expected an integer from 1 to 1000000, got '0'."),
      (["--holdout", "2"], "'--holdout': Expected a share from 0 to 1, such as 0.25."),
    ]
    for (flags, words) in errors {
      let outcome = try tool.run(create + flags)
      #expect(outcome.status == 2 && outcome.errors.contains(words), "\(flags): \(outcome.errors)")
      #expect(!outcome.errors.contains("{") && !outcome.errors.contains("/quiet_hours"))
    }
    for command in ["create", "estimate"] {
      let json = try tool.run(
        ["push", "campaign", command, "--all", "--local-time", "25:00", "--json"] + Self.push + Self.store)
      #expect(json.status == 2 && json.errors.contains("'--local-time'"))
      let refusal = try json.json()
      #expect(refusal["type"] as? String == "refused" && refusal["status"] is Int, "\(json.output)")
      #expect((refusal["detail"] as? String)?.contains("'--local-time': ") == true, "\(json.output)")
    }
    let conditions = try tool.run(
      ["push", "campaign", "estimate", "--from-version", "3", "--below-version", "2"] + Self.push + Self.store
    )
    #expect(
      conditions.errors.contains(
        "'--below-version': No device fits: '--below-version' has to be later than '--from-version'."),
      "\(conditions.errors)")
    let late = try tool.run(create + ["--local-time", "23:00", "--quiet-hours", "22:00-08:00"])
    #expect(late.errors.contains("warning: '--local-time': It is in the quiet hours"), "\(late.errors)")
    #expect(try tool.run(create + ["--key", "one"]).status == 0)
    let repeated = try tool.run(create + ["--key", "one", "--name", "another"])
    #expect(repeated.status == 2)
    #expect(repeated.errors.contains("The '--key' was used for another request."), "\(repeated.errors)")
  }

  /// Two locales can be everybody: 2,999 of 2,999 devices. The number counts, not the flag that chose them.
  @Test func conditionsThatFitEverybodyAreAskedAboutAsWell() throws {
    try importDevices(2_999)
    let create = ["push", "campaign", "create"] + Self.push + Self.store
    for chosen in [["--locale", "de", "--locale", "fr"], ["--all"]] {
      let refused = try tool.run(create + chosen)
      #expect(refused.status == 2 && refused.output == "")
      #expect(
        refused.errors.contains(
          "the campaign would reach 2999 devices; a campaign to so many has to be confirmed"))
      #expect(refused.errors.contains("add '--confirm 2999'"))
    }
    for (flags, status) in [([], "409"), (["--confirm", "5"], "409"), (["--ask-above", "5"], "null")] {
      let json = try tool.run(create + ["--all", "--json"] + flags)
      #expect(json.status == 2 && json.lines.count == 1, "\(json.errors)")
      #expect(
        json.output.hasPrefix(
          #"{"type":"refused","status":\#(status),"detail":"the campaign would reach 2999 devices"#),
        "\(json.output)")
    }
    let low = try tool.run(create + ["--all", "--confirm", "2969"])
    #expect(low.status == 2)
    #expect(low.errors.contains("would reach 2999 devices, and '--confirm' allows 2969. Nothing was sent."))
    #expect(try campaignCount() == 0)
    // One in a hundred more is let pass: 2970 and 29.
    for flags in [["--confirm", "2970"], ["--yes"], ["--ask-above", "2999"]] {
      #expect(try tool.run(create + ["--all", "--paused"] + flags).status == 0, "\(flags)")
    }
    #expect(try campaignCount() == 3)
    let both = try tool.run(create + ["--all", "--yes", "--confirm", "3000"])
    #expect(both.status == 2 && both.errors.contains("'--confirm' sets a bound, and '--yes' none"))
  }

  @Test func aServerAsksAboveItsOwnNumber() throws {
    try importDevices(30)
    let access = try credential()
    try tool.write("{server: {ask_above: 20}}", to: "linkspan.json5")
    let server = try OperatedServer(tool, Self.store + ["--config", "linkspan.json5"])
    let body =
      #"{"topic":"com.example.app","environment":"production","payload":{"aps":{"alert":"Hi"}},"audience":"all"}"#
    #expect(try call(server, access, "POST", "/v1/campaigns", body)["count"] as? Int == 30)
    try tool.write(access + "\n", to: "token")
    let create =
      [
        "push", "campaign", "create", "--all", "--server", "http://127.0.0.1:\(server.port)", "--token-file",
        "token",
      ]
      + Self.push
    #expect(try tool.run(create).status == 2)
    #expect(try tool.run(create + ["--key", "monday", "--yes"]).status == 0)
    #expect(try tool.run(create + ["--key", "monday", "--yes"]).status == 0)
    #expect(try campaignCount() == 1)
  }

  @Test(.enabled(if: PlayedTerminal.isThere, Comment(rawValue: PlayedTerminal.isMissing)))
  func theTerminalAsksWithTheCount() throws {
    try importDevices(30)
    let create = ["push", "campaign", "create", "--all", "--ask-above", "20"] + Self.push + Self.store
    let no = try PlayedTerminal.run(tool, create, typing: "n\n")
    #expect(no.status == 1)
    #expect(no.text.contains("the campaign would reach 30 devices. Start it? [y/N] "), "\(no.text)")
    #expect(try campaignCount() == 0)
    #expect(try PlayedTerminal.run(tool, create, typing: "\n").status == 1)
    let yes = try PlayedTerminal.run(tool, create, typing: "y\n")
    #expect(yes.status == 0, "\(yes.text)")
    #expect(try campaignCount() == 1)
  }

  @Test func aCampaignIsRunFromTheCommandLine() throws {
    let lines = (0..<300).map {
      #"{"token":"\#(token($0))","topic":"com.example.app","environment":"production","tags":["t\#($0 % 3)"],"#
        + #""time_zone":"Europe/Vienna","last_seen_at":"2026-01-01T00:00:00Z"}"#
    }
    try tool.write(lines.joined(separator: "\n"), to: "devices.jsonl")
    #expect(try tool.run(["registry", "import", "devices.jsonl"] + Self.store).status == 0)
    let push = ["--topic", "com.example.app", "--environment", "production", "--alert", "Hi"]
    let all = try tool.run(["push", "campaign", "create", "--all", "--ask-above", "299"] + push + Self.store)
    #expect(all.status == 2)
    #expect(
      all.errors
        == "linkspan push campaign create: error: the campaign would reach 300 devices; a campaign to so many has "
        + "to be confirmed. Nothing was sent.\n  To send it to all of them, add '--confirm 300', or '--yes' in a script "
        + "that does not know the number.\n")
    let estimate = try tool.run(
      ["push", "campaign", "estimate", "--tag", "t1", "--throttle", "10", "--json"] + push + Self.store)
    #expect(try estimate.json()["devices"] as? Int == 100)
    #expect(try estimate.json()["seconds"] as? Int == 10)
    let mistyped = try tool.run(
      ["push", "campaign", "estimate", "--all", "--topic", "com.example.ap", "--environment", "production"]
        + ["--alert", "Hi"] + Self.store)
    #expect(
      mistyped.errors
        == "warning: '--topic': The registry has no device of 'com.example.ap' in 'production', so nothing would be sent.\n"
    )
    let active = ["--without-tag", "t0", "--without-tag", "t2", "--not-seen-for", "86400", "--json"]
    let chosen = try tool.run(["push", "campaign", "estimate"] + active + push + Self.store)
    #expect(try chosen.json()["devices"] as? Int == 100)
    let counted = try tool.run(
      ["registry", "count", "--without-tag", "t1", "--seen-within", "60"] + Self.store)
    #expect(counted.output == "0\n")
    let never: [(flags: [String], error: String)] = [
      (
        ["--seen-within", "60", "--not-seen-for", "60"],
        "'--not-seen-for': No device fits: '--seen-within' has to be more than '--not-seen-for'."
      ),
      (
        ["--from-version", "2", "--below-version", "2.0"],
        "'--below-version': No device fits: '--below-version' has to be later than '--from-version'."
      ),
      (
        ["--tag", "a", "--tag", "b", "--without-tag", "b"],
        "'--without-tag': No device fits: 'b' is one of '--tag' as well."
      ),
      (
        ["--any-tag", "a", "--without-tag", "a"],
        "'--without-tag': No device fits: every tag of '--any-tag' is here as well."
      ),
      (
        ["--from-version", "v2"],
        "'--from-version': Expected a version that begins with a number, such as \"2.10\"."
      ),
      (
        ["--locale", "de", "--locale", ""],
        "'--locale': Expected a string of 1 to 255 characters without control characters."
      ),
      (
        ["--any-tag", ""],
        "'--any-tag': Expected a string of 1 to 64 characters without control characters."
      ),
      (
        ["--topic", "a b"],
        "'--topic' is not a bundle identifier: up to 255 letters, digits, '.', '-' and '_'."
      ),
    ]
    for (flags, error) in never {
      let impossible = try tool.run(["registry", "count"] + flags + Self.store)
      #expect(impossible.status == 2 && impossible.errors.contains(error), "\(impossible.errors)")
    }
    for command in [["registry", "count"], ["push", "campaign", "estimate", "--json"] + push] {
      let long = try tool.run(command + ["--seen-within", "315360001"] + Self.store)
      #expect(long.status == 2)
      #expect(
        long.errors.contains(
          "'--seen-within': expected an integer from 1 to 315360000, got '315360001'."), "\(long.errors)")
    }
    let made = try tool.run(
      ["push", "campaign", "create", "--tag", "t1", "--paused", "--name", "news"] + push + Self.store)
    #expect(
      made.output == "campaign 1 (news): paused, 100 devices of com.example.app, 100 not yet queued\n",
      "\(made.errors)")
    let standIn = try standIn()
    let access = try credential()
    let server = try server(standIn)
    try tool.write(access + "\n", to: "token")
    try tool.restrict("token")
    let place = ["--server", "http://127.0.0.1:\(server.port)", "--token-file", "token"]
    #expect(try tool.run(["push", "campaign", "resume", "1"] + place).status == 0)
    _ = try ended(server, access, "/v1/campaigns/1")
    let shown = try tool.run(["push", "campaign", "show", "1"] + place)
    #expect(shown.output == "campaign 1 (news): completed, 100 devices of com.example.app, 100 accepted\n")
    for (words, status, detail) in [
      (["cancel", "1"], 409, "The campaign is completed, so it stays as it is."),
      (["show", "2"], 404, "There is no such campaign."),
      (["pause", "2"], 404, "There is no such campaign."),
    ] {
      let text = try tool.run(["push", "campaign"] + words + place)
      #expect(text.status == 1 && text.output.isEmpty && text.errors == detail + "\n")
      let json = try tool.run(["push", "campaign"] + words + ["--json"] + place)
      #expect(json.status == 1 && json.errors.isEmpty)
      #expect(json.output == #"{"type":"refused","status":\#(status),"detail":"\#(detail)"}"# + "\n")
    }
    let list = try tool.run(["push", "campaign", "list", "--json"] + place)
    #expect(try list.json()["type"] as? String == "campaign")
    let morning = try tool.run(
      ["push", "campaign", "estimate", "--all", "--local-time", "09:00", "--json"] + push + place)
    #expect((try morning.json()["waves"] as? [[String: Any]])?.count == 1)
    let friday = try tool.run(
      ["push", "campaign", "estimate", "--all", "--repeat", "FREQ=MONTHLY;BYDAY=-1FR"] + push + place)
    #expect(friday.lines.count == 3 && friday.lines[2].hasSuffix(": 300"), "\(friday.lines)")
    #expect(server.end() == 0)
    #expect(Set(try record().compactMap { $0["token"] as? String }).count == 100)
  }

  /// What JSON says of a campaign, the text says as well.
  @Test func aCampaignSaysWhatWasAskedFor() throws {
    try importDevices(4)
    let payload = #"{"aps":{"alert":"Hi"}}"#
    try tool.write(#"{"default":\#(payload),"de":\#(payload)}"#, to: "payloads.json")
    try tool.write(#"[{"name":"b","share":0.25,"payload":\#(payload)}]"#, to: "variants.json")
    let made = try tool.run(
      [
        "push", "campaign", "create", "--topic", "com.example.app", "--environment", "production", "--all",
        "--payloads", "payloads.json", "--variants", "variants.json", "--holdout", "0.1", "--cap", "2/60",
        "--quiet-hours", "22:00-08:00", "--local-time", "09:00", "--throttle", "5", "--paused",
        "--starts-at", "2999-12-24T09:00:00.123456+01:00", "--repeat", "FREQ=DAILY",
      ] + Self.store)
    #expect(made.status == 0, "\(made.errors)")
    let shown = try tool.run(["push", "campaign", "show", "1"] + Self.store)
    #expect(shown.output == made.output)
    #expect(
      shown.lines == [
        "campaign 1: paused, 4 devices of com.example.app, starts at 2999-12-24T08:00:00.123Z, 4 not yet queued",
        "  at 09:00 of each device; at most 5 pushes a second; repeats FREQ=DAILY, occurrence 1;"
          + " quiet hours 22:00 to 08:00; at most 2 to a person in 60 s; holdout 0.1; languages default, de",
        "  variant b: 0 devices, share 0.25",
      ])
    let list = try tool.run(["push", "campaign", "list"] + Self.store)
    #expect(list.lines == [shown.lines[0], shown.lines[2]])
  }

  /// A campaign has a payload, or variants that have one each, or both.
  @Test func aCampaignHasSomethingToSend() throws {
    try importDevices(2)
    try tool.write(#"[{"name":"b","share":1,"payload":{"aps":{"alert":"Hi"}}}]"#, to: "variants.json")
    try tool.write("[]", to: "list.json")
    let estimate =
      ["push", "campaign", "estimate", "--topic", "com.example.app", "--environment", "production", "--all"]
      + Self.store
    let none = try tool.run(estimate)
    #expect(
      none.status == 2
        && none.errors.contains(
          "exactly one of '--payload', '--payloads', '--alert' and '--silent' is required, unless '--variants'"
        ))
    for words in [
      ["--alert", "Hi"], ["--variants", "variants.json"], ["--alert", "Hi", "--variants", "variants.json"],
    ] {
      let outcome = try tool.run(estimate + words)
      #expect(outcome.status == 0 && outcome.output == "2 devices\n", "\(words): \(outcome.errors)")
    }
    try tool.write("{}", to: "object.json")
    let object = try tool.run(estimate + ["--variants", "object.json"])
    #expect(
      object.status == 2
        && object.errors.contains(
          #"For example: [{"name":"a","share":0.5,"payload":{"aps":{"alert":"Hello"}}}]."#),
      "\(object.errors)")
    // What is given besides variants is read, too.
    let wrong = try tool.run(estimate + ["--payload", "list.json", "--variants", "variants.json"])
    #expect(wrong.status == 2 && wrong.errors.contains("'list.json' is an array"), "\(wrong.errors)")
    #expect(wrong.output.isEmpty)
  }

  /// At an address that answers /readyz, as that of `--admin`, or any with local pages.
  @Test func theDoctorReadsWhetherTheRegistryTakesChanges() throws {
    let server = try server(try standIn(), "--local-pages")
    let doctor = try tool.run("registry", "doctor", "--server", "http://127.0.0.1:\(server.port)")
    #expect(doctor.status == 0, "\(doctor.output)")
    #expect(doctor.output.hasSuffix("ok  changes: /readyz says ready\n"), "\(doctor.output)")
  }

  /// The address of `--admin` has no API, which is no fault of the server.
  @Test func theDoctorReadsTheAddressOfOperators() throws {
    let server = try OperatedServer(tool, Self.store)
    let admin = "http://127.0.0.1:\(server.adminPort)"
    let doctor = try tool.run("registry", "doctor", "--server", admin)
    #expect(
      doctor.output == """
        --  API: not asked; \(admin) is the address of 'serve --admin', and the API has another one
        ok  changes: /readyz says ready

        """)
    #expect(doctor.status == 0)
    #expect(server.end() == 0)
  }

  @Test func theDoctorAsksAsClientsDo() throws {
    let standIn = try standIn()
    let access = try credential()
    try tool.write(access, to: "token")
    let server = try server(standIn, "--legacy-topic", "com.example.app", "--legacy-environment", "sandbox")
    let base = "http://127.0.0.1:\(server.port)"
    let good = try tool.run("registry", "doctor", "--server", base, "--token-file", "token")
    #expect(
      good.output == """
        ok  API: \(base)/v1 answers
        ok  credential: it may read devices
        ok  clients of 2013: they reach it at \(base)/ and \(base)/push_notification/
        --  changes: not checked; /readyz says whether the registry takes them, at the address of 'serve --admin'

        """)
    let wrong = try tool.run("registry", "doctor", "--server", base + "/v1")
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("the base address is the server's root, without /v1"))
    let store = try tool.run(["registry", "doctor", "--json"] + Self.store)
    #expect(store.status == 0, "\(store.output)")
    #expect(try store.json()["detail"] as? String == "whole")
    #expect(try tool.run(["registry", "backup", "copy.db"] + Self.store).output == "copied to copy.db\n")
    let copied = try tool.run("token", "list", "--registry", "sqlite:copy.db")
    #expect(copied.output == (try tool.run(["token", "list"] + Self.store)).output)
    let nowhere = try tool.run(["registry", "backup", "none/copy.db"] + Self.store)
    #expect(nowhere.status == 2)
    #expect(
      nowhere.errors.contains("error: The copy 'none/copy.db' cannot be written: 'none' cannot be opened: "),
      "\(nowhere.errors)")
    let again = try tool.run(["registry", "backup", "copy.db"] + Self.store)
    #expect(again.status == 2)
    #expect(again.errors.contains("The file must not exist"))
    #expect(server.end() == 0)
  }

  @Test func aKeyIsReplacedWithoutARestart() throws {
    let standIn = try standIn()
    let access = try credential()
    let other = try tool.program(
      "/usr/bin/env", ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
    try tool.write(
      String(other.output[other.output.firstRange(of: "-----BEGIN")!.lowerBound...]), to: "key.p8")
    try tool.restrict("key.p8")
    let server = try server(standIn, "--no-watch")
    let body =
      #"{"topic":"com.example.app","environment":"production","payload":{"aps":{"alert":"Hi"}},"tokens":["\#(token(7))"]}"#
    let made = try call(server, access, "POST", "/v1/notifications", body)
    let path = "/v1/notifications/\(try #require(made["id"] as? String))"
    // Held, and nothing is lost.
    while try !server.admin("/metrics").contains(#"linkspan_push_held{environment="production"} 1"#) {}
    #expect(try call(server, access, "GET", path)["state"] as? String == "running")
    try tool.write(PushTests.key, to: "key.p8")
    server.signal(SIGHUP)
    #expect((try ended(server, access, path)["deliveries"] as? [String: Int])?["accepted"] == 1)
    #expect(try server.errors.contains("refuses the key for provider tokens: InvalidProviderToken"))
    #expect(server.end() == 0)
  }

  @Test func anAPNsThatCannotBeReachedIsToldOnce() throws {
    let access = try credential()
    let server = try OperatedServer(
      tool,
      Self.store + PushTests.keyFlags + ["--apns", "http://127.0.0.1:1", "--sender-lease", "1"])
    _ = try call(
      server, access, "POST", "/v1/notifications",
      #"{"topic":"com.example.app","environment":"production","payload":{"aps":{"alert":"Hi"}},"tokens":["\#(token(7))"]}"#
    )
    let retried = /linkspan_push_retries_total\{reason="connection"\} ([3-9]|\d\d)/
    while try !server.admin("/metrics").contains(retried) {}
    // Between two attempts nothing is due, and the push is still wanted.
    while try server.admin("/metrics").contains("linkspan_push_lag_seconds 0.") {}
    let lines = try server.errors.split(separator: "\n")
    #expect(
      lines.count { $0.contains("APNs (production) cannot be reached at http://127.0.0.1:1: ") } == 1,
      "\(lines)")
    #expect(server.end() == 0)
  }

  static let misuses: [([String], String)] = [
    (
      ["serve", "--apns-connections", "65"] + store, "'--apns-connections': expected an integer from 1 to 64"
    ),
    (
      ["serve", "site", "--apns-retry", "5"],
      "'--apns-retry' needs '--registry', '--auth-key', '--auth-key-id' and '--team-id'"
    ),
    (["serve", "--sender-lease", "5"] + store, "'--sender-lease' needs '--auth-key', '--auth-key-id'"),
    (["serve", "site", "--apns-ca", "nofile"], "'--apns-ca' needs '--registry', '--auth-key'"),
    (["serve", "--auth-key", "key.p8"], "'--auth-key' needs '--registry'"),
    (["serve", "--auth-key", "key.p8"] + store, "'--auth-key' needs '--auth-key-id' and '--team-id', too"),
    (["serve", "--apns", "https://127.0.0.1:1"] + store, "'--apns' needs '--auth-key'"),
    (["push", "campaign"], "COMMAND is missing"),
    (["push", "campaign", "creat"], "Did you mean 'create'?"),
    (["push", "campaign", "list"], "exactly one of '--server' and '--registry' is required"),
    (["push", "campaign", "show", "x"] + store, "'x' is not the identifier of a campaign"),
    (
      ["push", "campaign", "create", "--topic", "a.b", "--environment", "sandbox", "--alert", "Hi"] + store,
      "name devices with conditions such as '--tag', or every device with '--all'"
    ),
    (
      [
        "push", "campaign", "create", "--topic", "a.b", "--environment", "sandbox", "--alert", "Hi", "--all",
        "--holdout",
        "0,1",
      ] + store, "'--holdout': expected a share such as 0.1, got '0,1'"
    ),
  ]

  @Test(arguments: misuses.indices)
  func refusesMisuse(_ index: Int) throws {
    let outcome = try tool.run(Self.misuses[index].0)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(Self.misuses[index].1), "\(outcome.errors)")
  }

  static let soaks: [(name: String, words: [String], isPostgres: Bool)] = [
    ("kills", ["kills", "--kills", "4"], false), ("kills", ["kills", "--kills", "4"], true),
    ("campaign", ["campaign", "--count", "3000", "--kills", "2", "--pause", "0.6"], false),
    ("two", ["two", "--count", "3000", "--pause", "1"], true),
    ("full", ["full", "--count", "1000"], false),
  ]

  /// The full numbers are `Scripts/soak-campaigns`.
  @Test(arguments: soaks.indices)
  func nothingIsLostOrSentTwiceUnlisted(_ index: Int) throws {
    let soak = Self.soaks[index]
    var words = soak.words
    if soak.isPostgres {
      guard let server = PostgresServer.address("postgres") else { return }
      let name = "soak\(index)"
      let made = try tool.program("/usr/bin/env", ["psql", "-q", server, "-c", "CREATE DATABASE \(name)"])
      #expect(made.status == 0, "\(made.output)")
      words += ["--store", try #require(PostgresServer.address(name))]
    }
    let process = Process()
    process.executableURL = Fixtures.root.appending(path: "Scripts/soak-campaigns")
    process.arguments = words
    process.environment = ["PATH": "/usr/bin:/bin", "LINKSPAN": Tool.binary.path, "TMPDIR": tool.folder.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(said.hasSuffix("nothing lost, nothing sent twice unlisted\n"), "\(said)")
  }
}
