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
}
