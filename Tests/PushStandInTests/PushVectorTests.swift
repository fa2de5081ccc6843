import LinkspanCore
import PushTerms
import Testing

@testable import PushStandIn

/// The test table of the push notes (11), by number: requests to devices.
@Suite struct PushVectorTests {
  /// One row: a change to B, and what comes of it.
  struct Row: CustomTestStringConvertible, Sendable {
    var number: String
    var verdict: String
    var configure: @Sendable (inout APNsConfiguration) -> Void = { _ in }
    var change: @Sendable (inout HTTPRequest) -> Void = { _ in }

    var testDescription: String { number }
  }

  static let wide: String = String(repeating: "a", count: 64)

  static func row(
    _ number: String, _ verdict: String, in configure: @escaping @Sendable (inout APNsConfiguration) -> Void,
    _ change: @escaping @Sendable (inout HTTPRequest) -> Void
  ) -> Row {
    Row(number: number, verdict: verdict, configure: configure, change: change)
  }

  static func row(
    _ number: String, _ verdict: String, _ change: @escaping @Sendable (inout HTTPRequest) -> Void
  ) -> Row {
    Row(number: number, verdict: verdict, change: change)
  }

  static func field(_ number: String, _ name: String, _ value: String?, _ verdict: String) -> Row {
    row(number, verdict) { $0.fields[name] = value }
  }

  static func body(_ number: String, _ count: Int, _ verdict: String) -> Row {
    row(number, verdict) { $0.body = Array(repeating: 0x20, count: count) }
  }

  static let path: [Row] = [
    row("7", "405 MethodNotAllowed") {
      $0.method = "GET"
      $0.target = "/"
    },
    row("8", "405 MethodNotAllowed") { $0.method = "PUT" },
    row("9", "404 BadPath") { $0.target = "/3/devices/\(Exchange.token)" },
    row("10", "400 MissingDeviceToken") { $0.target = "/3/device/" },
    row("11", "404 BadPath") { $0.target += "/x" },
    row("12", "400 BadDeviceToken") { $0.target = "/3/device/" + String(repeating: "z", count: 64) },
    row("13", "200") { $0.target = "/3/device/" + Exchange.token.uppercased() },
    row("14", "200", in: { $0.tokens.set(.init(), for: String(repeating: "ab", count: 80)) }) {
      $0.target = "/3/device/" + String(repeating: "ab", count: 80)
    },
    row("15", "400 BadDeviceToken") { $0.target += "0" },
    row("16", "400 BadDeviceToken", in: { $0.tokens.set(.init(environment: .production), for: "aa11") }) {
      $0.target = "/3/device/aa11"
    },
    field("17", "apns-topic", "com.other.app", "400 DeviceTokenNotForTopic"),
  ]

  static let fields: [Row] = [
    row("1", "200") { _ in },
    field("2", "apns-id", "123e4567-e89b-12d3-a456-4266554400a0", "200"),
    field("3", "apns-id", "123E4567-E89B-12D3-A456-4266554400A0", "200"),
    field("4", "apns-id", "nope", "400 BadMessageId"),
    field("18", "apns-topic", nil, "400 MissingTopic"),
    field("21 blank", "apns-topic", "com.example.app ", "400 BadTopic"),
    field("21 long", "apns-topic", String(repeating: "a", count: 300), "400 BadTopic"),
    field("22", "apns-topic", "org.stranger.app", "400 TopicDisallowed"),
    field("23", "apns-push-type", "voip", "400 TopicDisallowed"),
    row("24", "200", in: { $0.tokens.set(.init(topic: "com.example.app.push-type.liveactivity"), for: "aa") })
    {
      $0.target = "/3/device/aa"
      $0.fields["apns-topic"] = "com.example.app.push-type.liveactivity"
      $0.fields["apns-push-type"] = "liveactivity"
    },
    field("25", "apns-push-type", "banana", "400 InvalidPushType"),
    row("26 controls", "200", in: { $0.tokens = .init() }) {
      $0.fields["apns-topic"] = "com.example.app.push-type.controls"
      $0.fields["apns-push-type"] = "controls"
    },
    row("26 widgets", "200", in: { $0.tokens = .init() }) {
      $0.fields["apns-topic"] = "com.example.app.push-type.widgets"
      $0.fields["apns-push-type"] = "widgets"
    },
    field("27", "apns-push-type", nil, "200"),
    field("28 one", "apns-priority", "1", "200"), field("28 five", "apns-priority", "5", "200"),
    field("29 seven", "apns-priority", "7", "400 BadPriority"),
    field("29 high", "apns-priority", "high", "400 BadPriority"),
    field("30", "apns-push-type", "background", "400 BadPriority"),
    row("31", "200", in: { $0.profile = .field }) { $0.fields["apns-push-type"] = "background" },
    field("33", "apns-expiration", "abc", "400 BadExpirationDate"),
    field("38 at", "apns-collapse-id", wide, "200"),
    field("38 above", "apns-collapse-id", wide + "a", "400 BadCollapseId"),
    field("38 bytes", "apns-collapse-id", String(repeating: "é", count: 33), "400 BadCollapseId"),
    row("40", "400 DuplicateHeaders") { $0.fields.append("apns-topic", "com.example.app") },
  ]

