import Foundation
import TestSupport
import Testing

/// `linkspan doctor PAYLOAD --app BUNDLE`: one cause for a push that wakes nothing.
@Suite struct DoctorPushTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var payload = #"{"aps":{"content-available":1}}"#
    var modes = "<string>remote-notification</string>"
    var flags: [String] = []
    /// nil for a push that wakes the app.
    var cause: String?
  }

  static let faults = [
    Fault(testDescription: "nothing wrong"),
    Fault(testDescription: "no background mode", modes: "", cause: "no-background-mode"),
    Fault(
      testDescription: "another background mode", modes: "<string>fetch</string>", cause: "no-background-mode"
    ),
    Fault(
      testDescription: "a text for a number", payload: #"{"aps":{"content-available":"1"}}"#,
      cause: "no-content-available"),
    Fault(
      testDescription: "the key outside of 'aps'", payload: #"{"aps":{},"content-available":1}"#,
      cause: "no-content-available"),
    Fault(
      testDescription: "a recorded request with priority 10",
      payload:
        #"{"headers":{"apns-push-type":"background","apns-priority":"10","apns-topic":"com.example.app"},"#
        + #""payload":{"aps":{"content-available":1}}}"#, cause: "background-priority-10"),
    Fault(
      testDescription: "another topic",
      payload:
        #"{"headers":{"apns-push-type":"background","apns-priority":"5","apns-topic":"com.example.other"},"#
        + #""payload":{"aps":{"content-available":1}}}"#, cause: "wrong-topic"),
    Fault(testDescription: "swiped away", flags: ["--state", "force-quit"], cause: "force-quit"),
    Fault(
      testDescription: "refresh off", flags: ["--no-background-refresh"], cause: "background-refresh-off"),
    Fault(
      testDescription: "another server", flags: ["--environment", "sandbox"], cause: "wrong-environment"),
  ]

  @Test(arguments: faults) func theFaultIsTheCause(_ fault: Fault) throws {
    let tool = try Tool()
    try tool.write(fault.payload, to: "silent.apns")
    try tool.write(
      DoctorTests.entitlements().replacing(
        "</dict>", with: "<key>aps-environment</key><string>production</string></dict>"),
      to: "App.entitlements")
    try tool.write(
      #"<?xml version="1.0"?><plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>"#
        + "<key>UIBackgroundModes</key><array>\(fault.modes)</array></dict></plist>", to: "Info.plist")
    let words = ["doctor", "silent.apns", "--app", "App.entitlements", "--app", "Info.plist"] + fault.flags
    let outcome = try tool.run(words + ["--json"])
    #expect(
      (try outcome.json()["cause"] as? [String: Any])?["id"] as? String == fault.cause,
      "\(outcome.output)\(outcome.errors)")
    #expect(outcome.status == (fault.cause == nil ? 0 : 1))
    let lines = try tool.run(words).output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 24 && lines.allSatisfy { $0.count <= 80 })
  }

  /// Push notes, 5.1: of an alert that cannot be shown, the cause is its value, and the sender mends it.
  @Test(arguments: [
    (#"{"aps":{"badge":"1"}}"#, "push.badge"), (#"{"aps":{"alert":5}}"#, "push."),
    (#"{"aps":{"alert":{}}}"#, "push."),
  ])
  func anAlertThatCannotBeShownIsNoSilentPush(payload: String, rule: String) throws {
    let tool = try Tool()
    try tool.write(payload, to: "alert.json")
    let outcome = try tool.run("doctor", "alert.json", "--json")
    let cause = try #require(outcome.json()["cause"] as? [String: Any], "\(outcome.output)")
    #expect(outcome.status == 1 && cause["id"] as? String == "nothing-to-do", "\(outcome.output)")
    #expect(cause["owner"] as? String == "sender")
    #expect((cause["remedy"] as? String)?.contains("an 'alert' that has a text") == true)
    #expect((cause["evidence"] as? [String])?.contains { $0.contains(rule) } == true, "\(outcome.output)")
    #expect(try tool.run("doctor", "alert.json").output.contains("Who      the sender"))
  }

  /// The envelopes of Firebase and Amazon SNS are payloads that lack 'aps', and no association files.
  @Test(arguments: [
    #"{"notification":{"title":"a","body":"b"},"data":{"k":"v"}}"#,
    #"{"default":"x","APNS":"{\"aps\":{}}"}"#,
    #"{"message":{"notification":{"title":"a"}}}"#,
  ])
  func anEnvelopeIsAPush(payload: String) throws {
    let tool = try Tool()
    try tool.write(payload, to: "message.json")
    let outcome = try tool.run("doctor", "message.json")
    #expect(
      outcome.status == 2 && outcome.errors.contains("the payload has no dictionary 'aps'"),
      "\(outcome.errors)")
  }

  /// A push of a type that is not simulated has no cause, and a payload for PushKit is one without 'aps' where flags say so.
  @Test func whatIsNotSimulatedIsNotKnown() throws {
    let tool = try Tool()
    try tool.write(
      #"{"aps":{"timestamp":1700000000,"event":"update","content-state":{"a":1}}}"#, to: "activity.json")
    try tool.write(#"{"aps":{},"handle":"+1555"}"#, to: "voip.json")
    for words in [["activity.json"], ["voip.json", "--push-type", "voip"]] {
      let outcome = try tool.run(["doctor", "--json"] + words)
      let json = try outcome.json()
      #expect(outcome.status == 2 && json["verdict"] as? String == "unknown" && json["cause"] is NSNull)
      #expect((json["also"] as? [Any])?.isEmpty == true)
      let open = try #require(json["not_checked"] as? [String])
      #expect(open.contains { $0.contains("PushKit") }, "\(open)")
    }
    try tool.write(#"{"handle":"+1555"}"#, to: "bare.json")
    let bare = try tool.run("doctor", "bare.json", "--push-type", "voip")
    #expect(bare.status == 2 && bare.errors.contains("the payload has no dictionary 'aps'"))
    #expect(bare.errors.contains("write \"aps\": {}") && !bare.errors.contains("content-available"))
    let explained = try tool.run("explain", "--push", "bare.json", "--push-type", "voip")
    #expect(explained.status == 2 && explained.errors == bare.errors.replacing("doctor", with: "explain"))
    #expect(try tool.run("doctor", "bare.json").output.contains("names no app"))
  }
}
