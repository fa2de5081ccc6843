import Foundation
import TestSupport
import Testing

/// `linkspan explain --push`: whether a push would wake an app, as a person asks it.
@Suite struct ExplainPushTests {
  static func example(_ name: String) -> String {
    Fixtures.root.appending(path: "Examples/push/\(name)").path
  }

  static let silent = example("silent.apns")
  static let app = ["--app", example("App.entitlements"), "--info-plist", example("Info.plist")]

  /// The verdict for the wake, and its reason.
  static func wakes(_ json: [String: Any]) -> String {
    let wakes = json["wakes"] as? [String: Any]
    return "\(wakes?["verdict"] ?? "")" + ((wakes?["reason"] as? String).map { " " + $0 } ?? "")
  }

  @Test func aPushThatIsSetUpRightWakesTheApp() throws {
    let outcome = try Tool().run(["explain", "--push", Self.silent] + Self.app)
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines.allSatisfy { $0.count <= 100 || $0.contains(Self.silent) })
    #expect(
      outcome.lines.contains {
        $0.hasSuffix(
          "background, priority 5, production server, app suspended: wakes the app, shows no alert")
      })
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var flags: [String]
    var verdict: String

    var testDescription: String { flags.joined(separator: " ") }
  }

  static let rows = [
    Row(flags: ["--state", "force-quit"], verdict: "no force-quit"),
    Row(flags: ["--state", "never-launched"], verdict: "no never-launched"),
    Row(flags: ["--environment", "sandbox"], verdict: "no wrong-environment"),
    Row(flags: ["--build", "development", "--environment", "production"], verdict: "no wrong-environment"),
    Row(flags: ["--topic", "com.example.other"], verdict: "no wrong-topic"),
    Row(flags: ["--priority", "10"], verdict: "no background-priority-10"),
    Row(flags: ["--priority", "10", "--profile", "field"], verdict: "yes"),
    Row(flags: ["--no-background-refresh"], verdict: "no background-refresh-off"),
    Row(flags: ["--opened", "30"], verdict: "no not-opened-lately"),
    Row(flags: ["--opened", "36500"], verdict: "no not-opened-lately"),
    Row(flags: ["--sent", "1000000"], verdict: "later device-budget-spent"),
    Row(flags: ["--sent", "3"], verdict: "later app-budget-spent"),
    Row(flags: ["--restarted", "60"], verdict: "later just-started"),
    Row(flags: ["--restarted", "60", "--debugger"], verdict: "yes"),
    Row(flags: ["--power", "low"], verdict: "later power-saving"),
    Row(flags: ["--offline"], verdict: "later offline"),
    Row(
      flags: ["--build", "test-flight", "--profile", "field"], verdict: "no testflight-push-disallowed"),
  ]

  @Test(arguments: rows) func theReasonIsNamed(_ row: Row) throws {
    let outcome = try Tool().run(["explain", "--push", Self.silent, "--json"] + Self.app + row.flags)
    let json = try outcome.json()
    #expect(json["type"] as? String == "push_explanation")
    #expect(Self.wakes(json) == row.verdict)
    #expect(outcome.status == (row.verdict == "yes" ? 0 : 1))
  }

  /// Every step says its rules and how sure they are, and what stops the push what to change.
  @Test func theStepsAreAChain() throws {
    let json = try Tool().run(
      ["explain", "--push", Self.silent, "--json", "--state", "force-quit"] + Self.app
    ).json()
    let steps = try #require(json["steps"] as? [[String: Any]])
    #expect(
      steps.map { "\($0["step"] ?? "")" } == [
        "payload", "entitlement", "registration", "environment", "topic", "headers", "token", "installed",
        "permission", "network", "power", "push-type", "display", "content-available", "app-state",
        "background-mode", "background-refresh", "recent-use", "build", "startup", "budget",
      ])
    for step in steps {
      #expect((step["rules"] as? [String])?.isEmpty == false)
      #expect(["documented", "observed", "inferred"].contains(step["certainty"] as? String))
      let isStop = ["no", "later"].contains(step["verdict"] as? String)
      #expect((step["change"] as? String != nil) == isStop)
    }
    let changes = try #require(json["changes"] as? [[String: Any]])
    #expect(
      changes.map { "\($0["who"] ?? ""): \($0["what"] ?? "")" } == [
        "user: open the app, and do not swipe it away"
      ])
    #expect((json["checks"] as? [[String: Any]])?.count == 11)
  }

  @Test func anAppWithoutTheEntitlementAndTheMode() throws {
    let tool = try Tool()
    try tool.write(
      plist("<key>application-identifier</key><string>ABCDE12345.com.example.a</string>"),
      to: "a.entitlements")
    try tool.write(plist("<key>CFBundleIdentifier</key><string>com.example.a</string>"), to: "Info.plist")
    let outcome = try tool.run(
      "explain", "--push", Self.silent, "--app", "a.entitlements", "--app", "Info.plist")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("1. app: add the Push Notifications capability"))
    #expect(outcome.output.contains("2. app: switch on Background Modes > Remote notifications"))
  }

  /// Without files the app is assumed to be right, and the answer says so.
  @Test func whatIsAssumedIsSaid() throws {
    let outcome = try Tool().run("explain", "--push", Self.silent)
    #expect(outcome.status == 0)
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("no entitlements were given, and 'production' is assumed"))
    #expect(words.contains("no Info.plist was given, and it is assumed"))
  }

  /// Without a signature nobody knows the environment; an assumption is not documented.
  @Test func anAssumedEnvironmentIsNotDocumented() throws {
    let tool = try Tool()
    try tool.write(plist("<key>CFBundleIdentifier</key><string>com.example.a</string>"), to: "Info.plist")
    let json = try tool.run("explain", "--push", Self.silent, "--info-plist", "Info.plist", "--json").json()
    #expect(json["aps_environment"] is NSNull)
    let steps = try #require(json["steps"] as? [[String: Any]])
    for name in ["entitlement", "environment"] {
      let step = try #require(steps.first { $0["step"] as? String == name })
      #expect(step["certainty"] as? String == "inferred" && "\(step["message"] ?? "")".contains("not known"))
    }
    let read = try tool.run(["explain", "--push", Self.silent, "--json"] + Self.app).json()
    #expect(read["aps_environment"] as? String == "production")
  }

  /// Nobody documents what becomes of 'content-available' when alerts are denied (push edge 1).
  @Test func aDeniedAlertsWakeIsNotDocumented() throws {
    let tool = try Tool()
    try tool.write(#"{"aps":{"alert":"Hi","content-available":1}}"#, to: "p.json")
    let json = try tool.run(
      ["explain", "--push", "p.json", "--notifications", "denied", "--json"] + Self.app
    ).json()
    #expect(Self.wakes(json) == "no notifications-off")
    #expect((json["wakes"] as? [String: Any])?["certainty"] as? String == "inferred")
    #expect((json["shows"] as? [String: Any])?["certainty"] as? String == "documented")
  }

  /// The headers of a recorded request count, and a push of another type is not simulated.
  @Test func aRecordedRequestIsExplained() throws {
    let tool = try Tool()
    try tool.write(
      #"{"headers":{"apns-push-type":"alert","apns-expiration":"soon"},"payload":{"aps":{"alert":"Hi"}}}"#,
      to: "record.json")
    let refused = try tool.run(["explain", "--push", "record.json", "--json"] + Self.app).json()
    #expect((refused["shows"] as? [String: Any])?["reason"] as? String == "headers-refused")
    try tool.write(#"{"aps":{"content-changed":true}}"#, to: "widgets.json")
    let widgets = try tool.run(["explain", "--push", "widgets.json", "--json"] + Self.app)
    let json = try widgets.json()
    #expect(widgets.status == 2 && json["push_type"] as? String == "widgets")
    #expect(Self.wakes(json) == "unknown type-not-simulated")
  }

  @Test func anAlertIsAskedWhetherItIsShown() throws {
    let tool = try Tool()
    try tool.write(#"{"aps":{"alert":"Hi"}}"#, to: "alert.json")
    #expect(try tool.run("explain", "--push", "alert.json").status == 0)
    #expect(try tool.run("explain", "--push", "alert.json", "--expect", "wake").status == 1)
    let denied = try tool.run("explain", "--push", "alert.json", "--notifications", "denied", "--json")
    #expect(denied.status == 1)
    #expect((try denied.json()["shows"] as? [String: Any])?["reason"] as? String == "notifications-off")
  }

  @Test func theFaultOfTheOldServerIsNamed() throws {
    let tool = try Tool()
    try tool.write(#"{"foo":"bar","content-available":1,"aps":{}}"#, to: "p.json")
    let outcome = try tool.run("explain", "--push", "p.json")
    #expect(outcome.status == 1)
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("there is 'content-available' outside 'aps'"))
  }

  // MARK: - Mistakes

  @Test(
    arguments: [
      (["--push", "p.json", "https://e.test/"], "unexpected argument 'https://e.test/'"),
      (["--push", "p.json", "--site", "x"], "'--site' is about links and does not go with '--push'"),
      (["https://e.test/", "--site", "x", "--state", "suspended"], "'--state' goes with '--push'"),
      (
        ["--push", "p.json", "--state", "asleep"],
        "'--state': expected not-installed, never-launched, foreground"
      ),
      (
        ["--push", "p.json", "--expect", "app"], "'--expect' with '--push': expected wake or show, got 'app'"
      ),
      (["--push", "p.json", "--priority", "7"], "'--priority': expected 1, 5 or 10, got '7'"),
      (["--push", "none.json"], "none.json"),
      (["--push", "bad.json"], "'bad.json': the payload has no dictionary 'aps'"),
    ] as [([String], String)])
  func isRefused(_ row: (words: [String], message: String)) throws {
    let tool = try Tool()
    try tool.write(#"{"aps":{"content-available":1}}"#, to: "p.json")
    try tool.write("{}", to: "bad.json")
    let outcome = try tool.run(["explain"] + row.words)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(row.message), "\(outcome.errors)")
  }

  // MARK: - The table

  @Test func theTableHasEveryStateAndPush() throws {
    let lines = try Tool().run("simulate", "--matrix", "push", "--json").lines
    #expect(lines.count == 2 * 7 * 7)
    #expect(lines.allSatisfy { $0.contains(#""type":"delivery""#) })
    let text = try Tool().run("simulate", "--matrix", "push")
    #expect(text.status == 0)
    #expect(text.output.contains("    force-quit              force-quit\n"))
    // Each profile under its own title: what is documented refuses what was seen to work.
    let halves = text.output.split(separator: "As it was observed (field)\n")
    #expect(halves.count == 2 && halves[0].hasPrefix("As Apple documents it (strict)\n"))
    #expect(
      halves[0].contains("    background-priority-10  ") && !halves[1].contains("background-priority-10"))
    #expect(try Tool().run("simulate", "--matrix", "nothing").status == 2)
    #expect(try Tool().run("simulate", "--matrix", "push", "--seed", "1").status == 2)
  }

  /// Every push of a story has a row in the text and an object in the stream.
  @Test func aStoryTellsOfItsPushes() throws {
    let story = Fixtures.root.appending(path: "Examples/stories/silent-push-updates-before-open.json5").path
    let text = try Tool().run("simulate", story)
    #expect(text.status == 0)
    #expect(text.output.contains("push 1 to steps\n"))
    let lines = try Tool().run("simulate", story, "--json").lines
    #expect(lines.filter { $0.hasPrefix(#"{"type":"push""#) }.count == 3)
  }

  private func plist(_ content: String) -> String {
    "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(content)</dict></plist>"
  }
}
