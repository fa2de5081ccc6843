import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Metrics of a server")
struct ServerMetricsTests {
  /// One loop, which has counted what came before when it answers what comes next.
  static let configuration = {
    var configuration = HTTPServerConfiguration()
    configuration.loops = 1
    return configuration
  }()

  /// The numbers once all other connections have gone, with one connection of their own in them. A connection that
  /// is being put away goes within a few turns of the loop, and each answer takes one; one that stays is seen.
  static func settled(_ server: HTTPServer) throws -> ServerMetrics {
    let connection = try RawConnection(port: server.port)
    for _ in 0..<20_000 {
      connection.send(HTTPServerTests.get)
      _ = try connection.read(until: "\r\n\r\n")
      if server.metrics.openNow == 1 { break }
    }
    return withExtendedLifetime(connection) { server.metrics }
  }

  /// Everything that is counted as being there now is gone, but the connection that asks.
  static func expectTheStart(_ server: HTTPServer) throws {
    let metrics = try settled(server)
    #expect(metrics.openNow == 1)
    #expect(metrics.peersNow == 1)
    #expect(metrics[.streamsNow] == 0)
    #expect(metrics[.queuedBytesNow] == 0)
    #expect(metrics[.pendingNow] == 0)
    #expect(metrics.handshakesNow == 0)
  }

