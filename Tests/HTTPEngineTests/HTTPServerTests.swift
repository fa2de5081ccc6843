import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("HTTP server on a socket")
struct HTTPServerTests {
  static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  static let getAndClose = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  @Test func answersPipelinedRequestsInOrderAndCloses() throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      connection.send(Self.get + Self.get + Self.getAndClose)
      let answer = try connection.read()
      #expect(answer.components("HTTP/1.1 200 OK") == 3)
      #expect(answer.hasSuffix("X-Target: /last\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
    }
  }

  @Test func answersARequestThatComesByteByByte() throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      for character in Self.getAndClose { connection.send(String(character)) }
      #expect(try connection.read().hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test func takesALargeBodyAndGivesALargeAnswer() throws {
    var configuration = HTTPServerConfiguration()
    configuration.messages.bodyBytes = 8_000_000
    try withServer(configuration) { server in
      let body = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let client = HTTPClient(connectTo: .loopback(port: server.port), deadline: .seconds(60)) {
        $0.messages.bodyBytes = 8_000_000
      }
      let answer = try client.send(
        HTTPRequest(method: "POST", scheme: "http", authority: "a", target: "/", body: body))
      #expect(answer.body == body)
    }
  }

  @Test func refusesWithAnAnswerThatArrives() throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
      connection.send(String(repeating: "x", count: 300_000))
      #expect(try connection.read(until: "bytes\n").hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    }
  }

  @Test func answers408UnderAClockMovedByHand() throws {
    let clock = ManualClock()
    var configuration = HTTPServerConfiguration()
    configuration.clock = clock.clock
    try withServer(configuration) { server in
      let connection = try RawConnection(port: server.port)
      connection.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
      // The interim answer says that the server waits for the body now.
      #expect(try connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      connection.send("abc")
      clock.advance(.seconds(31))
      server.wake()
      let answer = try connection.read(until: "in time\n")
      #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"))
      clock.advance(.seconds(3))
      server.wake()
      #expect(try connection.read() == "")
    }
  }

  @Test func finishesWhatIsInFlightWhenStopped() throws {
    try withServer { server in
      let connection = try RawConnection(port: server.port)
      connection.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      _ = try connection.read(until: "\r\n\r\n")
      let idle = try RawConnection(port: server.port)
      idle.send(Self.get)
      _ = try idle.read(until: "\r\n\r\n")
      server.stop()
      // The idle one is closed; by then nobody else gets in, and the one in flight is answered still.
      #expect(try idle.read() == "")
      #expect(throws: RawConnection.Failure.self) { try RawConnection(port: server.port) }
      connection.send("abc")
      #expect(try connection.read().hasSuffix("\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"))
    }
  }

  @Test func dropsWhatIsStillInFlightAtTheDeadlineOfStopping() throws {
    let clock = ManualClock()
    var configuration = HTTPServerConfiguration()
    configuration.clock = clock.clock
    configuration.deadlines.body = .seconds(3_600)
    try withServer(configuration) { server in
      let connection = try RawConnection(port: server.port)
      connection.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
      _ = try connection.read(until: "\r\n\r\n")
      let idle = try RawConnection(port: server.port)
      idle.send(Self.get)
      _ = try idle.read(until: "\r\n\r\n")
      server.stop()
      // The idle one is answered for the last time when its loop has heard of it.
      repeat { idle.send(Self.get) } while try !idle.read(until: "\r\n\r\n").contains("Connection: close")
      clock.advance(.seconds(10))
      server.wake()
      #expect(throws: RawConnection.Failure.self) { try connection.read() }
    }
  }

  @Test func stopsOnASignal() throws {
    var configuration = HTTPServerConfiguration()
    configuration.stopSignals = [SIGUSR1]
    let server = try HTTPServer(configuration) { request in
      // To the loop's own thread, where it is blocked: the rest of the test process knows nothing of it.
      if request.path == "/stop" { pthread_kill(pthread_self(), SIGUSR1) }
      return .text(200, "ok")
    }
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      do { try server.run() } catch { Issue.record(error) }
      ended.signal()
    }
    thread.start()
    let connection = try RawConnection(port: server.port)
    connection.send("GET /stop HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try connection.read().hasPrefix("HTTP/1.1 200 OK"))
    #expect(ended.wait(timeout: .now() + 20) == .success)
  }

  @Test func holdsOnlySoManyConnectionsOfOneAddress() throws {
    var configuration = HTTPServerConfiguration()
    configuration.connections.perAddress = 2
    // One loop has put a connection away before it accepts the next.
    configuration.loops = 1
    try withServer(configuration) { server in
      var held: [RawConnection] = []
      for _ in 0..<2 {
        let connection = try RawConnection(port: server.port)
        connection.send(Self.get)
        #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        held.append(connection)
      }
      let third = try RawConnection(port: server.port)
      third.send(Self.get)
      #expect((try? third.read(until: "\r\n\r\n")) ?? "" == "")
      held[0].send(Self.getAndClose)
      _ = try held[0].read()
      let fourth = try RawConnection(port: server.port)
      fourth.send(Self.get)
      #expect(try fourth.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func listensOnSeveralAddressesAndTellsTheirPorts() throws {
    let listeners = [HTTPServerConfiguration.Listener(), .init(.loopback())]
    try withServer(HTTPServerConfiguration(listeners: listeners)) { server in
      #expect(Set(server.addresses.map(\.port)).count == 2)
      for address in server.addresses {
        let answer = try HTTPClient(connectTo: address).send(
          HTTPRequest(scheme: "http", authority: "a", target: "/x"))
        #expect(answer.fields["X-Target"] == "/x")
      }
    }
  }

  @Test func saysWhichAddressCannotBeListenedOn() throws {
    try withServer { server in
      let taken = HTTPServerConfiguration(listeners: [.init(server.addresses[0])])
      #expect(throws: HTTPServerError("cannot bind", server.addresses[0], EADDRINUSE)) {
        _ = try HTTPServer(taken, handler: Conversation.echo)
      }
    }
  }

  /// What to do is there where the system's number says it, and what another error said is kept.
  @Test func saysWhatToDoAboutAnAddress() {
    let address = SocketAddress.loopback(port: 80)
    func help(_ code: CInt) -> String? { LinkspanError(HTTPServerError("cannot bind", address, code)).help }
    #expect(help(EACCES)?.hasPrefix("Ports below 1024 are reserved.") == true)
    #expect(help(EADDRINUSE)?.hasPrefix("Choose another port") == true)
    #expect(help(EADDRNOTAVAIL) == "This machine does not have the address; 'ip address' lists those it has.")
    #expect(help(EINVAL) == nil)
    #expect(HTTPServerError(LinkspanError("no room", help: "Make some.")).help == "Make some.")
  }

  @Test func survivesPeersThatComeAndGo() throws {
    try withServer { server in
      for round in 0..<200 {
        let connection = try RawConnection(port: server.port)
        if round % 2 == 0 { connection.send(String(Self.get.prefix(round % 28))) }
      }
      let connection = try RawConnection(port: server.port)
      connection.send(Self.getAndClose)
      #expect(try connection.read().hasPrefix("HTTP/1.1 200 OK"))
    }
  }
}