  static let payload: [Row] = [
    body("41", 0, "400 PayloadEmpty"), body("42 at", 4_096, "200"),
    body("42 above", 4_097, "413 PayloadTooLarge"),
    row("43 at", "200", in: { $0.tokens = .init() }) {
      $0.fields["apns-topic"] = "com.example.app.voip"
      $0.fields["apns-push-type"] = "voip"
      $0.body = Array(repeating: 0x20, count: 5_120)
    },
    row("43 above", "413 PayloadTooLarge", in: { $0.tokens = .init() }) {
      $0.fields["apns-topic"] = "com.example.app.voip"
      $0.fields["apns-push-type"] = "voip"
      $0.body = Array(repeating: 0x20, count: 5_121)
    },
  ]

  @Test(arguments: path + fields + payload)
  func answers(_ row: Row) throws {
    var exchange = try Exchange(row.configure)
    let reply = try exchange.push(row.change)
    #expect(reply.verdict == row.verdict)
    #expect(reply.facts.status == reply.response.status && reply.facts.reason?.rawValue == reply.reason)
    // Row 61: the moment comes with 410 and with nothing else.
    #expect((reply.timestamp != nil) == (reply.response.status == 410))
    #expect(reply.response.fields["content-type"] == (reply.reason == nil ? nil : "application/json"))
  }

  /// Rows 1, 5 and 6.
  @Test func anAcceptedPushHasAnEmptyBodyAndIdentifiers() throws {
    let uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
    var development = try Exchange()
    let reply = try development.push()
    #expect(reply.response.body.isEmpty)
    #expect(try #require(reply.response.fields["apns-id"]).wholeMatch(of: uuid) != nil)
    #expect(try #require(reply.response.fields["apns-unique-id"]).wholeMatch(of: uuid) != nil)
    #expect(try development.push().response.fields["apns-id"] != reply.response.fields["apns-id"])
    var production = try Exchange { $0.environment = .production }
    let answer = try production.push()
    #expect(answer.response.status == 200 && answer.response.fields["apns-unique-id"] == nil)
  }

  /// Row 2.
  @Test func theMessageIdentifierComesBack() throws {
    let identifier = "123e4567-e89b-12d3-a456-4266554400a0"
    var exchange = try Exchange()
    let accepted = try exchange.push { $0.fields["apns-id"] = identifier }
    let refused = try exchange.push {
      $0.fields["apns-id"] = identifier
      $0.body = []
    }
    #expect(accepted.response.fields["apns-id"] == identifier)
    #expect(refused.response.fields["apns-id"] == identifier && refused.response.status == 400)
  }

  /// Rows 19 and 20.
  @Test(arguments: [
    (["com.example.app"], "200"), (["com.example.app", "com.other.app"], "400 MissingTopic"),
  ])
  func aCertificateForOneTopicStandsForIt(_ topics: [String], _ verdict: String) throws {
    var exchange = try Exchange(certificate: ProviderCertificate(topics: topics))
    let reply = try exchange.push {
      $0.fields["authorization"] = nil
      $0.fields["apns-topic"] = nil
    }
    #expect(reply.verdict == verdict)
    #expect(reply.facts.topic == (verdict == "200" ? "com.example.app" : nil))
  }

