import Foundation
import TestSupport
import Testing

/// Broadcast channels and Live Activities over the server's API, against the stand-in's record (push notes 6, rows 69 to 78).
@Suite("Channels and Live Activities of a server", .timeLimit(.minutes(5)))
struct ActivityTests {
  let tool: Tool
  let standIn: StandIn
  let server: OperatedServer
  private let access: String
  private static let place = #""topic":"com.example.app","environment":"sandbox""#
  private static let store = ["--registry", "sqlite:registry.db"]

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key, to: "key.p8")
    try tool.restrict("key.p8")
    standIn = try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl",
      ] + PushTests.keyFlags)
    access =
      try tool.run(
        [
          "token", "create", "--scope",
          "devices:write,campaigns:write,campaigns:read,notifications:read,notifications:write",
        ] + Self.store
      ).lines.first ?? ""
    server = try OperatedServer(
      tool, Self.store + PushTests.keyFlags + ["--apns", standIn.url, "--apns-ca", "ca.pem"])
  }

  private func token(_ number: Int) -> String { String(format: "%064x", number) }

  private func call(
    _ method: String, _ path: String, _ body: String? = nil, as other: String? = nil, key: String? = nil
  ) throws -> [String: Any] {
    var words = ["-X", method, "-H", "Authorization: Bearer \(other ?? access)"]
    if let key { words += ["-H", "Idempotency-Key: \(key)"] }
    if let body { words += ["-H", "Content-Type: application/json", "-d", body] }
    let text = try tool.curl(words + ["http://127.0.0.1:\(server.port)\(path)"])
    return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  private func record(_ path: String) throws -> [[String: Any]] {
    try tool.text("record.jsonl").split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }.filter { ($0["path"] as? String)?.hasPrefix(path) == true }
  }

  private func aps(_ line: [String: Any]) throws -> [String: Any] {
    try #require((line["payload"] as? [String: Any])?["aps"] as? [String: Any])
  }

  @Test func anActivityOfAChannelLivesByBroadcasts() throws {
    let channel = try call("POST", "/v1/channels", #"{\#(Self.place),"storage":"newest","name":"A-B"}"#)
    let identifier = try #require(channel["id"] as? String, "\(channel)")
    let name = try #require(channel["channel"] as? String)
    #expect(channel["state"] as? String == "active")
    _ = try call(
      "PUT", "/v1/devices/\(token(1))",
      #"{"topic":"com.example.app.push-type.liveactivity","environment":"sandbox","tags":["fan:a"]}"#)
    let started = try call(
      "POST", "/v1/activities",
      #"""
      {\#(Self.place),"name":"Final","channel":"\#(identifier)","attributes_type":"Game","attributes":{"home":"A"},
       "content_state":{"score":0},"alert":{"title":"Kick-off","body":"A-B"},"query":{"tags":["fan:a"]}}
      """#)
    let activity = "/v1/activities/\(try #require(started["id"] as? String, "\(started)"))"
    let message = try #require(started["started_by"] as? String)
    while try !(call("GET", "/v1/campaigns/\(message)")["finished_at"] is String) {}
    let start = try aps(try #require(try record("/3/device/\(token(1))").first))
    #expect(start["event"] as? String == "start" && start["input-push-channel"] as? String == name)
    let updated = try call(
      "POST", activity + "/update", #"{"content_state":{"score":1},"expiration":4102444800}"#)
    #expect(updated["updates"] as? Int == 1 && (updated["warnings"] as? [Any])?.isEmpty == true, "\(updated)")
    let stale = try call("POST", activity + "/update", #"{"content_state":{"score":2},"expiration":1}"#)
    #expect("\(stale["warnings"] ?? "")".contains("/expiration"), "\(stale)")
    let ended = try call("POST", activity + "/end", #"{"content_state":{"score":3},"dismiss_at":1700000000}"#)
    #expect(ended["state"] as? String == "ended")
    let broadcasts = try record("/4/broadcasts/apps/com.example.app")
    #expect(try broadcasts.map { try aps($0)["event"] as? String } == ["update", "update", "end"])
    let audit = try tool.run(["registry", "audit", "--json"] + Self.store).lines
    for (action, count) in [
      ("channel.broadcast", 3), ("activity.start", 1), ("activity.update", 2), ("activity.end", 1),
    ] {
      #expect(audit.count { $0.contains("\"\(action)\"") } == count, "\(action): \(audit)")
    }
    // Devices drop what is not newer than the state that they show, however fast it follows.
    let times = try ([start] + broadcasts.map { try aps($0) }).compactMap { $0["timestamp"] as? Int }
    #expect(times.count == 4 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(times)")
    #expect(broadcasts.allSatisfy { $0["channel_id"] as? String == name && $0["status"] as? Int == 200 })
    #expect(broadcasts[0]["expiration"] as? Int == 4_102_444_800)
    #expect(try call("POST", activity + "/update", #"{"content_state":{}}"#)["status"] as? Int == 409)
    #expect(try call("GET", "/v1/channels/\(identifier)")["broadcasts"] as? Int == 3)
    let deleted = try call("DELETE", "/v1/channels/\(identifier)")
    #expect(deleted["state"] as? String == "deleted")
    let late = try call(
      "POST", "/v1/channels/\(identifier)/broadcasts",
      #"{"payload":{"aps":{"event":"update","timestamp":1,"content-state":{}}}}"#)
    #expect(late["status"] as? Int == 409)
    #expect(server.end() == 0)
  }

  @Test func anActivityWithoutAChannelLivesByItsDevicesTokens() throws {
    let topic = #""topic":"com.example.app.push-type.liveactivity","environment":"sandbox""#
    _ = try call("PUT", "/v1/devices/\(token(1))", "{\(topic),\"alias\":\"ann\"}")
    let started = try call(
      "POST", "/v1/activities",
      #"""
      {\#(Self.place),"attributes_type":"Ride","attributes":{},"content_state":{"minutes":5},
       "alert":{"title":"On its way","body":"5 minutes"},"aliases":["ann"]}
      """#)
    let activity = "/v1/activities/\(try #require(started["id"] as? String, "\(started)"))"
    let tag = try #require(started["tag"] as? String)
    while try record("/3/device/\(token(1))").isEmpty {}
    #expect(try aps(try record("/3/device/\(token(1))")[0])["input-push-token"] as? Int == 1)
    // The app has got a token for updates, and registers it.
    _ = try call("PUT", "/v1/devices/\(token(2))", "{\(topic),\"alias\":\"ann\",\"tags\":[\"\(tag)\"]}")
    for (verb, body) in [("update", #"{"content_state":{"minutes":1},"priority":5}"#), ("end", "{}")] {
      let answer = try call("POST", activity + "/" + verb, body)
      let campaign = try #require(answer["campaign"] as? String, "\(answer)")
      while try !(call("GET", "/v1/campaigns/\(campaign)")["finished_at"] is String) {}
    }
    let lines = try record("/3/device/\(token(2))")
    #expect(try lines.map { try aps($0)["event"] as? String } == ["update", "end"])
    #expect(lines[0]["priority"] as? Int == 5)
    #expect(lines.allSatisfy { $0["topic"] as? String == "com.example.app.push-type.liveactivity" })
    #expect(try record("/3/device/\(token(1))").count == 1)
    #expect(try call("GET", activity)["state"] as? String == "ended")
    #expect(server.end() == 0)
  }

  /// Devices drop what is not newer than what they show (push notes, 5.1): where the client says when an update is of, ours count
  /// from there, and one of before is refused. An activity that ended so would be shown for ever.
  @Test func anUpdateIsNewerThanAnyThatTheClientDated() throws {
    let channel = try call("POST", "/v1/channels", "{\(Self.place)}")
    let identifier = try #require(channel["id"] as? String, "\(channel)")
    let started = try call("POST", "/v1/activities", #"{\#(Self.place),"channel":"\#(identifier)"}"#)
    let activity = "/v1/activities/\(try #require(started["id"] as? String, "\(started)"))"
    let state = #""content_state":{"score":1}"#
    for (verb, body) in [
      ("update", #"{\#(state),"timestamp":4102444800}"#), ("update", "{\(state)}"),
      ("update", #"{\#(state),"timestamp":1700000000}"#), ("update", #"{\#(state),"timestamp":null}"#),
      ("end", #"{\#(state),"timestamp":4102444802}"#), ("end", "{\(state)}"),
    ] {
      let answer = try call("POST", activity + "/" + verb, body)
      if body.contains("1700000000") || verb == "end" && body.contains("4102444802") {
        #expect(try text(answer).contains("is not after the last state, of 410244480"))
        #expect(
          (answer["errors"] as? [[String: Any]])?.first?["pointer"] as? String == "/timestamp", "\(answer)")
      } else {
        #expect(answer["id"] is String, "\(answer)")
      }
    }
    let times = try record("/4/broadcasts").map { try aps($0)["timestamp"] as? Int }
    #expect(times == [4_102_444_800, 4_102_444_801, 4_102_444_802, 4_102_444_803])
    #expect(server.end() == 0)
  }

  /// A client of activities writes no payload: what is wrong with it is said where the client wrote it.
  @Test func whatIsWrongIsSaidInTheRequestsOwnWords() throws {
    let channel = try call("POST", "/v1/channels", "{\(Self.place)}")
    let identifier = try #require(channel["id"] as? String, "\(channel)")
    let started = try call("POST", "/v1/activities", #"{\#(Self.place),"channel":"\#(identifier)"}"#)
    let activity = "/v1/activities/\(try #require(started["id"] as? String, "\(started)"))"
    for (path, body, places) in [
      ("/v1/activities", #"{\#(Self.place),"audience":"all","attributes_type":"A"}"#, [""]),
      (activity + "/update", "{}", [""]),
      (activity + "/update", #"{"content_state":{"endDate":1700003600}}"#, ["/content_state/endDate"]),
    ] {
      let answer = try call("POST", path, body)
      let errors = answer["errors"] as? [[String: Any]] ?? answer["warnings"] as? [[String: Any]] ?? []
      #expect(Set(errors.compactMap { $0["pointer"] as? String }) == Set(places), "\(answer)")
    }
    #expect(server.end() == 0)
  }

  /// An answer's members in one order.
  private func text(_ answer: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: answer, options: .sortedKeys), as: UTF8.self)
  }

  /// Asks twice with one key, and then for something else with it.
  private func twice(
    _ path: String, _ body: String, key: String, other: String, method: String = "POST"
  ) throws -> [String: Any] {
    let first = try call(method, path, body, key: key)
    let second = try call(method, path, body, key: key)
    #expect(try text(first) == text(second))
    let refused = try call(method, path, other, key: key)
    #expect(refused["status"] as? Int == 409 && "\(refused)".contains("was used for another request"))
    return first
  }

  /// Whoever did not hear an answer asks again: APNs is asked once, and what has ended answers as the first time.
  @Test func aRepeatedRequestIsMadeOnceOnEveryRoute() throws {
    let channel = try twice(
      "/v1/channels", "{\(Self.place)}", key: "channel", other: "{\(Self.place),\"name\":\"B\"}")
    let identifier = try #require(channel["id"] as? String, "\(channel)")
    #expect(try (call("GET", "/v1/channels")["channels"] as? [Any])?.count == 1)
    let update = #"{"payload":{"aps":{"event":"update","timestamp":1,"content-state":{}}}}"#
    let sent = try twice(
      "/v1/channels/\(identifier)/broadcasts", update, key: "broadcast",
      other: update.replacing("\"timestamp\":1", with: "\"timestamp\":2"))
    #expect(sent["outcome"] as? String == "accepted", "\(sent)")
    #expect(try record("/4/broadcasts").count == 1)
    let place = #"\#(Self.place),"channel":"\#(identifier)""#
    let activity = try twice("/v1/activities", "{\(place)}", key: "own", other: "{\(place),\"name\":\"B\"}")
    let path = "/v1/activities/\(try #require(activity["id"] as? String, "\(activity)"))"
    #expect(try (call("GET", "/v1/activities")["activities"] as? [Any])?.count == 1)
    let ended = try twice(
      path + "/end", #"{"content_state":{"score":1}}"#, key: "end", other: #"{"content_state":{"score":2}}"#)
    #expect(ended["state"] as? String == "ended" && ended["updates"] as? Int == 1, "\(ended)")
    #expect(try record("/4/broadcasts").count == 2)
    #expect(try call("POST", path + "/end", "{}", key: "late")["status"] as? Int == 409)
    let gone = try call("DELETE", "/v1/channels/\(identifier)", key: "delete")
    #expect(gone["state"] as? String == "deleted", "\(gone)")
    #expect(try text(call("DELETE", "/v1/channels/\(identifier)", key: "delete")) == text(gone))
    // The first answer, although the channel is gone.
    let again = try call("POST", "/v1/channels", "{\(Self.place)}", key: "channel")
    #expect(try text(again) == text(channel))
    #expect(server.end() == 0)
  }

  /// The same for an activity without a channel, whose start and end are messages.
  @Test func aRepeatedStartSendsOneMessage() throws {
    let topic = #""topic":"com.example.app.push-type.liveactivity","environment":"sandbox""#
    _ = try call("PUT", "/v1/devices/\(token(1))", "{\(topic),\"alias\":\"ann\"}")
    let start = #"""
      {\#(Self.place),"attributes_type":"Ride","attributes":{},"content_state":{"minutes":5},
       "alert":{"title":"On its way","body":"5 minutes"},"aliases":["ann"]}
      """#
    let started = try twice(
      "/v1/activities", start, key: "start", other: start.replacing("5 minutes", with: "6 minutes"))
    let activity = "/v1/activities/\(try #require(started["id"] as? String, "\(started)"))"
    let tag = try #require(started["tag"] as? String)
    _ = try call("PUT", "/v1/devices/\(token(2))", "{\(topic),\"alias\":\"ann\",\"tags\":[\"\(tag)\"]}")
    let ended = try twice(activity + "/end", "{}", key: "end", other: #"{"content_state":{"minutes":1}}"#)
    let campaign = try #require(ended["campaign"] as? String, "\(ended)")
    while try !(call("GET", "/v1/campaigns/\(campaign)")["finished_at"] is String) {}
    #expect(try record("/3/device/\(token(2))").count == 1)
    while try record("/3/device/\(token(1))").isEmpty {}
    #expect(try (call("GET", "/v1/notifications")["notifications"] as? [Any])?.count == 1)
    #expect(try (call("GET", "/v1/campaigns")["campaigns"] as? [Any])?.count == 1)
    #expect(server.end() == 0)
  }

  /// An erasure empties the answers about its own messages, and not those about what has the same number.
  @Test func anErasureLeavesTheAnswersAboutChannels() throws {
    let channel = try call("POST", "/v1/channels", "{\(Self.place)}", key: "channel")
    _ = try call("PUT", "/v1/devices/\(token(1))", "{\(Self.place),\"alias\":\"ann\"}")
    let note = try call(
      "POST", "/v1/notifications",
      "{\(Self.place),\"aliases\":[\"ann\"],\"payload\":{\"aps\":{\"alert\":\"A\"}}}",
      key: "note")
    #expect(note["id"] as? String == channel["id"] as? String, "\(note), \(channel)")
    let receipt = try call("POST", "/v1/erasures", #"{"alias":"ann"}"#)
    #expect(receipt["status"] == nil, "\(receipt)")
    let again = try call("POST", "/v1/channels", "{\(Self.place)}", key: "channel")
    #expect(try text(again) == text(channel))
    #expect(server.end() == 0)
  }

  /// A channel of another app is as if it were not there.
  @Test func aStrangersChannelIsNotTold() throws {
    let channel = try call("POST", "/v1/channels", "{\(Self.place)}")
    let identifier = try #require(channel["id"] as? String, "\(channel)")
    let words =
      ["token", "create", "--scope", "campaigns:write", "--topic", "com.example.other"] + Self.store
    let other = try #require(try tool.run(words).lines.first)
    func start(_ channel: String) throws -> [String: Any] {
      try call(
        "POST", "/v1/activities",
        #"{"topic":"com.example.other","environment":"sandbox","channel":"\#(channel)"}"#, as: other)
    }
    let answer = try start(identifier)
    #expect(answer["status"] as? Int == 400, "\(answer)")
    #expect(try text(start("999999")) == text(answer))
    #expect(server.end() == 0)
  }

  /// What another program made, and what it deleted, is found.
  @Test func channelsAreComparedWithAPNs() throws {
    func command(_ words: [String]) throws -> Tool.Outcome {
      try tool.run(
        ["push", "channel"] + words + [
          "--topic", "com.example.app", "--server", standIn.url, "--ca", "ca.pem",
        ]
          + PushTests.keyFlags)
    }
    let made = try call("POST", "/v1/channels", "{\(Self.place)}")
    let gone = try #require(made["channel"] as? String, "\(made)")
    #expect(try command(["delete", "--channel", gone]).status == 0)
    let foreign = try #require(try command(["create", "--storage", "newest"]).lines.first)
    let answer = try call("POST", "/v1/channel-sync", "{\(Self.place)}")
    #expect(answer["added"] as? Int == 1 && answer["gone"] as? Int == 1, "\(answer)")
    let list = try #require(try call("GET", "/v1/channels")["channels"] as? [[String: Any]])
    #expect(list.map { $0["channel"] as? String } == [foreign, gone])
    #expect(list.map { $0["state"] as? String } == ["active", "deleted"])
    #expect(list[0]["storage"] as? String == "newest")
    #expect(server.end() == 0)
  }

  /// As for any other push: to its topics only, and a start to tokens is a notification.
  @Test(arguments: [(["--topic", "com.example.app.voip"], "topic"), ([], "notifications:write")])
  func aCredentialStartsOnlyWhatItMayPush(_ flags: [String], reason: String) throws {
    let words = ["token", "create", "--scope", "campaigns:write"] + flags + Self.store
    let other = try #require(try tool.run(words).lines.first)
    let answer = try call(
      "POST", "/v1/activities",
      #"""
      {\#(Self.place),"attributes_type":"Game","attributes":{},"content_state":{},
       "alert":{"title":"Kick-off","body":"A-B"},"tokens":["\#(token(1))"]}
      """#, as: other)
    #expect(answer["status"] as? Int == 403 && "\(answer)".contains(reason), "\(answer)")
    #expect(server.end() == 0)
  }

  @Test func whatAPNsRefusesIsHandedOn() throws {
    let channel = try call("POST", "/v1/channels", "{\(Self.place)}")
    let path = "/v1/channels/\(try #require(channel["id"] as? String))/broadcasts"
    let payload = #""payload":{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#
    let late = try call("POST", path, "{\(payload),\"expiration\":4102444800}")
    #expect(late["status"] as? Int == 409)
    #expect((late["detail"] as? String)?.contains("400 BadExpirationDate") == true)
    let start = try call(
      "POST", path,
      #"{"payload":{"aps":{"event":"start","timestamp":1,"content-state":{},"attributes-type":"G","attributes":{},"alert":"x"}}}"#
    )
    #expect(start["status"] as? Int == 409 && "\(start)".contains("broadcast cannot start an activity"))
    let unknown = try call("POST", "/v1/channels", #"{\#(Self.place),"storage":"all"}"#)
    #expect(unknown["status"] as? Int == 400 && "\(unknown)".contains("/storage"))
    let other = try call("POST", "/v1/channels", #"{"topic":"com.example.other","environment":"sandbox"}"#)
    #expect(other["status"] as? Int == 409 && "\(other)".contains("TopicMismatch"))
    #expect(server.end() == 0)
  }
}
