import Foundation
import TestSupport
import Testing

/// Broadcast channels and Live Activities from the command line, against the stand-in's record (push notes 5.1 and 6, rows 24,
/// 69 to 78).
@Suite("Channels and Live Activities", .timeLimit(.minutes(5)))
struct ChannelCommandTests {
  let tool: Tool
  let standIn: StandIn
  private static let token = String(repeating: "8f", count: 40)

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
    standIn = try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl",
      ] + PushTests.keyFlags)
  }

  private func run(_ words: [String]) throws -> Tool.Outcome {
    try tool.run(
      ["push"] + words + ["--topic", "com.example.app", "--server", standIn.url, "--ca", "ca.pem"]
        + PushTests.keyFlags)
  }

  private func record() throws -> [[String: Any]] {
    try tool.text("record.jsonl").split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func aps(_ line: [String: Any]) throws -> [String: Any] {
    try #require((line["payload"] as? [String: Any])?["aps"] as? [String: Any])
  }

  @Test func aChannelLivesFromCreationToDeletion() throws {
    let made = try run(["channel", "create", "--storage", "newest", "--json"])
    #expect(made.status == 0, "\(made.errors)")
    let channel = try #require(try made.json()["id"] as? String)
    #expect(try made.json()["storage"] as? String == "newest")
    #expect(try made.json()["environment"] as? String == "sandbox")
    #expect(try run(["channel", "list", "--json"]).json()["channels"] as? [String] == [channel])
    let read = try run(["channel", "read", "--channel", channel])
    #expect(read.output == "\(channel): stores the newest broadcast, up to 8 hours\n")
    try tool.write(
      #"{"aps":{"event":"update","timestamp":1700000000,"content-state":{"score":1}}}"#, to: "goal.json")
    let sent = try run(
      [
        "channel", "send", "--channel", channel, "--payload", "goal.json", "--expiration", "4102444800",
        "--json",
      ])
    #expect(sent.status == 0, "\(sent.errors)")
    let line = try #require(try record().last)
    #expect(line["path"] as? String == "/4/broadcasts/apps/com.example.app")
    #expect(line["channel_id"] as? String == channel && line["push_type"] as? String == "liveactivity")
    #expect(line["topic"] as? String == "com.example.app" && line["status"] as? Int == 200)
    #expect(line["expiration"] as? Int == 4_102_444_800 && line["priority"] as? Int == 10)
    #expect(try sent.json()["request_id"] as? String == line["apns_id"] as? String)
    #expect(try run(["channel", "delete", "--channel", channel]).output == "deleted \(channel)\n")
    let gone = try run(["channel", "read", "--channel", channel, "--json"])
    #expect(gone.status == 1)
    #expect(try gone.json()["reason"] as? String == "ChannelNotRegistered")
  }

  @Test func aDryRunOfABroadcastSendsNothing() throws {
    let channel = try #require(try run(["channel", "create"]).lines.first)
    let before = try record().count
    let update = ["activity", "update", "--channel", channel, "--content-state", #"{"a":1}"#, "--dry-run"]
    let shown = try run(update)
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(
      shown.output.hasPrefix("POST ")
        && shown.output.contains("/4/broadcasts/apps/com.example.app\n  apns-channel-id: \(channel)\n"),
      "\(shown.output)")
    let plan = try run(update + ["--json"]).json()
    #expect(plan["type"] as? String == "broadcast-plan" && plan["channel"] as? String == channel)
    let headers = try #require(plan["headers"] as? [String: String])
    #expect(headers["apns-push-type"] == "liveactivity" && headers["authorization"] == nil)
    let end = try run(["activity", "end", "--channel", channel, "--dry-run"])
    #expect(end.status == 0, "\(end.errors)")
    #expect(try record().count == before)
  }

  /// Row 76: nothing can expire where nothing is stored.
  @Test func whatAPNsRefusesSaysWhatToDo() throws {
    let channel = try #require(try run(["channel", "create"]).lines.first)
    let late = try run(
      [
        "activity", "update", "--channel", channel, "--content-state", "{}", "--expiration", "4102444800",
      ])
    #expect(late.status == 1)
    #expect(late.output.contains("refused: 400 BadExpirationDate. A channel that stores nothing takes"))
  }

  @Test func aLiveActivityIsStartedUpdatedAndEnded() throws {
    let start = try run([
      "activity", "start", "--token", Self.token, "--attributes-type", "Game", "--attributes",
      #"{"home":"A"}"#, "--content-state", #"{"score":0}"#, "--alert-title", "Kick-off", "--alert", "A-B",
      "--ask-token",
    ])
    #expect(start.status == 0, "\(start.errors)")
    try tool.write(#"{"score":1.50}"#, to: "state.json")
    #expect(
      try run([
        "activity", "update", "--token", Self.token, "--content-state", "state.json", "--priority", "5",
        "--stale-at", "1800000000", "--relevance", "75",
      ]).status == 0)
    #expect(
      try run([
        "activity", "end", "--token", Self.token, "--timestamp", "1700000000", "--dismiss-at", "1700000000",
      ]).status == 0)
    let lines = try record()
    #expect(lines.count == 3)
    for line in lines {
      #expect(line["topic"] as? String == "com.example.app.push-type.liveactivity")
      #expect(line["push_type"] as? String == "liveactivity" && line["status"] as? Int == 200)
    }
    let first = try aps(lines[0])
    #expect(first["event"] as? String == "start" && first["attributes-type"] as? String == "Game")
    #expect(first["input-push-token"] as? Int == 1 && first["timestamp"] as? Int ?? 0 > 1_700_000_000)
    #expect(first["alert"] as? [String: String] == ["title": "Kick-off", "body": "A-B"])
    let second = try aps(lines[1])
    #expect(second["event"] as? String == "update" && second["stale-date"] as? Int == 1_800_000_000)
    #expect((second["content-state"] as? [String: Any])?["score"] as? Double == 1.5)
    #expect(lines[1]["priority"] as? Int == 5)
    let last = try aps(lines[2])
    #expect(last["event"] as? String == "end" && last["dismissal-date"] as? Int == 1_700_000_000)
    #expect(last["content-state"] == nil)
  }

  @Test func whatDevicesWouldIgnoreIsNotSent() throws {
    let start = try run(["activity", "start", "--token", Self.token, "--content-state", "{}"])
    #expect(start.status == 2 && start.errors.contains("without 'attributes-type', 'attributes', 'alert'"))
    let channel = try #require(try run(["channel", "create"]).lines.first)
    try tool.write(
      #"{"aps":{"event":"start","timestamp":1,"content-state":{},"attributes-type":"G","attributes":{},"alert":"x"}}"#,
      to: "start.json")
    let broadcast = try run(["channel", "send", "--channel", channel, "--payload", "start.json"])
    #expect(broadcast.status == 2 && broadcast.errors.contains("broadcast cannot start an activity"))
    let both = try run(["activity", "update", "--channel", channel, "--token", Self.token])
    #expect(both.status == 2 && both.errors.contains("exclude each other"))
    let state = try run(["activity", "update", "--token", Self.token, "--content-state", "{score}"])
    #expect(state.status == 2 && state.errors.contains("'--content-state' is not JSON:\n"))
    #expect(try run(["channel", "read", "--channel", "?"]).errors.contains("is not an identifier in Base64"))
    // Nothing but the creation of the channel.
    #expect(try record().filter { $0["method"] as? String == "POST" }.count == 1)
  }

  /// 1,024 bytes more than a push to a device (push notes 2.2).
  @Test func aBroadcastMayBeLarger() throws {
    let channel = try #require(try run(["channel", "create"]).lines.first)
    for (length, status) in [(5_000, 0), (5_120, 2)] {
      let text = String(repeating: "a", count: length)
      let outcome = try run(
        ["activity", "update", "--channel", channel, "--content-state", #"{"t":"\#(text)"}"#])
      #expect(outcome.status == status, "\(outcome.errors)")
    }
  }
}
