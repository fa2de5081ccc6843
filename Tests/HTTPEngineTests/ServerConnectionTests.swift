import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A connection over arrays, under a clock moved by hand.
struct Held {
  let transport = ScriptedTransport()
  let clock = ManualClock()
  let connection: ServerConnection
  let turn: ServerTurn

  init(
    limits: ConnectionLimits = ConnectionLimits(), http2: Bool = false,
    handler: @escaping HTTPHandler = Conversation.echo
  ) {
    turn = ServerTurn(clock.clock)
    connection = ServerConnection(transport, ConnectionRules(limits, ServerDeadlines())) { _ in
      if http2 { return HTTP2Server(scheme: "http", handler: handler) }
      return HTTP1Server(scheme: "http", limits: HTTPLimits(), handler: handler)
    }
  }

  func arrive(_ text: String) -> ServerConnection.Verdict {
    transport.arrive(text)
    connection.ready(toRead: true, toWrite: false)
    return connection.turn(turn)
  }

  /// Lets time pass and the deadline act if it has come.
  func pass(_ duration: Duration) -> ServerConnection.Verdict {
    clock.advance(duration)
    turn.readClock()
    return turn.now >= connection.deadline ? connection.expire(turn) : .waits
  }
}

@Suite("Server connection")
struct ServerConnectionTests {
  static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  static let just = Duration.nanoseconds(1)

  @Test func closesWithoutAWordWhenNothingComes() {
    let held = Held()
    #expect(held.connection.turn(held.turn) == .waits)
    #expect(held.pass(.seconds(10) - Self.just) == .waits)
    #expect(held.pass(Self.just) == .closed)
    #expect(held.transport.text == "")
  }

