import DeviceRegistry
import LinkspanCore
import LinkspanServer
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import RegistryRequests
@testable import RegistryServer

/// What a client is told of APNs' refusal about a channel.
@Suite struct ChannelRefusalTests {
  private func refusal(_ status: Int, _ reason: String?, after: String? = nil) -> HTTPResponse {
    var response = HTTPResponse(
      status: status, body: Array((reason.map { "{\"reason\":\"\($0)\"}" } ?? "").utf8))
    if let after { response.fields["Retry-After"] = after }
    return RegistryAPI.refusal(ChannelAnswer(response, to: .create(.none)))
  }

  /// 409 where the request has to change, 502 where APNs fails or refuses the key; when to come again where that helps.
  @Test(
    arguments: [
      (400, "BadChannelId", 409, nil), (403, "InvalidProviderToken", 502, nil),
      (429, "TooManyRequests", 429, "60"),
      (499, nil, 409, nil), (500, "InternalServerError", 502, "60"), (503, "Shutdown", 502, "60"),
    ] as [(Int, String?, Int, String?)])
  func saysWhoseFaultItIsAndWhenToComeAgain(_ status: Int, _ reason: String?, _ answer: Int, _ after: String?)
  {
    let response = refusal(status, reason)
    #expect(response.status == answer)
    #expect(response.fields["Retry-After"] == after)
  }

  @Test(arguments: [429, 503]) func theTimeIsTheOneThatAPNsAsksFor(_ status: Int) {
    #expect(refusal(status, nil, after: "7").fields["Retry-After"] == "7")
  }

  @Test func anAnswerOfAnotherKindIsNoRefusal() {
    #expect(RegistryAPI.refusal(.deleted).status == 502)
  }
}

/// An expiration that is over when the request comes. 0 asks APNs to try once and is never over.
@Suite struct PastExpirationTests {
  @Test(
    arguments: [(nil, false), (0, false), (1, true), (1_700_000_000, true), (1_700_000_001, false)]
      as [(Int64?, Bool)])
  func aPushThatNoDeviceGetsIsTold(expiration: Int64?, isPast: Bool) {
    let warnings = RegistryAPI.warnings(
      MessageReader(), expiration, at: WallTime(milliseconds: 1_700_000_000_000))
    #expect(
      warnings
        == (isPast ? [InputProblem("/expiration", "It is in the past, so no device gets the push.")] : []))
  }
}

/// A Live Activity is told of by the channel of its own app, in its own environment.
@Suite struct ActivityChannelTests {
  @Test(arguments: [
    ("com.example.app", "sandbox", 201), ("com.example.app", "production", 409),
    ("com.example.other", "sandbox", 409), ("com.example.other", "production", 409),
  ])
  func aChannelIsOfItsAppAndEnvironment(topic: String, environment: String, status: Int) throws {
    #expect(try start(topic, environment).status == status)
  }

