import LinkspanCore
import Testing

@testable import PushStandIn

/// Broadcast channels (push notes 6, test rows 69 to 78).
@Suite struct ChannelTests {
  private static let create = #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#

  private func request(
    _ method: String, _ path: String, channel: String? = nil, body: String = "", in exchange: Exchange
  ) throws -> HTTPRequest {
    var request = HTTPRequest(
      method: method, authority: "api-manage-broadcast.sandbox.push.apple.com:2195", target: path,
      fields: ["authorization": try #require(exchange.base.fields["authorization"])], body: Array(body.utf8))
    request.fields["apns-channel-id"] = channel
    return request
  }

  private func manage(
    _ exchange: inout Exchange, _ method: String, channel: String? = nil, body: String = "",
    path: String = "/1/apps/com.example.app/channels", _ change: (inout HTTPRequest) -> Void = { _ in }
  ) throws -> APNsReply {
    var request = try request(method, path, channel: channel, body: body, in: exchange)
    change(&request)
    return exchange.send(request)
  }

  private func channel(_ exchange: inout Exchange, policy: Int = 1) throws -> String {
    let body = #"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#
    return try #require(manage(&exchange, "POST", body: body).response.fields["apns-channel-id"])
  }

  private func publish(
    _ exchange: inout Exchange, _ channel: String?, app: String = "com.example.app",
    _ change: (inout HTTPRequest) -> Void = { _ in }
  ) throws -> APNsReply {
    var request = try request(
      "POST", "/4/broadcasts/apps/\(app)", channel: channel,
      body: #"{"aps":{"event":"update","timestamp":1,"content-state":{}}}"#, in: exchange)
    request.fields["apns-push-type"] = "liveactivity"
    request.fields["apns-priority"] = "10"
    request.fields["apns-expiration"] = "0"
    change(&request)
    return exchange.send(request)
  }

  /// Push notes, 6: nothing is sent with these, so there is nothing that a device could drop.
  @Test func whatManagesChannelsHasNoWarnings() throws {
    var exchange = try Exchange()
    let channel = try channel(&exchange)
    for reply in [
      try manage(&exchange, "GET", path: "/1/apps/com.example.app/all-channels"),
      try manage(&exchange, "GET", channel: channel),
    ] {
      #expect(reply.verdict == "200" && !reply.facts.json.text.contains("warnings"))
    }
    let broadcast = try publish(&exchange, channel) { $0.body = Array("x".utf8) }
    #expect(broadcast.facts.json.text.contains("a device drops it"))
  }

  /// Push notes, 6: an identifier is never used again, so a stand-in that starts anew needs others; with one seed they are
  /// the same, and the answers' own identifiers do not depend on that.
  @Test func identifiersComeFromASeedOfTheirOwn() throws {
    func answers(_ seed: UInt64?) throws -> (channels: [String], push: String?) {
      var exchange = try Exchange { $0.channelSeed = seed }
      let channels = [try channel(&exchange), try channel(&exchange)]
      return (channels, try exchange.push().response.fields["apns-id"])
    }
    let (first, again, other) = (try answers(7), try answers(7), try answers(8))
    #expect(first.channels == again.channels && Set(first.channels + other.channels).count == 4)
    #expect(first.push == other.push)
    #expect(try answers(nil).channels == answers(nil).channels)
  }

  /// Row 69.
  @Test func aChannelIsMade() throws {
    var exchange = try Exchange()
    let identifier = "123e4567-e89b-12d3-a456-4266554400a0"
    let reply = try manage(&exchange, "POST", body: Self.create) {
      $0.fields["apns-request-id"] = identifier
    }
    #expect(reply.verdict == "201" && reply.response.body.isEmpty)
    #expect(reply.response.fields["apns-request-id"] == identifier)
    #expect(reply.response.fields["apns-id"] == nil)
    #expect(try #require(reply.response.fields["apns-channel-id"]).hasSuffix("=="))
  }

  /// Rows 70 and 71.
  @Test(arguments: [
    (#"{"message-storage-policy":1,"push-type":"alert"}"#, "400 InvalidPushType"),
    (#"{"message-storage-policy":1}"#, "400 MissingPushType"),
    (#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#, "400 BadRequestParams"),
    (#"{"message-storage-policy":1,"push-type":"LiveActivity","x":1}"#, "400 BadRequestParams"),
    (#"{"message-storage-policy":1"#, "400 BadRequestPayload"), ("", "400 BadRequestPayload"),
  ])
  func aChannelIsRefused(_ body: String, _ verdict: String) throws {
    var exchange = try Exchange()
    #expect(try manage(&exchange, "POST", body: body).verdict == verdict)
  }

  /// Rows 72, 73 and 74.
  @Test func aChannelIsReadListedAndRemoved() throws {
    var exchange = try Exchange()
    let made = try channel(&exchange, policy: 0)
    let read = try manage(&exchange, "GET", channel: made)
    #expect(read.verdict == "200")
    #expect(
      String(decoding: read.response.body, as: UTF8.self)
        == #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#)
    #expect(try manage(&exchange, "GET").verdict == "400 MissingChannelId")
    #expect(try manage(&exchange, "GET", channel: "AAAA").verdict == "400 ChannelNotRegistered")
    #expect(try manage(&exchange, "GET", channel: "not base64").verdict == "400 BadChannelId")
    // Bits behind the last byte are zero, and the padding is there.
    #expect(try manage(&exchange, "GET", channel: "AAA=").verdict == "400 ChannelNotRegistered")
    #expect(try manage(&exchange, "GET", channel: "AAB=").verdict == "400 BadChannelId")
    #expect(try manage(&exchange, "GET", channel: "AQ==").verdict == "400 ChannelNotRegistered")
    #expect(try manage(&exchange, "GET", channel: "AR==").verdict == "400 BadChannelId")
    #expect(try manage(&exchange, "GET", channel: "AAA").verdict == "400 BadChannelId")
    let list = try manage(&exchange, "GET", path: "/1/apps/com.example.app/all-channels")
    #expect(String(decoding: list.response.body, as: UTF8.self) == #"{"channels":["\#(made)"]}"#)
    let removed = try manage(&exchange, "DELETE", channel: made)
    #expect(removed.verdict == "204" && removed.response.body.isEmpty)
    #expect(try manage(&exchange, "GET", channel: made).verdict == "400 ChannelNotRegistered")
    #expect(try manage(&exchange, "DELETE", channel: made).verdict == "400 ChannelNotRegistered")
  }

  @Test func inTheFieldAChannelThatIsGoneHasNoPath() throws {
    var exchange = try Exchange { $0.profile = .field }
    #expect(try manage(&exchange, "DELETE", channel: "AAAA").verdict == "404 BadPath")
  }

  /// Row 75.
  @Test func thereAreTenThousandChannelsAtMost() throws {
    var exchange = try Exchange()
    for _ in 0..<10_000 { _ = try channel(&exchange) }
    #expect(try manage(&exchange, "POST", body: Self.create).verdict == "400 CannotCreateChannelConfig")
  }

  @Test(arguments: [
    ("PUT", "/1/apps/com.example.app/channels", "405 MethodNotAllowed"),
    ("POST", "/1/apps/com.example.app/all-channels", "405 MethodNotAllowed"),
    ("GET", "/1/apps/com.example.app/other", "404 BadPath"),
    ("GET", "/1/apps//channels", "404 BadPath"),
    ("GET", "/1/apps/com.example.app.voip/all-channels", "400 TopicDisallowed"),
    ("GET", "/1/apps/org.stranger.app/all-channels", "403 TopicMismatch"),
  ])
  func otherCallsAreRefused(_ method: String, _ path: String, _ verdict: String) throws {
    var exchange = try Exchange()
    #expect(try manage(&exchange, method, path: path).verdict == verdict)
  }

  @Test func managementNeedsAToken() throws {
    var exchange = try Exchange()
    #expect(
      try manage(&exchange, "GET", path: "/1/apps/com.example.app/all-channels") {
        $0.fields["authorization"] = nil
      }.verdict == "403 MissingProviderToken")
  }

  @Test func aBroadcastIsAccepted() throws {
    var exchange = try Exchange()
    let made = try channel(&exchange)
    #expect(try publish(&exchange, made).verdict == "200")
    #expect(
      try publish(&exchange, made) { $0.fields["apns-expiration"] = "1800000060" }.verdict == "200")
  }

  /// Apple's text says the one, and its sample sends the other.
  @Test(arguments: ["apns-request-id", "apns-id"])
  func aBroadcastIsNamed(_ field: String) throws {
    var exchange = try Exchange()
    let made = try channel(&exchange)
    let identifier = "123e4567-e89b-12d3-a456-4266554400a0"
    let reply = try publish(&exchange, made) { $0.fields[field] = identifier }
    #expect(reply.verdict == "200" && reply.response.fields["apns-request-id"] == identifier)
    #expect(try publish(&exchange, made) { $0.fields[field] = "nope" }.verdict == "400 BadMessageId")
  }

  /// Rows 76 and 77, and what else there is to refuse.
  @Test func aBroadcastIsRefused() throws {
    var exchange = try Exchange()
    let made = try channel(&exchange, policy: 0)
    #expect(
      try publish(&exchange, made) { $0.fields["apns-expiration"] = "1800000060" }.verdict
        == "400 BadExpirationDate")
    #expect(
      try publish(&exchange, made, app: "com.example.app.push-type.liveactivity").verdict
        == "400 TopicDisallowed")
    #expect(try publish(&exchange, nil).verdict == "400 MissingChannelId")
    #expect(
      try publish(&exchange, made) { $0.fields["apns-push-type"] = nil }.verdict == "400 MissingPushType")
    #expect(
      try publish(&exchange, made) { $0.body = Array(repeating: 0x20, count: 5_120) }.verdict == "200")
    #expect(
      try publish(&exchange, made) { $0.body = Array(repeating: 0x20, count: 5_121) }.verdict
        == "413 PayloadTooLarge")
    #expect(try publish(&exchange, made) { $0.body = [] }.verdict == "400 PayloadEmpty")
  }

  /// Row 78.
  @Test func theRecordWarnsOfABroadcastThatStarts() throws {
    var exchange = try Exchange()
    let made = try channel(&exchange)
    let reply = try publish(&exchange, made) {
      $0.body = Array(#"{"aps":{"event":"start","timestamp":1,"content-state":{}}}"#.utf8)
    }
    #expect(reply.verdict == "200")
    #expect(reply.facts.json.text.contains("a broadcast cannot start an activity"))
  }

  @Test func channelsMayBeOff() throws {
    var exchange = try Exchange { $0.hasBroadcast = false }
    #expect(try manage(&exchange, "POST", body: Self.create).verdict == "400 FeatureNotEnabled")
  }

  /// A certificate without topics stands for all of them.
  @Test(
    arguments: [
      ([], "200"), (["com.example.app"], "200"), (["com.other.app", "com.example.app"], "200"),
      (["com.other.app"], "403 TopicMismatch"),
    ] as [([String], String)])
  func aCertificateManagesItsTopics(_ topics: [String], _ verdict: String) throws {
    var exchange = try Exchange(certificate: ProviderCertificate(topics: topics))
    let reply = try manage(&exchange, "GET", path: "/1/apps/com.example.app/all-channels") {
      $0.fields["authorization"] = nil
    }
    #expect(reply.verdict == verdict)
  }

  @Test(arguments: [(-1, "400 BadRequestParams"), (0, "201"), (1, "201"), (2, "400 BadRequestParams")])
  func aStoragePolicyIsZeroOrOne(_ policy: Int, _ verdict: String) throws {
    var exchange = try Exchange()
    let body = #"{"message-storage-policy":\#(policy),"push-type":"LIVEACTIVITY"}"#
    #expect(try manage(&exchange, "POST", body: body).verdict == verdict)
  }
}
