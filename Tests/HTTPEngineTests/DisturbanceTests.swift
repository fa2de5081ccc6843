import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("What a stand-in does to its connections")
struct DisturbanceTests {
  private typealias Kind = Frames.Kind

  private func conversation(
    _ change: @escaping @Sendable (inout HTTPDisturbance) -> Void, answers: Bool = true
  ) -> HTTP2Conversation {
    HTTP2Conversation { request, _ in
      var disturbance = HTTPDisturbance()
      // Only the first request is met.
      guard request.target == "/1" else { return .now(.text(200, "ok")) }
      change(&disturbance)
      return .disturbed(disturbance, answers ? .now(.text(200, "ok")) : nil)
    }
  }

  @Test func settingsComeBeforeTheAnswer() {
    let conversation = conversation { $0.concurrentStreams = 7 }
    let frames = conversation.send(Frames.start + Frames.get(1, "/1")).dropFirst(2)
    #expect(frames.first?.kind == Kind.settings)
    #expect(frames.first?.payload == [0, 3] + Frames.number(7))
    #expect(HTTP2ServerTests.statuses(Array(frames)) == [200])
  }

  @Test func goAwayHasItsReasonAndTheAnswerFollows() throws {
    let conversation = conversation { $0.goAway = (11, Array("reason".utf8)) }
    let frames = conversation.send(Frames.start + Frames.get(1, "/1") + Frames.get(3, "/3"))
    let goAway = try #require(frames.first { $0.kind == Kind.goaway })
    #expect(goAway.number(at: 4) == 11)
    #expect(goAway.payload.dropFirst(8) == Array("reason".utf8)[...])
    // Both had come before the peer could know.
    #expect(goAway.number(at: 0) == 3 && HTTP2ServerTests.statuses(frames) == [200, 200])
    #expect(conversation.server.waiting == .nothing)
  }

  @Test func aStreamIsResetAndTheConnectionGoesOn() {
    let conversation = conversation({ $0.ending = .resetStream(code: 7) }, answers: false)
    let frames = conversation.send(Frames.start + Frames.get(1, "/1") + Frames.get(3, "/3"))
    let reset = frames.first { $0.kind == Kind.reset }
    #expect(reset?.stream == 1 && reset?.number(at: 0) == 7)
    #expect(HTTP2ServerTests.statuses(frames) == [200])
    #expect(conversation.server.streamCount == 0 && conversation.server.heldBytes == 0)
  }

  @Test func aConnectionIsDroppedWithoutAWord() {
    let conversation = conversation({ $0.ending = .dropConnection }, answers: false)
    let frames = conversation.send(Frames.start + Frames.get(1, "/1") + Frames.get(3, "/3"))
    #expect(!frames.contains { $0.kind == Kind.headers || $0.kind == Kind.goaway })
    #expect(conversation.server.waiting == .nothing)
  }

  /// A client that knows no better is served; one that reads SETTINGS begins with one stream.
  @Test func fewerStreamsAreAnnouncedThanEnforced() {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 100
    limits.announcedStreams = 1
    let conversation = HTTP2Conversation(http2: limits) { _ in .text(200, "ok") }
    let frames = conversation.send(Frames.start + Frames.streams(50) { Frames.get($0) })
    #expect(
      frames[0].kind == Kind.settings && frames[0].payload.prefix(6) == ([0, 3] + Frames.number(1))[...])
    #expect(HTTP2ServerTests.statuses(frames).count == 50)
    #expect(!frames.contains { $0.kind == Kind.reset })
  }

  @Test func aStoppedServerSaysWhy() throws {
    var configuration = HTTPServerConfiguration()
    configuration.http2.stopDebugData = Array("over".utf8)
    let server = try HTTPServer(configuration) { _ in .text(200, "ok") }
    try running(server) { server in
      let peer = try RawHTTP2(port: server.port)
      peer.send(Frames.get(1))
      #expect(try peer.read { $0.kind == Kind.headers } != nil)
      server.stop()
      // The notice of the stop and a PING come first, in either order; the notice says nothing.
      let first = try (0..<2).map { _ in
        try #require(try peer.read { [Kind.goaway, Kind.ping].contains($0.kind) })
      }
      #expect(Set(first.map(\.kind)) == [Kind.goaway, Kind.ping])
      #expect(first.allSatisfy { $0.payload.count == 8 })
      peer.send(Frames.ping(ack: true))
      let last = try #require(try peer.read { $0.kind == Kind.goaway })
      #expect(last.payload.dropFirst(8) == Array("over".utf8)[...])
    }
  }

  /// A peer that leaves the notice unanswered hears at the deadline why the server stops, not that it was idle.
  @Test func aStoppedServerSaysWhyToASilentPeer() throws {
    var limits = HTTP2Limits()
    limits.stopDebugData = Array("over".utf8)
    limits.idleDebugData = Array("idle".utf8)
    let conversation = HTTP2Conversation(http2: limits) { _ in .text(200, "ok") }
    _ = conversation.send(Frames.start + Frames.get(1))
    conversation.server.stop()
    _ = conversation.send([])
    var output = OutputQueue()
    conversation.server.expire(into: &output, date: "D")
    var bytes = output.takeAll()
    let frames = Frames.take(&bytes)
    let last = try #require(frames.first { $0.kind == Kind.goaway })
    #expect(last.payload.dropFirst(8) == Array("over".utf8)[...])
    #expect(conversation.server.waiting == .nothing)
  }

  /// A request whose head and end come together is asked about once, and what is behind it is not acted upon.
  @Test func aDroppedConnectionAsksNoMore() {
    let targets = LockedState<[String]>([])
    let conversation = HTTP2Conversation { request, _ in
      targets.withLock { $0.append(request.target) }
      var disturbance = HTTPDisturbance()
      disturbance.ending = .dropConnection
      return .disturbed(disturbance, nil)
    }
    let post = Frames.headers(1, Frames.fields(Frames.request("POST", "/1")), end: false)
    let frames = conversation.send(
      Frames.start + post + Frames.data(1, [1], end: true) + Frames.get(3, "/3"))
    #expect(targets.withLock { $0 } == ["/1"])
    #expect(!frames.contains { $0.kind == Kind.headers || $0.kind == Kind.goaway })
  }

  @Test func connectionsHaveNumbers() throws {
    let seen = LockedState<[RequestOrigin]>([])
    let responder: HTTPResponder = { _, origin in
      seen.withLock { $0.append(origin) }
      return .now(.text(200, "ok"))
    }
    try withServer(responder: responder) { server in
      for _ in 0..<2 {
        let peer = try RawHTTP2(port: server.port)
        for stream in [1, 3] as [UInt32] {
          peer.send(Frames.get(stream))
          #expect(try peer.read { $0.kind == Kind.headers } != nil)
        }
      }
      let connection = try RawConnection(port: server.port)
      connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try connection.read(until: "ok\n")
    }
    let origins = seen.withLock { $0 }
    #expect(origins.map(\.connection) == [1, 1, 2, 2, 3])
    #expect(origins.map(\.isHTTP2) == [true, true, true, true, false])
    #expect(origins.allSatisfy { $0.certificate == nil && !$0.isEncrypted })
  }
}
