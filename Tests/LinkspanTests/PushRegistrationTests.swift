import Dispatch
import Foundation
import LinkspanCore
import Testing

@testable import Linkspan
@testable import LinkspanDecisions

/// Tokens, registrations and background pushes (push 2.3, push 7.5).
struct PushRegistrationTests {
  /// Text in Base64 has to be as long as a token: short texts are often words.
  @Test func aShortTextIsNoTokenInBase64() {
    func data(_ count: Int) -> Data { Data(repeating: 0xFB, count: count) }
    #expect(DeviceToken(text: data(16).base64EncodedString()) == DeviceToken(data(16)))
    #expect(DeviceToken(text: data(15).base64EncodedString()) == nil)
    #expect(DeviceToken(text: "") == nil && DeviceToken(text: "<>") == nil && DeviceToken(text: "0") == nil)
    #expect(DeviceToken(text: "<0f") == nil && DeviceToken(text: "0f>") == nil)
  }

  private static let token = DeviceToken(Data((0..<32).map { UInt8($0) }))

  @Test(arguments: [
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
    "<00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f>",
    " 00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f\n",
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
  ])
  func everyTextFormIsTheSameToken(text: String) {
    #expect(DeviceToken(text: text) == Self.token)
  }

  @Test(arguments: [
    "", "<>", "xyz", "000", "word", "{length = 32, bytes = 0x0dac7aea 1b2d3f40 ... 1b2d3f40 1b2d3f40 }",
    "<00 01",
  ])
  func otherTextsAreNoToken(text: String) {
    #expect(DeviceToken(text: text) == nil)
  }