  @Test func aCertificateThatNamesNoTopicStandsForTheOnlyOne() throws {
    var exchange = try Exchange(certificate: ProviderCertificate(topics: [])) {
      $0.topics = ["com.example.app"]
    }
    #expect(try exchange.push { $0.fields["apns-topic"] = nil }.verdict == "200")
  }

  @Test func aCertificateCoversItsTopicsOnly() throws {
    var exchange = try Exchange(certificate: ProviderCertificate(topics: ["com.other.app"]))
    #expect(try exchange.push().verdict == "400 TopicDisallowed")
  }

  @Test(arguments: [
    (ProviderCertificate(topics: ["com.example.app"], isUsable: false), "403 BadCertificate"),
    (
      ProviderCertificate(topics: ["com.example.app"], environments: [.production]),
      "403 BadCertificateEnvironment"
    ),
    (ProviderCertificate(topics: ["com.example.app"], environments: [.production, .sandbox]), "200"),
  ])
  func aCertificateIsJudged(_ certificate: ProviderCertificate, _ verdict: String) throws {
    var exchange = try Exchange(certificate: certificate)
    #expect(try exchange.push().verdict == verdict)
  }

  /// Row 32: accepted, and the record says what a device does with it.
  @Test func theRecordWarnsOfAcceptedPushesThatDoNothing() throws {
    var exchange = try Exchange()
    let shown = try exchange.push {
      $0.fields["apns-push-type"] = "background"
      $0.fields["apns-priority"] = "5"
      $0.body = Array(#"{"aps":{"content-available":1,"alert":"x"}}"#.utf8)
    }
    #expect(shown.verdict == "200")
    #expect(shown.facts.json.text.contains("mismatch: push type background with something to show"))
    let untyped = try exchange.push { $0.fields["apns-push-type"] = nil }
    #expect(untyped.facts.json.text.contains("apns-push-type is missing"))
    #expect(!(try exchange.push().facts.json.text.contains("warnings")))
  }

  /// Rows 58 to 60.
  @Test func anAppThatIsGoneIsGoneUntilItRegistersAgain() throws {
    var exchange = try Exchange()
    let gone = Exchange.start.advanced(by: .seconds(-100))
    exchange.service.set(
      .init(topic: "com.example.app", state: .unregistered(since: gone)), for: Exchange.token.uppercased())
    let refused = try exchange.push()
    #expect(refused.verdict == "410 Unregistered")
    #expect(refused.timestamp == Int(gone.milliseconds))
    exchange.service.set(.init(topic: "com.example.app"), for: Exchange.token)
    #expect(try exchange.push().verdict == "200")
    exchange.service.set(.init(topic: "com.example.app", state: .expired(since: gone)), for: Exchange.token)
    let expired = try exchange.push()
    #expect(expired.verdict == "410 ExpiredToken" && expired.timestamp == Int(gone.milliseconds))
  }

  /// Push notes, 4: the time of a 410 is when APNs learnt of it. Told without a time, that is the moment of the call, or the
  /// start for what a file says.
  @Test func whatIsToldWithoutATimeHappensNow() throws {
    let text =
      "['\(Exchange.token)', {token: 'aabb', state: 'unregistered'}, {token: 'ccdd', state: 'expired'}]"
    guard case .tokens(let list) = DeviceTokens.parse(SourceText(name: "tokens", text)) else {
      Issue.record("it is refused")
      return
    }
    var exchange = try Exchange { $0.tokens = list }
    func refused(_ token: String) throws -> Int? {
      try exchange.push { $0.target = "/3/device/\(token)" }.timestamp
    }
    exchange.now = exchange.now.advanced(by: .seconds(500))
    #expect(try refused("aabb") == Int(Exchange.start.milliseconds))
    #expect(try refused("ccdd") == Int(Exchange.start.milliseconds))
    exchange.service.take(list, at: exchange.now)
    #expect(try refused("aabb") == Int(exchange.now.milliseconds))
    #expect(try refused("ccdd") == Int(exchange.now.milliseconds))
    #expect(try refused(Exchange.token) == nil)
  }

  /// Push notes, 4: in the field a token outlives its app by hours.
  @Test func inTheFieldATokenOutlivesItsApp() throws {
    var exchange = try Exchange { $0.profile = .field }
    exchange.service.set(
      .init(topic: "com.example.app", state: .unregistered(since: exchange.now)), for: Exchange.token)
    #expect(try exchange.push().verdict == "200")
    exchange.now = exchange.now.advanced(by: .seconds(3_599))
    #expect(try exchange.push().verdict == "200")
    exchange.now = exchange.now.advanced(by: .seconds(7 * 3_600 + 1))
    #expect(try exchange.push().verdict == "410 Unregistered")
  }

  @Test(arguments: [
    (DeviceTokens.Unlisted.accepted, "200"), (.unregistered, "410 Unregistered"),
    (.badDeviceToken, "400 BadDeviceToken"),
  ])
  func anUnlistedTokenIsAnsweredAsAskedFor(_ unlisted: DeviceTokens.Unlisted, _ verdict: String) throws {
    var exchange = try Exchange { $0.tokens.unlisted = unlisted }
    #expect(try exchange.push { $0.target = "/3/device/aabb" }.verdict == verdict)
  }

  /// Row 62.
  @Test func pushesToOneTokenAreLimitedWhereAskedFor() throws {
    var exchange = try Exchange { $0.limits.pushesPerTokenPerSecond = 20 }
    let request = try exchange.base
    let verdicts = (0..<50).map { _ in exchange.send(request).verdict }
    #expect(verdicts.prefix(20).allSatisfy { $0 == "200" })
    #expect(verdicts.dropFirst(20).allSatisfy { $0 == "429 TooManyRequests" })
    exchange.now = exchange.now.advanced(by: .seconds(1))
    #expect(exchange.send(request).verdict == "200")
  }

  /// Row 64.
  @Test func aDrainingServerSendsEverybodyAway() throws {
    var exchange = try Exchange()
    exchange.service.isDraining = true
    let reply = try exchange.push()
    #expect(reply.verdict == "503 Shutdown")
    #expect(String(decoding: reply.goAway?.debugData ?? [], as: UTF8.self) == #"{"reason":"Shutdown"}"#)
    #expect(try exchange.push().goAway == nil)
  }

  /// Row 65 and push notes 1.8 and 1.9.
  @Test func aConnectionGrowsWithItsFirstAcceptedPush() throws {
    var exchange = try Exchange()
    #expect(try exchange.push { $0.fields["apns-priority"] = "7" }.concurrentStreams == nil)
    #expect(try exchange.push().concurrentStreams == 1_000)
    #expect(try exchange.push().concurrentStreams == nil)
  }

  /// Push notes 1.11.
  @Test func inTheFieldARejectionShrinksTheConnection() throws {
    var exchange = try Exchange { $0.profile = .field }
    _ = try exchange.push()
    #expect(try exchange.push { $0.body = [] }.concurrentStreams == 1)
    #expect(try exchange.push().concurrentStreams == 1_000)
    exchange.service.set(
      .init(topic: "com.example.app", state: .expired(since: exchange.now)), for: Exchange.token)
    #expect(try exchange.push().concurrentStreams == nil)
  }

  /// Row 66 and push notes 1.12: `BadDeviceToken` counts five times, and 410 not at all.
  @Test func tooManyErrorsEndAConnection() throws {
    var exchange = try Exchange()
    for count in 1...20 {
      let reply = try exchange.push { $0.target = "/3/device/zz" }
      #expect((reply.goAway != nil) == (count == 20))
      #expect(count < 20 || reply.goAway?.reason == "BadDeviceToken")
    }
    var other = try Exchange()
    other.service.set(
      .init(topic: "com.example.app", state: .expired(since: other.now)), for: Exchange.token)
    for _ in 0..<200 { #expect(try other.push().goAway == nil) }
  }
}
