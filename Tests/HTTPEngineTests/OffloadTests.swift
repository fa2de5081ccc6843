import Glibc
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Answers that are worked for, in memory")
struct PendingConversationTests {
  static let get = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: [
    get, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
    get + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n" + get,
    get + "GET /\r\n\r\n",
  ])
  func areTheBytesThatTheHandlerGivesAtOnce(_ text: String) {
    var plain = Conversation()
    var pending = PendingConversation<HTTP1Server>()
    var bytes = pending.send(Array(text.utf8))
    #expect(bytes.isEmpty)
    while !pending.service.pending.fresh.isEmpty { bytes += pending.work() }
    #expect(String(decoding: bytes, as: UTF8.self) == plain.send(text))
    #expect(pending.server.waiting == plain.server.waiting)
  }

  @Test func keepTheNextRequestOfHTTP1Waiting() {
    var conversation = PendingConversation<HTTP1Server>()
    _ = conversation.send(Array((Self.get + Self.get).utf8))
    #expect(conversation.service.pending.fresh.count == 1)
    #expect(conversation.server.waiting == .handler(isReading: false))
  }

  /// What comes in while one is worked for, one piece after the other; the loop has read `/1` before.
  @Test(arguments: [["/1", "/1", "/2"], ["/1", "/2", "/1"], ["/2", "/1", "/1"]])
  func keepTheOrderOfRequestsThatTheLoopKnowsAlready(_ targets: [String]) {
    var conversation = PendingConversation<HTTP1Server>()
    _ = conversation.send(Array(Self.get.utf8))
    _ = conversation.work()
    for target in targets { _ = conversation.send(Array("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)) }
    var text = ""
    while !conversation.service.pending.fresh.isEmpty {
      text += String(decoding: conversation.work(), as: UTF8.self)
    }
    #expect(text.matches(of: /X-Target: (.*)\r\n/).map { String($0.output.1) } == targets)
  }

  @Test func endHTTP1WithTheirAnswerWhenItStops() {
    var conversation = PendingConversation<HTTP1Server>()
    _ = conversation.send(Array((Self.get + Self.get).utf8))
    conversation.server.stop()
    #expect(conversation.server.waiting == .handler(isReading: false))
    let answer = String(decoding: conversation.work(), as: UTF8.self)
    #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n"))
    #expect(answer.components("HTTP/1.1 200") == 1)
  }

  @Test func comeAsTheyComeInHTTP2() {
    var conversation = PendingConversation<HTTP2Server>()
    _ = conversation.frames(Frames.start + Frames.get(1) + Frames.get(3) + Frames.get(5))
    #expect(conversation.server.waiting == .handler(isReading: true))
    var streams: [UInt32] = []
    for work in conversation.service.pending.takeFresh().reversed() {
      work.run()
      var answer = conversation.delivered()
      streams += Frames.take(&answer).filter { $0.status == 200 }.map(\.stream)
    }
    #expect(streams == [5, 3, 1])
    #expect(conversation.server.waiting == .request)
  }

  @Test func areNoMoreThanTheStreamsOfAConnection() {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 3
    var conversation = PendingConversation<HTTP2Server>(http2: limits)
    let frames = conversation.frames(Frames.start + Frames.streams(5) { Frames.get($0) })
    #expect(frames.filter { $0.kind == Frames.Kind.reset }.map(\.stream) == [7, 9])
    #expect(conversation.service.pending.fresh.count == 3)
    #expect(conversation.workedFrames().filter { $0.status == 200 }.map(\.stream) == [1, 3, 5])
  }

  @Test func areForgottenWithTheirStream() {
    var conversation = PendingConversation<HTTP2Server>()
    _ = conversation.frames(Frames.start + Frames.get(1) + Frames.get(3))
    _ = conversation.frames(Frames.reset(1))
    #expect(conversation.counters.value(.pendingNow) == 1)
    #expect(conversation.service.pending.fresh.map(\.isForgotten) == [true, false])
    #expect(conversation.workedFrames().filter { $0.status == 200 }.map(\.stream) == [3])
    #expect(conversation.counters.value(.streamsNow) == 0)
  }

  @Test func areForgottenWithTheirConnection() {
    var one = PendingConversation<HTTP1Server>()
    _ = one.send(Array(Self.get.utf8))
    one.server.abandon()
    #expect(one.service.pending.isEmpty)
    #expect(one.work() == [])
    var two = PendingConversation<HTTP2Server>()
    _ = two.frames(Frames.start + Frames.get(1) + Frames.get(3))
    two.server.abandon()
    #expect(two.service.pending.isEmpty)
    #expect(two.counters.value(.pendingNow) == 0)
  }

  @Test func neverGoToAnotherRequest() {
    var conversation = PendingConversation<HTTP1Server>()
    _ = conversation.send(Array((Self.get + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").utf8))
    let late = conversation.service.pending.takeFresh()[0]
    // What the loop does when the deadline has passed.
    #expect(conversation.service.end(late.number, with: .text(503, "")) != nil)
    conversation.server.deliver(
      .text(503, "late"), number: late.number, stream: 0, into: &conversation.output, date: "D")
    #expect(String(decoding: conversation.delivered(), as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
    conversation.arrived.put(late.number, .text(200, "of the first"))
    #expect(conversation.delivered() == [])
    #expect(String(decoding: conversation.work(), as: UTF8.self).contains("X-Target: /2"))
  }

  @Test func keepHTTP1FromReading() {
    var conversation: PendingConversation<HTTP1Server>?
    let transport = ScriptedTransport()
    let turn = ServerTurn(ManualClock().clock)
    let connection = ServerConnection(
      transport, ConnectionRules(ConnectionLimits(), ServerDeadlines())
    ) { _ in
      let made = PendingConversation<HTTP1Server>()
      conversation = made
      return made.server
    }
    transport.arrive(Self.get)
    #expect(connection.turn(turn) == .waits)
    transport.arrive(String(repeating: "x", count: 1_000_000))
    connection.ready(toRead: true, toWrite: false)
    #expect(connection.turn(turn) == .waits)
    #expect(transport.incomingBytes.count == 1_000_000)
    #expect(connection.deadline == .max)
    #expect(conversation?.service.pending.isEmpty == false)
  }

  @Test func leaveTogether() throws {
    var conversation: PendingConversation<HTTP2Server>?
    let transport = ScriptedTransport()
    let turn = ServerTurn(ManualClock().clock)
    let connection = ServerConnection(
      transport, ConnectionRules(ConnectionLimits(), ServerDeadlines())
    ) { _ in
      let made = PendingConversation<HTTP2Server>()
      conversation = made
      return made.server
    }
    transport.incomingBytes += Frames.start + Frames.get(1) + Frames.get(3)
    #expect(connection.turn(turn) == .waits)
    let service = try #require(conversation).service
    let writesBefore = transport.writeCount
    var needsTurn: [Bool] = []
    for work in service.pending.takeFresh() {
      let place = try #require(service.end(work.number, with: .text(200, "")))
      needsTurn.append(connection.deliver(.text(200, "an answer"), work.number, at: place, turn))
    }
    #expect(needsTurn == [true, false])
    #expect(transport.writeCount == writesBefore)
    #expect(connection.turn(turn) == .waits)
    #expect(transport.writeCount == writesBefore + 1)
  }

  @Test func haveADeadlineEach() {
    let arrived = ArrivedAnswers(nil)
    let pending = PendingAnswers(arrived, patience: 10, LoopCounters())
    let place = PendingAnswers.Place(descriptor: 0, stream: 0)
    func add(at now: Int64) -> Int {
      pending.add({ .text(200, "") }, for: place, now: now, asked: nil)
    }
    let numbers = [add(at: 0), add(at: 5), add(at: 5), add(at: 6)]
    _ = pending.end(numbers[1])
    #expect(pending.expired(at: 9) == [])
    #expect(pending.expired(at: 15) == [numbers[0], numbers[2]])
    #expect(pending.expired(at: 15) == [])
    #expect(pending.expired(at: 16) == [numbers[3]])
  }
}

@Suite("Worker threads")
struct WorkerThreadsTests {
  static func limits(workers: Int, waiting: Int) -> OffloadLimits {
    var limits = OffloadLimits()
    limits.workers = workers
    limits.waiting = waiting
    return limits
  }

  @Test func takeOnNoMoreThanTheirLimits() {
    let gate = Gate()
    let arrived = ArrivedAnswers(nil)
    let threads = WorkerThreads(Self.limits(workers: 2, waiting: 3))
    let batch = (1...7).map { number in
      OffloadedWork(number, arrived) {
        gate.wait()
        return .text(200, "")
      }
    }
    #expect(threads.take(batch).map(\.number) == [6, 7])
    gate.open(5)
    threads.end()
  }

  @Test func giveThePlacesOfForgottenWorkToOthers() {
    let gate = Gate()
    let arrived = ArrivedAnswers(nil)
    let threads = WorkerThreads(Self.limits(workers: 1, waiting: 2))
    func work(_ number: Int) -> OffloadedWork {
      OffloadedWork(number, arrived) {
        gate.wait()
        return .text(200, "")
      }
    }
    let first = (1...3).map(work)
    #expect(threads.take(first).isEmpty)
    // The first two may be in hand; the last one cannot.
    first[2].forget()
    #expect(threads.take([work(4)]).isEmpty)
    #expect(threads.take([work(5)]).map(\.number) == [5])
    gate.open(4)
    threads.end()
  }

  /// What comes in one by one is done by one thread after the other's work, never beside it.
  @Test func areNoMoreThanTheLimitSays() {
    let gate = Gate()
    let arrived = ArrivedAnswers(nil)
    let threads = WorkerThreads(Self.limits(workers: 1, waiting: 1_000))
    let seen = LockedState<Set<UInt>>([])
    for number in 1...500 {
      let work = OffloadedWork(number, arrived) {
        seen.withLock { _ = $0.insert(UInt(pthread_self())) }
        gate.open()
        return .text(200, "")
      }
      #expect(threads.take([work]).isEmpty)
    }
    for _ in 1...500 { gate.wait() }
    threads.end()
    #expect(seen.withLock { $0.count } == 1)
  }

  /// A server that never rests would else keep what every request has sent.
  @Test func keepNothingOfWorkThatIsDone() {
    final class Request: Sendable {}
    let gate = Gate()
    let arrived = ArrivedAnswers(nil)
    let threads = WorkerThreads(Self.limits(workers: 1, waiting: 1))
    func work(_ number: Int) -> Request {
      let request = Request()
      let work = OffloadedWork(number, arrived) {
        withExtendedLifetime(request) {}
        gate.open()
        return .text(200, "")
      }
      #expect(threads.take([work]).isEmpty)
      gate.wait()
      return request
    }
    weak let first = work(1)
    // The thread has let go of the first when it is at the second.
    _ = work(2)
    #expect(first == nil)
    threads.end()
  }

  @Test func takeNothingOnAfterTheEnd() {
    let threads = WorkerThreads(OffloadLimits())
    threads.end()
    #expect(threads.take([OffloadedWork(1, ArrivedAnswers(nil)) { .text(200, "") }]).count == 1)
  }
}

@Suite("Answers that are worked for, on a socket")
struct OffloadTests {
  static let slow = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
  static let fast = "GET /fast HTTP/1.1\r\nHost: a\r\n\r\n"

  /// One loop, one worker and one place to wait.
  static let small = {
    var configuration = ServerMetricsTests.configuration
    configuration.offload = WorkerThreadsTests.limits(workers: 1, waiting: 1)
    return configuration
  }()

  /// Asks something that is answered at once: the loop has gone on from what came before.
  static func roundTrip(_ connection: RawConnection) throws {
    connection.send(fast)
    _ = try connection.read(until: "/fast\n")
  }

  @Test func leaveTheLoopToOthersMeanwhile() throws {
    let gate = Gate()
    try withServer(ServerMetricsTests.configuration, responder: gate.responder) { server in
      let one = try RawConnection(port: server.port)
      one.send(Self.slow + Self.fast)
      try Self.roundTrip(RawConnection(port: server.port))
      #expect(!one.hasNews)
      #expect(server.metrics[.pendingNow] == 1)
      gate.open()
      let answers = try one.read(until: "/fast\n")
      #expect(answers.components("HTTP/1.1 200") == 2)
      #expect(answers.firstRange(of: "/slow\n") != nil)
      #expect(server.metrics[.pendingNow] == 0)
    }
  }

  @Test func letOtherStreamsOvertakeThem() throws {
    let gate = Gate()
    try withServer(ServerMetricsTests.configuration, responder: gate.responder) { server in
      let client = try RawHTTP2(port: server.port)
      client.send(Frames.get(1, "/slow") + Frames.get(3, "/fast"))
      let first = try client.read { $0.status != nil && $0.kind == Frames.Kind.headers }
      #expect(first?.stream == 3)
      gate.open()
      #expect(try client.status(1) == 200)
    }
  }

  @Test func are503AtOnceWhenTooManyWait() throws {
    let gate = Gate()
    try withServer(Self.small, responder: gate.responder) { server in
      let client = try RawHTTP2(port: server.port)
      client.send(Frames.streams(3) { Frames.get($0, "/slow") })
      #expect(try client.status(5) == 503)
      gate.open(2)
      #expect(try client.status(1) == 200)
      #expect(try client.status(3) == 200)
      #expect(server.metrics[.offloadRefused] == 1)
      #expect(server.metrics[.offloaded] == 2)
    }
  }

  @Test func tellWhenToComeAgain() throws {
    let gate = Gate()
    var configuration = Self.small
    configuration.offload = WorkerThreadsTests.limits(workers: 1, waiting: 0)
    try withServer(configuration, responder: gate.responder) { server in
      let first = try RawConnection(port: server.port)
      first.send(Self.slow)
      try Self.roundTrip(RawConnection(port: server.port))
      let next = try RawConnection(port: server.port)
      next.send(Self.slow)
      let answer = try next.read(until: "waiting\n")
      #expect(answer.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
      #expect(answer.contains("\r\nRetry-After: 1\r\n"))
      // The connection goes on.
      try Self.roundTrip(next)
      gate.open()
    }
  }

  /// One request is worked for until the server has ended, on a clock that stands still until it is moved.
  static func withSlow(
    form: RefusalForm? = nil, _ body: (HTTPServer, _ one: RawConnection, ManualClock) throws -> Void
  ) throws {
    let (gate, clock) = (Gate(), ManualClock())
    var configuration = ServerMetricsTests.configuration
    configuration.clock = clock.clock
    configuration.refusalForm = form
    defer { gate.open() }
    try withServer(configuration, responder: gate.responder) { server in
      let one = try RawConnection(port: server.port)
      one.send(slow)
      try body(server, one, clock)
    }
  }

  @Test func are503AfterTheirDeadlineAndTheConnectionGoesOn() throws {
    try Self.withSlow { server, one, clock in
      try Self.roundTrip(RawConnection(port: server.port))
      clock.advance(.seconds(30))
      server.wake()
      #expect(try one.read(until: "all the same\n").contains("\r\nRetry-After: 1\r\n"))
      #expect(server.metrics[.handlerDeadlines] == 1)
      try Self.roundTrip(one)
    }
  }

  /// As what is refused before a handler has it, by the path that was asked for.
  @Test func haveTheFormOfRefusalsAfterTheirDeadline() throws {
    let form: RefusalForm = { refused in
      HTTPResponse(
        status: refused.status, fields: ["Content-Type": "x/y"],
        body: Array("\(refused.method) \(refused.target) \(refused.mayBeDone) end".utf8))
    }
    try Self.withSlow(form: form) { server, one, clock in
      try Self.roundTrip(RawConnection(port: server.port))
      clock.advance(.seconds(30))
      server.wake()
      let answer = try one.read(until: " end")
      #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.hasSuffix("GET /slow true end"), "\(answer)")
      #expect(answer.contains("Content-Type: x/y\r\n") && answer.contains("Retry-After: 1\r\n"))
    }
  }

  @Test func haveTheFormOfRefusalsWhenTooManyWait() throws {
    let gate = Gate()
    var configuration = Self.small
    configuration.offload = WorkerThreadsTests.limits(workers: 1, waiting: 0)
    configuration.refusalForm = { refused in
      HTTPResponse(status: refused.status, body: Array("\(refused.target) \(refused.mayBeDone) end".utf8))
    }
    try withServer(configuration, responder: gate.responder) { server in
      let first = try RawConnection(port: server.port)
      first.send(Self.slow)
      try Self.roundTrip(RawConnection(port: server.port))
      let next = try RawConnection(port: server.port)
      next.send(Self.slow)
      #expect(try next.read(until: " end").hasSuffix("/slow false end"))
      gate.open()
    }
  }

  @Test func areForgottenWhenTheirConnectionIsReset() throws {
    let gate = Gate()
    try withServer(ServerMetricsTests.configuration, responder: gate.responder) { server in
      for isHTTP2 in [false, true] {
        try Self.askAndReset(isHTTP2, server)
        #expect(server.metrics[.pendingNow] == 0)
        try ServerMetricsTests.expectTheStart(server)
      }
      gate.open(2)
    }
  }

  /// Until the loop has gone on so far that nothing waits any more, or for a thousand turns.
  static func askAndReset(_ isHTTP2: Bool, _ server: HTTPServer) throws {
    let probe = try RawConnection(port: server.port)
    var gone: RawConnection? = try RawConnection(port: server.port)
    gone?.resetAtEnd()
    gone?.send(isHTTP2 ? Frames.start + Frames.get(1, "/slow") : Array(slow.utf8))
    while server.metrics[.pendingNow] == 0 { try roundTrip(probe) }
    gone = nil
    for _ in 0..<1_000 where server.metrics[.pendingNow] > 0 { try roundTrip(probe) }
  }

  @Test func comeBeforeTheServerStops() throws {
    let gate = Gate()
    try withServer(ServerMetricsTests.configuration, responder: gate.responder) { server in
      let one = try RawConnection(port: server.port)
      one.send(Self.slow)
      let idle = try RawConnection(port: server.port)
      try Self.roundTrip(idle)
      server.stop()
      #expect(try idle.read() == "")
      gate.open()
      let answer = try one.read()
      #expect(answer.hasPrefix("HTTP/1.1 200 OK"))
      #expect(answer.contains("\r\nConnection: close\r\n"))
    }
  }

  @Test func areDroppedAtTheDeadlineOfStopping() throws {
    try Self.withSlow { server, one, clock in
      let idle = try RawConnection(port: server.port)
      try Self.roundTrip(idle)
      server.stop()
      // Whoever is refused knows that the loop is stopping.
      while (try? RawConnection(port: server.port)) != nil {}
      clock.advance(.seconds(2))
      server.wake()
      _ = try idle.read()
      clock.advance(.seconds(8))
      server.wake()
      #expect(throws: RawConnection.Failure.self) { try one.read() }
      #expect(server.metrics[.stopDeadline] == 1)
      #expect(server.metrics[.pendingNow] == 0)
    }
  }

  @Test func knowWhereTheirRequestCameFrom() throws {
    let responder: HTTPResponder = { _, origin in
      .offload {
        .text(200, "\(origin.peer?.host ?? "") \(origin.isEncrypted)")
      }
    }
    try withServer(ServerMetricsTests.configuration, responder: responder) { server in
      let connection = try RawConnection(port: server.port)
      connection.send(Self.fast)
      #expect(try connection.read(until: "\r\n\r\n127.0.0.1 false\n").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func areObservedWhenTheyAreThereWithTheTimeThatTook() throws {
    let seen = ServerMetricsTests.Observed()
    let clock = ManualClock()
    var configuration = ServerMetricsTests.configuration
    configuration.clock = clock.clock
    configuration.observer = { exchange in seen.exchanges.withLock { $0.append(exchange) } }
    let responder: HTTPResponder = { _, _ in
      .offload {
        clock.advance(.seconds(3))
        return .text(404, "no")
      }
    }
    try withServer(configuration, responder: responder) { server in
      let connection = try RawConnection(port: server.port)
      connection.send(Self.fast)
      _ = try connection.read(until: "no\n")
    }
    let exchanges = seen.exchanges.withLock { $0 }
    #expect(exchanges.map(\.status) == [404])
    #expect(exchanges.map(\.bodyBytes) == [3])
    #expect(exchanges.map(\.durationNanoseconds) == [3_000_000_000])
  }

  @Test func comeFromAllLoopsToOnePool() throws {
    let calls = Calls()
    let responder: HTTPResponder = { request, _ in
      .offload {
        calls.add()
        return .text(200, request.target)
      }
    }
    var configuration = HTTPServerConfiguration()
    configuration.loops = 2
    try withServer(configuration, responder: responder) { server in
      let clients = try (0..<20).map { _ in try RawHTTP2(port: server.port) }
      for client in clients { client.send(Frames.streams(50) { Frames.get($0) }) }
      for client in clients {
        var answered = Set<UInt32>()
        while answered.count < 50 {
          let frame = try #require(try client.read { $0.status == 200 && $0.kind == Frames.Kind.headers })
          answered.insert(frame.stream)
        }
      }
      #expect(calls.count == 1_000)
      #expect(server.metrics[.offloaded] == 1_000)
      #expect(server.metrics[.pendingNow] == 0)
    }
  }
}