  /// The socket tells of new bytes once. A read of what an earlier turn had read ahead must not undo that: the sender
  /// would wait for ever behind a full socket.
  @Test func readsWhatCameBehindWhatWasReadAhead() {
    let held = Held()
    held.transport.readAhead = Array(Self.get.utf8)
    held.transport.lastReadWasShort = true
    #expect(held.arrive(Self.get) == .waits)
    #expect(
      held.transport.text.split(separator: "HTTP/1.1 200 ", omittingEmptySubsequences: false).count == 3)
  }

  @Test func saysThatTheEndIsNearBeforeItWritesTheLastAnswer() {
    let held = Held()
    _ = held.arrive(Self.get)
    #expect(held.transport.writtenBeforeEnd == nil)
    let first = held.transport.written
    _ = held.arrive("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(held.transport.writtenBeforeEnd == first)
    #expect(held.transport.written.count > first.count)
    #expect(held.transport.hasFinishedWriting)
  }

  @Test func cutsASenderWhoseHeaderTakesTooLongHoweverOftenItSends() {
    let held = Held()
    _ = held.arrive("GET / HTTP/1.1\r\n")
    for _ in 0..<9 {
      #expect(held.pass(.seconds(1)) == .waits)
      #expect(held.arrive("X: y\r\n") == .waits)
    }
    #expect(held.pass(.seconds(1)) == .waits)  // the answer is written, and the peer has time to read it
    #expect(held.transport.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    #expect(held.transport.hasFinishedWriting)
    #expect(held.pass(.seconds(2)) == .closed)
  }

  @Test func cutsASenderWhoseBodyTakesTooLong() {
    let held = Held()
    _ = held.arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n")
    for _ in 0..<29 {
      #expect(held.pass(.seconds(1)) == .waits)
      #expect(held.arrive("x") == .waits)
      #expect(held.transport.text == "")
    }
    _ = held.pass(.seconds(1))
    #expect(held.transport.text.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
  }

  @Test func givesEachRequestItsOwnTime() {
    let held = Held()
    _ = held.arrive("GET / HTTP/1.1\r\nHost: a\r\n")
    for _ in 0..<10 {
      #expect(held.pass(.seconds(9)) == .waits)
      #expect(held.arrive("\r\nGET / HTTP/1.1\r\nHost: a\r\n") == .waits)
    }
    #expect(held.transport.text.components("200 OK") == 10)
    #expect(!held.transport.text.contains("408"))
  }

  @Test func closesAnIdleConnectionAfterAMinuteSinceItsLastRequest() {
    let held = Held()
    for _ in 0..<3 {
      #expect(held.arrive(Self.get) == .waits)
      #expect(held.pass(.seconds(60) - Self.just) == .waits)
    }
    #expect(held.pass(Self.just) == .closed)
    #expect(held.transport.closed == false)
    #expect(!held.transport.text.contains("408"))
  }

  @Test func cutsAPeerThatTakesNothing() {
    let held = Held()
    held.transport.room = 10
    _ = held.arrive(Self.get)
    #expect(held.transport.written.count == 10)
    #expect(held.pass(.seconds(30) - Self.just) == .waits)
    #expect(held.pass(Self.just) == .closed)
    #expect(held.transport.closed == true)
  }

  @Test func cutsAPeerThatTakesAByteNowAndThen() {
    let held = Held()
    held.transport.room = 0
    _ = held.arrive(Self.get)
    var verdict = ServerConnection.Verdict.waits
    var seconds = 0
    while verdict == .waits, seconds < 100 {
      held.transport.room = 1
      held.connection.ready(toRead: false, toWrite: true)
      _ = held.connection.turn(held.turn)
      seconds += 1
      verdict = held.pass(.seconds(1))
    }
    #expect(seconds == 30)
  }

  @Test func keepsAPeerThatTakesALargeAnswerSteadily() {
    let held = Held { _ in HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 10_000_000)) }
    held.transport.room = 0
    _ = held.arrive(Self.get)
    while held.transport.written.count < 10_000_000 {
      held.transport.room = 100_000
      held.connection.ready(toRead: false, toWrite: true)
      #expect(held.connection.turn(held.turn) == .waits)
      #expect(held.pass(.seconds(20)) == .waits)
    }
  }

  @Test func readsNothingMoreWhileAnswersPileUp() {
    var limits = ConnectionLimits()
    limits.outputBytes = 1_000
    let held = Held(limits: limits) { _ in
      HTTPResponse(status: 200, body: [UInt8](repeating: 0x61, count: 600))
    }
    held.transport.room = 0
    _ = held.arrive(String(repeating: Self.get, count: 100))
    held.transport.arrive(Self.get)
    #expect(held.connection.turn(held.turn) == .waits)
    #expect(held.transport.incomingBytes.count == Self.get.utf8.count)
    held.transport.room = .max
    held.connection.ready(toRead: false, toWrite: true)
    #expect(held.connection.turn(held.turn) == .waits)
    #expect(held.transport.text.components("HTTP/1.1 200 OK") == 101)
  }

  @Test func answersAPeerThatHasFinishedSending() {
    let held = Held()
    held.transport.incoming = [.end]
    #expect(held.arrive(Self.get + Self.get) == .closed)
    #expect(held.transport.text.components("200 OK") == 2)
    #expect(held.transport.closed == false)
  }

  @Test func saysNothingToAPeerThatLeavesInTheMiddle() {
    let held = Held()
    held.transport.incoming = [.end]
    #expect(held.arrive("GET / HTTP/1.1\r\nHo") == .closed)
    #expect(held.transport.text == "")
  }

  @Test func readsOnAfterARefusalUntilThePeerCloses() {
    let held = Held()
    #expect(held.arrive("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\nabc") == .waits)
    #expect(held.transport.text.hasPrefix("HTTP/1.1 413 "))
    #expect(held.transport.hasFinishedWriting)
    #expect(held.transport.closed == nil)
    #expect(held.arrive("more") == .waits)
    held.transport.incoming = [.end]
    #expect(held.arrive("") == .closed)
    #expect(held.transport.closed == false)
  }

  @Test func readsOnlySoMuchAfterARefusal() {
    var limits = ConnectionLimits()
    limits.discardedBytes = 100
    let held = Held(limits: limits)
    _ = held.arrive("GET /\r\n\r\n")
    #expect(held.arrive(String(repeating: "x", count: 100)) == .waits)
    #expect(held.arrive("x") == .closed)
    #expect(held.transport.closed == true)
  }

  @Test func givesOthersATurnWhenMuchComesIn() {
    let held = Held()
    let text =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 700000\r\n\r\n"
      + String(repeating: "x", count: 700_000)
    #expect(held.arrive(text) == .goesOn)
    #expect(held.connection.turn(held.turn) == .waits)
    #expect(held.transport.text.hasPrefix("HTTP/1.1 200 OK"))
  }

  @Test func boundsTheHandshake() {
    let held = Held()
    held.transport.handshakes = [.wouldBlock, .wouldBlock, .wouldBlock]
    #expect(held.connection.turn(held.turn) == .waits)
    #expect(held.pass(.seconds(9)) == .waits)
    #expect(held.arrive("") == .waits)
    #expect(held.pass(.seconds(1)) == .closed)
    #expect(held.transport.closed == true)
  }

  @Test func closesWhenTheHandshakeFails() {
    let held = Held()
    held.transport.handshakes = [.failed("no")]
    #expect(held.connection.turn(held.turn) == .closed)
  }

  /// A reset could discard the alert before the peer reads it (RFC 8446, 6).
  @Test func readsOnBehindTheAlertOfAHandshake() {
    let held = Held()
    held.transport.handshakes = [.failed("no")]
    held.transport.hasSentAlert = true
    #expect(held.connection.turn(held.turn) == .waits)
    #expect(held.transport.hasFinishedWriting && held.transport.closed == nil)
    held.transport.incoming = [.end]
    #expect(held.arrive("more") == .closed)
    #expect(held.transport.closed == false && held.connection.closing == .handshakeFailed)
  }

  @Test(arguments: [false, true]) func aFailedReadEndsAtOnceUnlessAnAlertWasSent(hasSentAlert: Bool) {
    let held = Held()
    _ = held.arrive("GET / HTTP/1.1\r\n")
    held.transport.hasSentAlert = hasSentAlert
    held.transport.incoming = [.failed("no")]
    #expect(held.arrive("") == (hasSentAlert ? .waits : .closed))
    #expect(held.transport.hasFinishedWriting == hasSentAlert)
    #expect(held.transport.closed == (hasSentAlert ? nil : true))
    #expect(held.connection.closing == .failed)
  }

  /// A peer that breaks off between two requests has left like others.
  @Test func aBreakBetweenRequestsIsThePeersLeave() {
    let held = Held()
    _ = held.arrive(Self.get)
    held.transport.incoming = [.failed("no")]
    #expect(held.arrive("") == .closed)
    #expect(held.connection.closing == .peer)
  }

  @Test func whoLeavesWhileTheServerStopsWasStopped() {
    for isStopped in [false, true] {
      for (last, closing) in [(TransportRead.end, ServerClosing.peer), (.failed("no"), .failed)] {
        let held = Held()
        _ = held.arrive("GET / HTTP/1.1\r\n")
        if isStopped { _ = held.connection.stop(held.turn) }
        held.transport.incoming = [last]
        #expect(held.arrive("") == .closed)
        #expect(held.connection.closing == (isStopped && closing == .peer ? .stopped : closing))
      }
    }
  }

  @Test func givesAnIdleConnectionASecondWhenStopped() {
    let idle = Held()
    _ = idle.arrive(Self.get)
    #expect(idle.connection.stop(idle.turn) == .waits)
    #expect(idle.pass(.milliseconds(999)) == .waits)
    #expect(idle.pass(.milliseconds(1)) == .closed)
    #expect(idle.connection.closing == .stopped)
  }

  @Test func answersTheRequestThatWasOnItsWayWhenStopped() {
    let idle = Held()
    _ = idle.arrive(Self.get)
    _ = idle.connection.stop(idle.turn)
    _ = idle.arrive(Self.get)
    #expect(idle.transport.text.components("HTTP/1.1 200 OK") == 2)
    #expect(idle.transport.text.hasSuffix("Connection: close\r\n\r\n"))
    #expect(idle.transport.hasFinishedWriting)
  }

  @Test func stopsAfterTheAnswerWhenNotIdle() {
    let busy = Held()
    _ = busy.arrive("GET / HTTP/1.1\r\n")
    #expect(busy.connection.stop(busy.turn) == .waits)
    _ = busy.arrive("Host: a\r\n\r\n")
    #expect(busy.transport.text.hasSuffix("Connection: close\r\n\r\n"))
    #expect(busy.transport.hasFinishedWriting)

    let unread = Held()
    _ = unread.connection.turn(unread.turn)
    unread.transport.arrive(Self.get)
    #expect(unread.connection.stop(unread.turn) == .waits)
    #expect(unread.transport.text.hasPrefix("HTTP/1.1 200 OK"))
    #expect(unread.transport.text.hasSuffix("Connection: close\r\n\r\n"))
  }
}