  @Test func countRequestsOfBothProtocolsAndTheirAnswers() throws {
    let handler: HTTPHandler = { .text($0.target == "/no" ? 404 : 200, "x") }
    try withServer(Self.configuration, handler: handler) { server in
      let one = try RawConnection(port: server.port)
      one.send("GET /no HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try one.read(until: "x\n")
      let two = try RawHTTP2(port: server.port)
      two.send(Frames.get(1))
      #expect(try two.status(1) == 200)
      let metrics = server.metrics
      #expect(metrics[.requestsHTTP1] == 1)
      #expect(metrics[.requestsHTTP2] == 1)
      #expect(metrics[.responses2xx] == 1)
      #expect(metrics[.responses4xx] == 1)
      #expect(metrics.openNow == 2)
      #expect(metrics.peersNow == 1)
      #expect(metrics[.bytesReceived] > 0 && metrics[.bytesSent] > 0)
    }
  }

  /// An alert about errors of the server would page its operator for what a stranger sends.
  @Test(arguments: [
    "GET / HTTP/2.0", "CONNECT a:443 HTTP/1.1", "\(String(repeating: "A", count: 100)) / HTTP/1.1",
  ])
  func whatNobodyServesIsNoErrorOfTheServer(line: String) throws {
    try withServer(Self.configuration) { server in
      let connection = try RawConnection(port: server.port)
      connection.send("\(line)\r\nHost: a\r\n\r\n")
      connection.endSending()
      #expect(try connection.read().hasPrefix("HTTP/1.1 50"))
      let metrics = try Self.settled(server)
      #expect(metrics[.responses5xx] == 0)
      #expect(metrics[.responses4xx] == 1)
    }
  }

  static let endings: [(text: String, reason: ServerClosing)] = [
    ("GET /\r\n\r\n", .malformed),
    (requestLine(String(repeating: "a", count: 9_000)), .targetLimit),
    (requestLine("") + "X: \(String(repeating: "a", count: 17_000))\r\n\r\n", .headerLimit),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n", .bodyLimit),
    (requestLine("") + "Connection: close\r\n\r\n", .peer),
    ("GET / HTTP", .peer),
  ]

  static func requestLine(_ path: String) -> String { "GET /\(path) HTTP/1.1\r\nHost: a\r\n" }

  @Test(arguments: endings)
  func sayWhyAConnectionOfHTTP1Ended(text: String, reason: ServerClosing) throws {
    try withServer(Self.configuration) { server in
      let connection = try RawConnection(port: server.port)
      connection.send(text)
      connection.endSending()
      _ = try connection.read()
      let metrics = try Self.settled(server)
      #expect(metrics[reason] == 1)
      #expect(metrics.closed == 1)
    }
  }

  @Test(arguments: [
    ("rapid-reset", ServerClosing.resets), ("made-you-reset", .resets), ("priority-flood", .controlFrames),
    ("ping-flood", .acknowledgements),
    ("continuation-flood", .continuations), ("settings-too-many", .settings),
    ("unknown-frame-flood", .idleBytes), ("data-before-headers", .http2Malformed),
  ])
  func nameTheLimitThatEndedAConnectionOfHTTP2(_ name: String, _ reason: ServerClosing) throws {
    let abuse = try #require(HTTP2Abuse.all.first { $0.name == name })
    try withServer(HTTP2AbuseTests.configuration(perAddress: 9)) { server in
      let client = try RawHTTP2(port: server.port)
      client.send(abuse.bytes)
      _ = try client.goaway()
      client.connection.endSending()
      try client.readToEnd()
      let metrics = try Self.settled(server)
      #expect(metrics[reason] == 1)
      #expect(metrics[.goawaysSent] == 1)
    }
  }

  @Test func nameTheDeadlineThatEndedAConnection() {
    let cases: [(String, Duration, ServerClosing)] = [
      ("", .seconds(10), .headerDeadline), ("GET /", .seconds(10), .headerDeadline),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n", .seconds(30), .bodyDeadline),
      (HTTPServerTests.get, .seconds(60), .idle),
    ]
    for (text, duration, reason) in cases {
      let held = Held()
      _ = held.arrive(text)
      _ = held.pass(duration)
      _ = held.pass(.seconds(2))
      #expect(held.connection.closing == reason)
    }
    let slow = Held()
    slow.transport.room = 0
    _ = slow.arrive(HTTPServerTests.get)
    _ = slow.pass(.seconds(30))
    #expect(slow.connection.closing == .writeDeadline)
    let silent = Held()
    silent.transport.handshakes = [.wouldBlock, .wouldBlock]
    _ = silent.connection.turn(silent.turn)
    _ = silent.pass(.seconds(10))
    #expect(silent.connection.closing == .handshakeDeadline)
  }

  @Test func forgetAnAddressWithItsLastConnection() {
    let peers = PeerCounts()
    let address = SocketAddress.loopback(port: 1)
    #expect(peers.add(address, limit: 2))
    #expect(peers.add(address, limit: 2))
    #expect(!peers.add(address, limit: 2))
    #expect(peers.count == 1)
    peers.remove(address)
    peers.remove(address)
    #expect(peers.count == 0)
  }

  @Test func countConnectionsRefusedForTheirAddress() throws {
    var configuration = Self.configuration
    configuration.connections.perAddress = 1
    try withServer(configuration) { server in
      let held = try RawConnection(port: server.port)
      held.send(HTTPServerTests.get)
      _ = try held.read(until: "\r\n\r\n")
      let next = try RawConnection(port: server.port)
      next.send(HTTPServerTests.get)
      #expect((try? next.read()) ?? "" == "")
      held.send(HTTPServerTests.get)
      _ = try held.read(until: "\r\n\r\n")
      #expect(server.metrics[.refusedPerAddress] == 1)
      #expect(server.metrics.openNow == 1)
    }
  }

  @Test func tellAnObserverOfEachExchange() throws {
    let box = Observed()
    var configuration = Self.configuration
    configuration.observer = { exchange in box.exchanges.withLock { $0.append(exchange) } }
    try withServer(configuration, handler: { _ in .text(404, "no") }) { server in
      let connection = try RawConnection(port: server.port)
      connection.send("GET /x?y HTTP/1.1\r\nHost: a\r\nUser-Agent: b\r\n\r\n")
      _ = try connection.read(until: "no\n")
    }
    let exchanges = box.exchanges.withLock { $0 }
    #expect(exchanges.map(\.request.target) == ["/x?y"])
    #expect(exchanges.map { $0.request.fields["user-agent"] } == ["b"])
    #expect(exchanges.map(\.status) == [404])
    #expect(exchanges.map(\.bodyBytes) == [3])
    #expect(exchanges.map(\.version) == [.http11])
    #expect(exchanges.map(\.peer?.host) == ["127.0.0.1"])
  }

  @Test func showIPv4PeersOfASocketForBothFamiliesAsIPv4() throws {
    let box = Observed()
    var configuration = Self.configuration
    configuration.listeners = [.init(try #require(SocketAddress("::", port: 0)))]
    configuration.observer = { exchange in box.exchanges.withLock { $0.append(exchange) } }
    try withServer(configuration) { server in
      let connection = try RawConnection(port: server.port)
      connection.send(HTTPServerTests.get)
      _ = try connection.read(until: "\r\n\r\n")
    }
    #expect(box.exchanges.withLock { $0 }.map(\.peer?.host) == ["127.0.0.1"])
    let mapped = try #require(SocketAddress("::ffff:192.0.2.1", port: 9))
    #expect(mapped.unmapped == SocketAddress("192.0.2.1", port: 9))
    let other = try #require(SocketAddress("2001:db8::ffff:192.0.2.1", port: 9))
    #expect(other.unmapped == other)
  }

  /// How connections of HTTP/2 end that nobody has done anything wrong on.
  @Test func nameTheReasonOfEachEndOfHTTP2() throws {
    let clock = ManualClock()
    var configuration = Self.configuration
    configuration.clock = clock.clock
    try withServer(configuration) { server in
      func client() throws -> RawHTTP2 {
        let client = try RawHTTP2(port: server.port)
        client.send(Frames.get(1))
        #expect(try client.status(1) == 200)
        return client
      }
      let leaving = try client()
      leaving.send(Frames.goaway(last: 0))
      try leaving.readToEnd()
      let closing = try client()
      closing.connection.endSending()
      try closing.readToEnd()
      #expect(try Self.settled(server)[.peer] >= 2)
      var resetting: RawHTTP2? = try client()
      resetting?.connection.resetAtEnd()
      resetting = nil
      withExtendedLifetime(resetting) {}
      #expect(try Self.settled(server)[.failed] == 0)
      let idle = try client()
      clock.advance(.seconds(61))
      server.wake()
      #expect(try idle.goaway() == Frames.Code.none)
      try idle.readToEnd()
      #expect(try Self.settled(server)[.idle] == 1)
    }
  }

  @Test func nameTheStopOfAnHTTP2ConnectionWhoseClientSaysNothing() throws {
    let clock = ManualClock()
    var configuration = Self.configuration
    configuration.clock = clock.clock
    let server = try HTTPServer(configuration, handler: Conversation.echo)
    try running(server) { server in
      let client = try RawHTTP2(port: server.port)
      client.send(Frames.get(1))
      #expect(try client.status(1) == 200)
      server.stop()
      #expect(try client.goaway() == Frames.Code.none)
      // It does not answer the PING behind the notice.
      clock.advance(.seconds(3))
      server.wake()
      try client.readToEnd()
    }
    #expect(server.metrics[.stopped] == 1)
    #expect(server.metrics.closed == 1)
  }

  final class Observed: Sendable {
    let exchanges = LockedState<[ServerExchange]>([])
  }

  @Test func nameAHandshakeThatFailed() {
    let held = Held()
    held.transport.handshakes = [.failed("no")]
    _ = held.connection.turn(held.turn)
    #expect(held.connection.closing == .handshakeFailed)
  }

  @Test func nameBytesWithoutEndAfterTheLastAnswer() {
    var limits = ConnectionLimits()
    limits.discardedBytes = 100
    let held = Held(limits: limits)
    _ = held.arrive("GET / HTTP/1.1\r\n")
    _ = held.connection.stop(held.turn)
    // Answered with `Connection: close`, which nobody may blame the peer for; going on sending is another matter.
    _ = held.arrive("Host: a\r\n\r\n")
    #expect(held.arrive(String(repeating: "x", count: 101)) == .closed)
    #expect(held.connection.closing == .discardedBytes)
  }
}

@Suite("Server under pressure")
struct ServerPressureTests {
  static func configuration(total: Int) -> HTTPServerConfiguration {
    var configuration = ServerMetricsTests.configuration
    configuration.connections.total = total
    return configuration
  }

  @Test func closesTheConnectionThatWasIdleLongest() throws {
    let clock = ManualClock()
    var configuration = Self.configuration(total: 2)
    configuration.clock = clock.clock
    try withServer(configuration) { server in
      var held: [RawConnection] = []
      for _ in 0..<3 {
        let connection = try RawConnection(port: server.port)
        connection.send(HTTPServerTests.get)
        #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        clock.advance(.seconds(1))
        // The loop reads its clock once a turn, and several may be accepted in one; this request is another turn's.
        connection.send(HTTPServerTests.get)
        #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        held.append(connection)
      }
      #expect(try held[0].read() == "")
      held[1].send(HTTPServerTests.get)
      #expect(try held[1].read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
      #expect(server.metrics[.pressure] == 1)
      #expect(server.metrics.openNow == 2)
    }
  }

  @Test func saysGoodbyeToAnIdleConnectionOfHTTP2() throws {
    try withServer(Self.configuration(total: 1)) { server in
      let idle = try RawHTTP2(port: server.port)
      idle.send(Frames.get(1))
      #expect(try idle.status(1) == 200)
      let next = try RawConnection(port: server.port)
      next.send(HTTPServerTests.get)
      #expect(try next.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
      #expect(try idle.goaway() == Frames.Code.none)
      #expect(server.metrics[.pressure] == 1)
    }
  }

  @Test func refusesTheNewcomerWhenNobodyIsIdle() throws {
    try withServer(Self.configuration(total: 1)) { server in
      let busy = try RawConnection(port: server.port)
      busy.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      _ = try busy.read(until: "\r\n\r\n")
      let next = try RawConnection(port: server.port)
      next.send(HTTPServerTests.get)
      #expect((try? next.read()) ?? "" == "")
      busy.send("abc")
      #expect(try busy.read(until: "abc").hasPrefix("HTTP/1.1 200"))
      #expect(server.metrics[.refusedTotal] == 1)
      #expect(server.metrics[.pressure] == 0)
    }
  }

  /// A process of its own with room for so many descriptors more; sockets of clients are made before.
  static func limitDescriptors(_ more: Int32) -> rlimit {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let before = limit
    let next = dup(0)
    close(next)
    limit.rlim_cur = rlim_t(next + more)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return before
  }

  @Test func makesRoomWhenTheProcessIsOutOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      try withServer(ServerMetricsTests.configuration) { server in
        let clients = (0..<40).map { _ in RawConnection() }
        // The loop has made what it needs by then.
        try clients[0].connect(port: server.port)
        clients[0].send(HTTPServerTests.get)
        _ = try clients[0].read(until: "\r\n\r\n")
        _ = Self.limitDescriptors(8)
        for client in clients.dropFirst() {
          try client.connect(port: server.port)
          client.send(HTTPServerTests.get)
          #expect(try client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        }
        #expect(server.metrics[.exhausted] > 0)
        // Eight fit, and one or two more when the process has closed something of its own meanwhile.
        #expect(server.metrics[.pressure] >= 28)
        #expect(server.metrics.openNow <= 12)
      }
    }
  }

  @Test func keepsTheNewcomerWaitingWhenTheProcessIsOutOfDescriptorsAndNobodyIsIdle() async {
    await #expect(processExitsWith: .success) {
      let request = HTTPServerTests.get
      try withServer(ServerMetricsTests.configuration) { server in
        let clients = (0..<40).map { _ in RawConnection() }
        // Always in the middle of a request, and so never idle.
        let withTheNextBegun = request + String(request.prefix(1))
        func roundTrip(_ client: RawConnection) throws {
          client.send(String(withTheNextBegun.dropFirst()))
          _ = try client.read(until: "\r\n\r\n")
        }
        try clients[0].connect(port: server.port)
        clients[0].send(String(request.prefix(1)))
        try roundTrip(clients[0])
        _ = Self.limitDescriptors(8)
        // How many fit depends on what else the process opens, also for a moment; the first that waits for twenty turns of a
        // loop without descriptors is the newcomer.
        var accepted: [RawConnection] = []
        var newcomer: RawConnection?
        for client in clients.dropFirst() where newcomer == nil {
          try client.connect(port: server.port)
          client.send(withTheNextBegun)
          var turns = 0
          while !client.hasNews, turns < 20 {
            try roundTrip(clients[0])
            if server.metrics[.exhausted] > 0 { turns += 1 }
          }
          if client.hasNews {
            _ = try client.read(until: "\r\n\r\n")
            accepted.append(client)
          } else {
            newcomer = client
          }
        }
        try #require(newcomer?.hasNews == false)
        accepted[0].endSending()
        #expect(try newcomer?.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200") == true)
        #expect(server.metrics[.pressure] == 0)
      }
    }
  }

  @Test func knowsADeepAcceptQueueByFourFullTurns() throws {
    let server = try HTTPServer(ServerMetricsTests.configuration, handler: Conversation.echo)
    var clients: [RawConnection] = []
    // 64 in a turn: after four full turns the queue is deep, and the fifth and sixth find it so.
    for _ in 0..<300 {
      let client = try RawConnection(port: server.port)
      client.send(HTTPServerTests.get)
      clients.append(client)
    }
    try running(server) { server in
      let answers = try clients.map {
        try $0.read(until: "\r\n\r\n").contains("\r\nConnection: close\r\n")
      }
      #expect(!answers[..<256].contains(true))
      #expect(answers[256...].contains(true))
      #expect(server.metrics[.crowdedCloses] == answers.filter(\.self).count)
      // The queue is empty again, and whoever stayed goes on.
      clients[0].send(HTTPServerTests.get)
      #expect(try !clients[0].read(until: "\r\n\r\n").contains("Connection: close"))
    }
  }

  @Test func givesPlacesAwayBehindAnswersWhenTheAcceptQueueIsDeep() {
    let service = LoopService(HTTPReply.responder(Conversation.echo))
    service.isCrowded = true
    let server = HTTP1Server(
      scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
    var output = OutputQueue()
    Array((HTTPServerTests.get + HTTPServerTests.get).utf8).withUnsafeBufferPointer { server.receive($0) }
    #expect(server.produce(into: &output, date: "D", limitBytes: .max))
    let text = String(decoding: output.takeAll(), as: UTF8.self)
    #expect(text.components("200 OK") == 1)
    #expect(text.hasSuffix("Connection: close\r\n\r\n"))
    #expect(server.closing == .crowded)
    #expect(server.waiting == .nothingYetSending)
    #expect(service.counters.value(.crowdedCloses) == 1)
  }
}