  @Test func aTokenIsWrittenInTheFormsThatServersWant() {
    #expect(Self.token.hexadecimal == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
    #expect(
      Self.token.bracketed == "<00010203 04050607 08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f>")
    #expect("\(Self.token)" == "00010203…")
    #expect(DeviceToken(text: Self.token.bracketed) == Self.token)
  }

  @Test(arguments: [
    ("<key>aps-environment</key>\n\t<string>development</string>", PushEnvironment.sandbox),
    ("<key>aps-environment</key><string>production</string>", .production),
    ("<key>get-task-allow</key><true/>", nil), ("<key>aps-environment</key><string>other</string>", nil),
  ])
  func theProfileSaysTheEnvironment(text: String, environment: PushEnvironment?) {
    var profile = Data([0x30, 0x82, 0xFF, 0x00])
    profile.append(Data(text.utf8))
    profile.append(Data([0xFF, 0x00]))
    #expect(PushEnvironment.detect(provisioningProfile: profile, isSimulator: false) == environment)
    #expect(PushEnvironment.detect(provisioningProfile: profile, isSimulator: true) == .sandbox)
  }

  @Test func aBuildFromTheStoreHasNoProfile() {
    #expect(PushEnvironment.detect(provisioningProfile: nil, isSimulator: false) == .production)
  }

  /// An app of Catalyst has the Mac's profile, at the Mac's place.
  @Test(arguments: ["embedded.mobileprovision", "Contents/embedded.provisionprofile"])
  func theProfileIsFoundInTheBundle(path: String) throws {
    let bundle = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".app")
    defer { try? FileManager.default.removeItem(at: bundle) }
    let profile = bundle.appendingPathComponent(path)
    let folder = profile.deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    #expect(PushEnvironment.of(bundle: bundle, isSimulator: false) == .production)
    try Data("<key>com.apple.developer.aps-environment</key><string>development</string>".utf8).write(
      to: profile)
    #expect(PushEnvironment.of(bundle: bundle, isSimulator: false) == .sandbox)
    // A profile that cannot be read is no build of the store.
    try FileManager.default.removeItem(at: profile)
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: false)
    #expect(PushEnvironment.of(bundle: bundle, isSimulator: false) == nil)
    #expect(PushEnvironment.of(bundle: bundle, isSimulator: true) == .sandbox)
  }

  private static func registration(alias: String? = "user-17") -> PushRegistration {
    PushRegistration(
      token: token, topic: "com.example.app", environment: .sandbox, alias: alias, locale: "de_AT",
      timeZone: "Europe/Vienna", tags: ["beta", "a"])
  }

  @Test func registersWithTheRegistry() {
    let request = Self.registration(alias: nil).request(
      to: .registry(base: "https://push.example/", credential: "secret"))
    #expect(request.method == "PUT")
    #expect(request.url == "https://push.example/v1/devices/\(Self.token.hexadecimal)")
    #expect(request.headers["Authorization"] == "Bearer secret")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"alias":null,"environment":"sandbox","locale":"de_AT","tags":["a","beta"],"timezone":"Europe/Vienna","#
        + #""topic":"com.example.app"}"#)
    let removal = Self.registration().removal(
      from: .registry(base: "https://push.example", credential: "secret"))
    #expect(removal.method == "DELETE")
    #expect(removal.url.hasSuffix("?topic=com.example.app&environment=sandbox"))
  }

  @Test func registersWithTheServerOf2013() {
    let request = Self.registration().request(to: .legacy(base: "https://push.example/push_notification"))
    #expect(request.url == "https://push.example/push_notification/devices/\(Self.token.hexadecimal)")
    #expect(request.headers["Authorization"] == nil)
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == #"{"alias":"user-17","locale":"de_AT","tags":["a","beta"],"timezone":"Europe/Vienna"}"#)
  }

  // MARK: - The registrar

  private final class Server: RegistrationTransport {
    private let state: Guarded<(answers: [RegistrationAnswer?], requests: [PushRegistration.Request])>
    init(_ answers: [RegistrationAnswer?]) { state = Guarded((answers, [])) }
    var requests: [PushRegistration.Request] { state.withLock { $0.requests } }

    /// Nil for no answer; after the last one each request succeeds.
    func send(_ request: PushRegistration.Request) async throws -> RegistrationAnswer {
      let answer = state.withLock { state -> RegistrationAnswer? in
        state.requests.append(request)
        return state.answers.isEmpty ? RegistrationAnswer(status: 200) : state.answers.removeFirst()
      }
      guard let answer else { throw URLError(.notConnectedToInternet) }
      return answer
    }
  }

  /// Keeps each answer back until the test gives it, and holds what a server would hold then.
  private final class SlowServer: RegistrationTransport {
    private let state = Guarded<
      (requests: [String], open: [CheckedContinuation<RegistrationAnswer?, Never>])
    >(
      ([], []))
    private let arrivals = AsyncStream<Void>.makeStream()
    /// Methods and aliases, in the order in which the server saw them.
    var requests: [String] { state.withLock { $0.requests } }

    func send(_ request: PushRegistration.Request) async throws -> RegistrationAnswer {
      let body = String(decoding: request.body, as: UTF8.self)
      let alias = ["anna", "bob"].first { body.contains("\"\($0)\"") }
      let answer = await withCheckedContinuation { continuation in
        state.withLock {
          $0.requests.append([request.method, alias].compactMap(\.self).joined(separator: " "))
          $0.open.append(continuation)
        }
        arrivals.continuation.yield()
      }
      guard let answer else { throw URLError(.timedOut) }
      return answer
    }

    /// Waits for the next request.
    func arrival() async {
      for await _ in arrivals.stream { return }
    }

    /// Answers the oldest open request; nil for an answer that is lost.
    func answer(_ status: Int?) {
      let first = state.withLock { $0.open.removeFirst() }
      first.resume(returning: status.map { RegistrationAnswer(status: $0) })
    }
  }

  private final class Memory: RegistrationMemory {
    private let bytes = Guarded<[UInt8]?>(nil)
    func load() -> [UInt8]? { bytes.withLock { $0 } }
    func store(_ bytes: [UInt8]?) { self.bytes.withLock { $0 = bytes } }
  }

  private static func registrar(
    _ server: any RegistrationTransport, _ memory: Memory = Memory(), clock: ManualClock = ManualClock(),
    base: String = "https://push.example"
  ) -> PushRegistrar<ManualClock> {
    PushRegistrar(
      service: .registry(base: base, credential: "secret"), transport: server, memory: memory, clock: clock,
      jitter: { 1 })
  }

  @Test func sendsOnlyWhatChanged() async throws {
    let server = Server([])
    let memory = Memory()
    let registrar = Self.registrar(server, memory)
    #expect(try await registrar.register(Self.registration(), time: 0) == .registered)
    #expect(try await registrar.register(Self.registration(), time: 60) == .unchanged)
    // Another launch of the app.
    #expect(try await Self.registrar(server, memory).register(Self.registration(), time: 120) == .unchanged)
    #expect(try await registrar.register(Self.registration(alias: "user-18"), time: 180) == .registered)
    let moved = Self.registrar(server, memory, base: "https://other.example")
    #expect(try await moved.register(Self.registration(alias: "user-18"), time: 240) == .registered)
    #expect(
      try await moved.register(Self.registration(alias: "user-18"), time: 240 + 31 * 86_400) == .registered)
    #expect(server.requests.count == 4)
    #expect(memory.load().map { String(decoding: $0, as: UTF8.self).contains("secret") } == false)
  }

  @Test func forgettingLeadsToANewRegistration() async throws {
    let server = Server([])
    let registrar = Self.registrar(server)
    _ = try await registrar.register(Self.registration(), time: 0)
    try await registrar.unregister(Self.registration())
    #expect(try await registrar.register(Self.registration(), time: 1) == .registered)
    #expect(server.requests.map(\.method) == ["PUT", "DELETE", "PUT"])
  }

  @Test(arguments: [401, 403, 404, 422])
  func aRefusalIsNotRepeated(status: Int) async throws {
    let server = Server([RegistrationAnswer(status: status)])
    let registrar = Self.registrar(server)
    #expect(
      try await registrar.register(Self.registration(), time: 0) == .refused(status: status, message: nil))
    #expect(server.requests.count == 1)
    #expect(try await registrar.register(Self.registration(), time: 1) == .registered)
  }

  @Test func failuresAreRepeatedWithGrowingWaits() async throws {
    let server = Server([
      nil, RegistrationAnswer(status: 503), RegistrationAnswer(status: 429, retryAfter: 60), nil,
    ])
    let clock = ManualClock()
    let registrar = Self.registrar(server, clock: clock)
    async let outcome = registrar.register(Self.registration(), time: 0)
    for _ in 0..<4 {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1_000))
    }
    #expect(try await outcome == .registered)
    #expect(clock.slept == [.seconds(2), .seconds(4), .seconds(90), .seconds(16)])
    #expect(server.requests.count == 5)
  }

  @Test func givesUpAfterSoManyAttempts() async throws {
    let server = Server(Array(repeating: nil, count: 20))
    let clock = ManualClock()
    let registrar = Self.registrar(server, clock: clock)
    async let outcome = registrar.register(Self.registration(), time: 0)
    for _ in 0..<5 {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1_000))
    }
    guard case .failed(attempts: 6, let reason) = try await outcome else {
      Issue.record("it did not give up")
      return
    }
    #expect(!reason.isEmpty)
  }

  /// What the server says reaches the app, from an answer that is final and from the last of several.
  @Test func theReasonOfTheServerIsKept() async throws {
    let refused = Self.registrar(Server([RegistrationAnswer(status: 401, message: "no such credential")]))
    #expect(
      try await refused.register(Self.registration(), time: 0)
        == .refused(status: 401, message: "no such credential"))
    let busy = Server(Array(repeating: RegistrationAnswer(status: 503, message: "closed"), count: 6))
    let clock = ManualClock()
    let registrar = Self.registrar(busy, clock: clock)
    async let outcome = registrar.register(Self.registration(), time: 0)
    for _ in 0..<5 {
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1_000))
    }
    #expect(try await outcome == .failed(attempts: 6, reason: "the server answers 503: closed"))
  }

  @Test func theAnswerToForgettingIsTheServers() async throws {
    let registrar = Self.registrar(Server([RegistrationAnswer(status: 401)]))
    #expect(try await registrar.unregister(Self.registration()).status == 401)
  }

  @Test func aNewTokenSupersedesAWaitingRegistration() async throws {
    let server = Server([nil])
    let clock = ManualClock()
    let registrar = Self.registrar(server, clock: clock)
    async let first = registrar.register(Self.registration(), time: 0)
    await clock.waitForSleepers(1)
    #expect(try await registrar.register(Self.registration(alias: "user-18"), time: 1) == .registered)
    clock.advance(by: .seconds(1_000))
    #expect(try await first == .superseded)
    #expect(server.requests.count == 2)
  }

  /// The server may hold what was sent last, although no answer says so: what it held before is sent again.
  @Test func aLostAnswerMakesTheRememberedRegistrationUncertain() async throws {
    let server = Server([RegistrationAnswer(status: 200), nil])
    let memory = Memory()
    var retry = PushRegistrar<ManualClock>.Retry()
    retry.attempts = 1
    let registrar = PushRegistrar(
      service: .registry(base: "https://push.example", credential: "secret"), transport: server,
      memory: memory, clock: ManualClock(), retry: retry, jitter: { 1 })
    #expect(try await registrar.register(Self.registration(alias: "anna"), time: 0) == .registered)
    guard case .failed = try await registrar.register(Self.registration(alias: "bob"), time: 1) else {
      Issue.record("the answer was lost")
      return
    }
    #expect(try await registrar.register(Self.registration(alias: "anna"), time: 2) == .registered)
    #expect(server.requests.count == 3)
    #expect(try await registrar.register(Self.registration(alias: "anna"), time: 3) == .unchanged)
  }

  @Test func aRegistrationWaitsForTheOneOnItsWay() async throws {
    let server = SlowServer()
    let registrar = Self.registrar(server)
    async let anna = registrar.register(Self.registration(alias: "anna"), time: 0)
    await server.arrival()
    server.answer(200)
    #expect(try await anna == .registered)
    async let bob = registrar.register(Self.registration(alias: "bob"), time: 1)
    await server.arrival()
    async let again = registrar.register(Self.registration(alias: "anna"), time: 2)
    while await registrar.waitingCount == 0 { await Task.yield() }
    #expect(server.requests == ["PUT anna", "PUT bob"])
    server.answer(200)
    await server.arrival()
    server.answer(200)
    #expect(try await bob == .superseded)
    #expect(try await again == .registered)
    #expect(server.requests == ["PUT anna", "PUT bob", "PUT anna"])
  }

  @Test func theSameRegistrationTwiceAtOnceIsSentOnce() async throws {
    let server = SlowServer()
    let registrar = Self.registrar(server)
    async let first = registrar.register(Self.registration(alias: "anna"), time: 0)
    await server.arrival()
    async let second = registrar.register(Self.registration(alias: "anna"), time: 1)
    while await registrar.waitingCount == 0 { await Task.yield() }
    server.answer(200)
    #expect(try await first == .superseded)
    #expect(try await second == .unchanged)
    #expect(server.requests == ["PUT anna"])
  }

  /// The `DELETE` of a log-out is the last that the server sees, and the next log-in is sent after it.
  @Test(arguments: [200, 503, nil])
  func aLogOutWaitsForTheRegistrationOnItsWay(status: Int?) async throws {
    let server = SlowServer()
    let memory = Memory()
    let registrar = Self.registrar(server, memory)
    async let anna = registrar.register(Self.registration(alias: "anna"), time: 0)
    await server.arrival()
    async let logOut = registrar.unregister(Self.registration(alias: "anna"))
    while await registrar.waitingCount == 0 { await Task.yield() }
    #expect(server.requests == ["PUT anna"])
    server.answer(status)
    #expect(try await anna == .superseded)
    await server.arrival()
    #expect(memory.load() == nil)
    async let next = registrar.register(Self.registration(alias: "anna"), time: 1)
    while await registrar.waitingCount == 0 { await Task.yield() }
    server.answer(200)
    #expect(try await logOut.status == 200)
    await server.arrival()
    server.answer(200)
    #expect(try await next == .registered)
    #expect(server.requests == ["PUT anna", "DELETE", "PUT anna"])
  }

  /// Devices that the server sends away together come back apart, and none later than the limit.
  @Test(arguments: [
    (60, 60, 90), (300, 300, 450), (301, 300, 450), (86_400, 300, 450), (Int.max, 300, 450), (-5, 1, 2),
  ])
  func noWaitIsLongerThanTheLongest(asked: Int, least: Int, most: Int) async throws {
    for (jitter, seconds) in [(0.0, least), (1.0, most)] {
      let clock = ManualClock()
      let registrar = PushRegistrar(
        service: .registry(base: "https://push.example", credential: "secret"),
        transport: Server([RegistrationAnswer(status: 503, retryAfter: asked)]), memory: Memory(),
        clock: clock, jitter: { jitter })
      async let outcome = registrar.register(Self.registration(), time: 0)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1_000))
      #expect(try await outcome == .registered)
      #expect(clock.slept == [.seconds(seconds)])
    }
  }

  /// `URLSession` throws an error of its own when the task is cancelled.
  @Test func aCancelledTransportIsACancellation() async throws {
    struct Cancelled: RegistrationTransport {
      func send(_ request: PushRegistration.Request) async throws -> RegistrationAnswer {
        withUnsafeCurrentTask { $0?.cancel() }
        throw URLError(.cancelled)
      }
    }
    var retry = PushRegistrar<ManualClock>.Retry()
    retry.attempts = 1
    let registrar = PushRegistrar(
      service: .registry(base: "https://push.example", credential: "secret"), transport: Cancelled(),
      memory: Memory(), clock: ManualClock(), retry: retry, jitter: { 1 })
    let task = Task { try await registrar.register(Self.registration(), time: 0) }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// What the server holds is still known after a call that was cancelled before it sent anything.
  @Test func aCancelledCallForgetsNothing() async throws {
    let memory = Memory()
    memory.store([1])
    let server = Server([])
    let registrar = PushRegistrar(
      service: .registry(base: "https://push.example", credential: "secret"), transport: server,
      memory: memory, clock: ManualClock(), jitter: { 1 })
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await registrar.register(Self.registration(), time: 0)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(memory.load() == [1])
  }

  // MARK: - Background pushes

  @Test(arguments: [
    (DispatchTimeInterval.seconds(25), 25.0), (.milliseconds(500), 0.5), (.seconds(60), 29), (.never, 29),
  ])
  func noDeadlineIsLaterThanTheSystems(limit: DispatchTimeInterval, seconds: Double) {
    let now = DispatchTime(uptimeNanoseconds: 1_000_000_000)
    let deadline = BackgroundPush.deadline(limit, from: now)
    #expect(deadline.uptimeNanoseconds - now.uptimeNanoseconds == UInt64(seconds * 1_000_000_000))
  }

  @Test(arguments: BackgroundFetchOutcome.allCases)
  func theWorksAnswerIsTheAnswer(outcome: BackgroundFetchOutcome) async {
    let answers = Guarded<[BackgroundFetchOutcome]>([])
    await BackgroundPush.handle(
      clock: ManualClock(), work: { outcome },
      completion: { answer in
        answers.withLock { $0.append(answer) }
      }
    ).value
    #expect(answers.withLock { $0 } == [outcome])
  }

  @Test func anErrorIsAFailure() async {
    let outcome = await BackgroundPush.outcome(clock: ManualClock(), work: { throw URLError(.timedOut) })
    #expect(outcome == .failed)
  }

  @Test func workWithoutEndIsAnsweredBeforeThirtySeconds() async {
    let clock = ManualClock()
    let gate = Gate()
    let answers = Guarded<[BackgroundFetchOutcome]>([])
    let task = BackgroundPush.handle(
      limit: .seconds(60), clock: clock,
      work: {
        await gate.wait()
        return .newData
      }, completion: { answer in answers.withLock { $0.append(answer) } })
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(29))
    await task.value
    #expect(answers.withLock { $0 } == [.failed])
    gate.open()
    #expect(answers.withLock { $0 } == [.failed])
  }

  /// On an executor and a clock of the caller's own nothing of the handler leaves them, so what it does is known exactly.
  @Test(
    arguments: [
      (0, .newData, 0), (1, .newData, 1), (24, .newData, 24), (26, .failed, 25), (40, .failed, 25),
      (nil, .failed, 25),
    ] as [(Int?, BackgroundFetchOutcome, Int)], 1...20 as ClosedRange<UInt64>)
  func answersOnceInVirtualTime(_ row: (Int?, BackgroundFetchOutcome, Int), seed: UInt64) throws {
    let executor = SeededExecutor(seed: seed, elapsed: .seconds(100))
    let clock = VirtualClock(executor)
    let calls = Guarded<[(BackgroundFetchOutcome, Duration)]>([])
    let isOver: Void? = executor.run {
      await BackgroundPush.handle(clock: clock, tasks: .on(executor)) {
        if let seconds = row.0 { try await clock.sleep(for: .seconds(seconds)) }
        // Work that does not care for its cancellation.
        if row.0 == nil { try? await clock.sleep(for: .seconds(1_000)) }
        return .newData
      } completion: { outcome in
        let time = clock.now.offset
        calls.withLock { $0.append((outcome, time)) }
      }.value
      try? await clock.sleep(for: .seconds(10_000))
    }
    #expect(isOver != nil)
    let heard = calls.withLock { $0 }
    #expect(heard.map(\.0) == [row.1])
    #expect(heard.map(\.1) == [.seconds(100 + row.2)])
  }

  @Test func aHandlerThatIsCalledTwiceCountsOnce() {
    let answers = Guarded<[BackgroundFetchOutcome]>([])
    BackgroundPush.handle(limit: .seconds(25), queue: .global()) { answer in
      answer(.noData)
      answer(.newData)
    } completion: { answer in
      answers.withLock { $0.append(answer) }
    }
    #expect(answers.withLock { $0 } == [.noData])
  }

  @Test func aHandlerThatIsDroppedIsAnsweredAtTheDeadline() async {
    let answer = await withCheckedContinuation { continuation in
      BackgroundPush.handle(limit: .milliseconds(0), queue: .global()) { _ in
      } completion: {
        continuation.resume(returning: $0)
      }
    }
    #expect(answer == .failed)
  }
}
