import Foundation
import LinkspanCore
import TestSupport
import Testing

/// `linkspan apn push`: Houston's flags (push notes 10.4 and 10.5).
@Suite struct ApnPushTests {
  let tool: Tool
  private let standIn: StandIn
  private static let token = String(repeating: "ab", count: 32)

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    standIn = try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl",
      ] + PushTests.keyFlags)
  }

  private func push(_ words: String...) throws -> Tool.Outcome {
    try tool.run(
      ["apn", "push"] + words + ["--server", standIn.url, "--ca", "ca.pem", "--topic", "com.example.app"]
        + PushTests.keyFlags)
  }

  private func recorded() throws -> [String: Any] {
    let text = try String(contentsOf: tool.folder.appending(path: "record.jsonl"), encoding: .utf8)
    let line = try #require(text.split(separator: "\n").last)
    return try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  /// The payload, as JSON with sorted keys.
  private func payload() throws -> String {
    let value = try #require(recorded()["payload"])
    return String(
      decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
  }

  /// Prefixes are enough, as Houston took them.
  @Test(arguments: ["production", "prod", "p", "development", "dev", "d"])
  func theEnvironmentMayBeAbbreviated(_ environment: String) throws {
    let outcome = try push(Self.token, "-n", "-e", environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try recorded()["push_type"] as? String == "background")
  }

  /// As `push send` does it.
  @Test func aTokenThatIsNamedTwiceGetsOnePush() throws {
    let outcome = try push(Self.token, Self.token.uppercased(), "<\(Self.token)>", "-m", "Hi", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.count == 2 && outcome.lines.last?.contains("\"accepted\":1") == true)
  }

  /// The fault of the old program: an editor opened.
  @Test(arguments: ["-n", "--background", "--newsstand"])
  func theBackgroundFlagAloneIsASilentPush(_ flag: String) throws {
    let outcome = try push(Self.token, flag)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let record = try recorded()
    #expect(record["push_type"] as? String == "background" && record["priority"] as? Int == 5)
    #expect(record["topic"] as? String == "com.example.app" && record["token"] as? String == Self.token)
    #expect(try payload() == #"{"aps":{"content-available":1}}"#)
  }

  @Test(arguments: [
    (["-m", "Hello"], #"{"aps":{"alert":"Hello"}}"#), (["-b", "0"], #"{"aps":{"badge":0}}"#),
    (["-s", "default"], #"{"aps":{"sound":"default"}}"#),
    (["-p", "-m", "Hello"], #"{"aps":{"alert":"Hello"}}"#),
    (
      ["-m", "Hello", "-b", "57", "-s", "sosumi.aiff", "-y", "INVITE", "-d", "key=value,url=a=b"],
      #"{"aps":{"alert":"Hello","badge":57,"category":"INVITE","sound":"sosumi.aiff"},"key":"value","url":"a=b"}"#
    ),
    (["-P", #"{"aps":{"alert":"x"},"a":1}"#], #"{"a":1,"aps":{"alert":"x"}}"#),
    (["-P", #"{"a":1}"#, "-m", "y"], #"{"a":1,"aps":{"alert":"y"}}"#),
    (
      ["--alert", "Hello", "--badge", "1", "--sound", "default"],
      #"{"aps":{"alert":"Hello","badge":1,"sound":"default"}}"#
    ),
  ])
  func eachFlagIsInThePayload(_ flags: [String], _ payload: String) throws {
    let outcome = try tool.run(
      ["apn", "push", Self.token] + flags
        + ["--server", standIn.url, "--ca", "ca.pem", "--topic", "com.example.app"] + PushTests.keyFlags)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try self.payload() == payload)
    #expect(try recorded()["push_type"] as? String == "alert" && recorded()["priority"] as? Int == 10)
  }

  /// The certificate names the topic; its key may be in the same file, as Houston wants it.
  @Test(arguments: ["-c", "--cert", "--certificate"], ["/UID=com.example.app/CN=push", "/CN=push"])
  func aCertificateProvesTheSender(_ flag: String, _ subject: String) throws {
    let made = Process()
    made.executableURL = URL(filePath: "/usr/bin/openssl")
    made.arguments = [
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", subject, "-keyout",
      "own-key.pem",
      "-out", "own.pem",
    ]
    made.currentDirectoryURL = tool.folder
    made.standardError = FileHandle.nullDevice
    try made.run()
    made.waitUntilExit()
    let both = try ["own.pem", "own-key.pem"].map {
      try String(contentsOf: tool.folder.appending(path: $0), encoding: .utf8)
    }
    try tool.write(both.joined(), to: "cert.pem")
    let outcome = try tool.run([
      "apn", "push", Self.token, flag, "cert.pem", "-n", "--server", standIn.url, "--ca", "ca.pem",
    ])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    let record = try recorded()
    #expect(
      record["authentication"] as? String == "certificate" && record["topic"] as? String == "com.example.app")
    #expect(record["push_type"] as? String == "background" && record["priority"] as? Int == 5)
    #expect(try payload() == #"{"aps":{"content-available":1}}"#)
  }

  /// Exit 1, with the reason and what to do.
  @Test func aRefusalSaysWhatToDo() throws {
    _ = try standIn.json("/tokens", post: #"{"token": "\#(Self.token)", "state": "unregistered"}"#)
    let outcome = try push(Self.token, String(repeating: "cd", count: 32), "-n")
    #expect(outcome.status == 1)
    #expect(
      outcome.output.contains("\(Self.token): rejected: 410 Unregistered. The app is gone from the device."))
    #expect(outcome.output.hasSuffix("1 accepted, 1 rejected, 0 deferred\n"))
  }

  @Test(arguments: [
    ([], "TOKEN… is missing"), ([token], "there is nothing to send"),
    ([token, "-d", "novalue"], "expected KEY=VALUE, got 'novalue'"),
    ([token, "-P", "{", "-m", "x"], "'--payload' is not JSON:\n"),
    ([token, "-m", "x", "-b", "many"], "'--badge': expected an integer"),
    (
      [token, "-m", "x", "-e", "staging"],
      "'--environment': expected production, sandbox or development, got 'staging'"
    ),
    (["xyz", "-m", "x"], "'xyz' is not a device token"),
    ([token, "-P", #"{"content-available":1,"aps":{}}"#], "push.outside-aps"),
    (
      [token, "-P", #"{"aps":"x"}"#, "-m", "y"],
      "'aps' of '--payload' is not an object, so nothing can be added."
    ),
    (
      [token, "-P", #"{"aps":{"alert":"x"},"aps":{}}"#, "-b", "1"],
      "'aps' of '--payload' occurs twice, so nothing can be added."
    ),
  ])
  func whatIsWrongIsNamed(_ words: [String], _ message: String) throws {
    let outcome = try tool.run(
      ["apn", "push"] + words + ["--server", standIn.url, "--ca", "ca.pem", "--topic", "com.example.app"]
        + PushTests.keyFlags)
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test func theFeedbackServiceIsGone() throws {
    let outcome = try tool.run("apn", "feedback")
    #expect(outcome.status == 2 && outcome.errors.contains("answered 410"))
  }
}