  @Test func aDeletedChannelIsCalledDeleted() throws {
    let response = try start("com.example.app", "sandbox", isDeleted: true)
    #expect(response.status == 409)
    #expect(
      JSONParser.parse(response.body).root?["detail"]?.string
        == "The channel was deleted, so no activity hears it.")
  }

  /// A device drops a state that is not newer than the one it shows (push 5.1, 'timestamp').
  @Test func updatesAtOneMomentHaveTimestampsOfTheirOwn() throws {
    let held = LockedState<[(JSONNode, @Sendable () -> Void)]>([])
    let world = try World(channels: { request, _, _, done in
      guard case .publish(let broadcast) = request else { return done(.failure(.init("unexpected"))) }
      guard let payload = JSONParser.parse(broadcast.payload).root else { return }
      held.withLock { $0.append((payload, { done(.success(.published("A"))) })) }
    })
    defer { world.registry.stop() }
    let activity = try world.startActivity()
    let answers = WorkQueue<HTTPResponse>(limit: 3)
    for score in 1...3 {
      world.send("/v1/activities/\(activity)/update", #"{"content_state":{"score":\#(score)}}"#, to: answers)
    }
    // No answer of APNs comes before all three are on their way.
    while held.withLock({ $0.count }) < 3 { try world.registry.changeAndWait { _ in } }
    let sent = held.withLock { $0 }
    for (_, answer) in sent { answer() }
    for _ in 1...3 { #expect(answers.take(1)?.first?.status == 200) }
    let second = world.now.milliseconds / 1_000
    let timestamps = sent.compactMap { $0.0["aps"]?["timestamp"]?.wholeNumber }
    #expect(timestamps.sorted() == [second + 1, second + 2, second + 3])
  }

  @Test func aRefusedUpdateTakesNoTimestamp() throws {
    let world = try World(channels: { _, _, _, done in done(.success(.published("A"))) })
    defer { world.registry.stop() }
    let path = "/v1/activities/\(try world.startActivity())"
    let before = try #require(JSONParser.parse(world.ask("GET", path).body).root?["updated_at"]?.string)
    #expect(try world.ask("POST", path + "/update", #"{"content_state":1}"#).status == 400)
    #expect(try JSONParser.parse(world.ask("GET", path).body).root?["updated_at"]?.string == before)
  }

  /// Nothing reaches an activity whose channel is gone; push 6: a channel's deletion is irreversible.
  @Test func anActivityEndsWithItsChannel() throws {
    let world = try World(channels: { _, _, _, done in done(.success(.published("A"))) })
    defer { world.registry.stop() }
    let path = "/v1/activities/\(try world.startActivity())"
    #expect(try JSONParser.parse(world.ask("GET", path).body).root?["state"]?.string == "active")
    let (channel, now) = (world.channel, world.now)
    try world.registry.changeAndWait { store throws(RegistryError) in
      try store.endChannel(channel, at: now)
    }
    let ended = try #require(JSONParser.parse(world.ask("GET", path).body).root)
    #expect(ended["state"]?.string == "ended" && ended["ended_at"]?.string == "\(world.now)")
    let update = try world.ask("POST", path + "/update", #"{"content_state":{"score":1}}"#)
    #expect(update.status == 409)
    let detail = JSONParser.parse(update.body).root?["detail"]?.string
    #expect(detail == "The channel was deleted, so no activity hears it.")
  }

  /// A registry with a channel, and its API over an APNs of the test's.
  private struct World {
    let registry: Registry
    let api: RegistryAPI
    let channel: Int64
    let now = WallTime("2026-09-14T08:00:00Z")!
    private let folder: ScratchFolder

    init(channels: @escaping RegistryAPI.ChannelRoute) throws {
      folder = try ScratchFolder()
      registry = try Registry(.sqlite(path: folder.path("registry.db")))
      let now = now
      channel = try registry.changeAndWait { store throws(RegistryError) in
        try store.addChannel(
          "dHN0LXNyY2gtY2hubA==", of: "com.example.app", .sandbox, .newest, name: nil, actor: "test", at: now
        ).identifier
      }
      var options = RegistryAPI.Options()
      options.channels = channels
      api = RegistryAPI(registry, options, now: { now })
    }

    func send(_ path: String, method: String = "POST", _ body: String?, to answers: WorkQueue<HTTPResponse>) {
      var request = HTTPRequest(
        method: method, authority: "console", target: path, body: Array((body ?? "").utf8))
      if body != nil { request.fields["Content-Type"] = "application/json" }
      api.answer(request, as: "test") { response in _ = answers.add(response) }
    }

    func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> HTTPResponse {
      let answers = WorkQueue<HTTPResponse>(limit: 1)
      send(path, method: method, body, to: answers)
      return try #require(answers.take(1)?.first)
    }

    func startActivity() throws -> String {
      let answer = try ask(
        "POST", "/v1/activities",
        #"{"topic":"com.example.app","environment":"sandbox","channel":"\#(channel)"}"#)
      return try #require(JSONParser.parse(answer.body).root?["id"]?.string)
    }
  }

  /// The answer to the start of an activity with a channel of com.example.app in the sandbox.
  private func start(_ topic: String, _ environment: String, isDeleted: Bool = false) throws -> HTTPResponse {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let now = WallTime("2026-09-14T08:00:00Z")!
    let channel = try registry.changeAndWait { store throws(RegistryError) in
      let channel = try store.addChannel(
        "dHN0LXNyY2gtY2hubA==", of: "com.example.app", .sandbox, .newest, name: nil, actor: "test", at: now)
      if isDeleted { try store.endChannel(channel.identifier, at: now) }
      return channel
    }
    let api = RegistryAPI(registry, now: { now })
    let text = #"{"topic":"\#(topic)","environment":"\#(environment)","channel":"\#(channel.identifier)"}"#
    var request = HTTPRequest(
      method: "POST", authority: "console", target: "/v1/activities", body: Array(text.utf8))
    request.fields["Content-Type"] = "application/json"
    let answers = WorkQueue<HTTPResponse>(limit: 1)
    api.answer(request, as: "test") { response in _ = answers.add(response) }
    return try #require(answers.take(1)?.first)
  }
}
