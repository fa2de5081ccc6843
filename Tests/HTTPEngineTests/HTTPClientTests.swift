import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// The client over sockets of this machine: our own server, and servers that a test plays by hand.
@Suite("HTTP client and its connections")
struct HTTPClientConnectionTests {
  let request = HTTPRequest(scheme: "http", authority: "a.example", target: "/x")

  // MARK: - Reuse

  @Test func usesAConnectionAgain() throws {
    try withServer { server in
      let client = HTTPClient(connectTo: server.addresses[0])
      let first = try client.answer(request)
      let second = try client.answer(request)
      #expect(!first.isReused && second.isReused)
      #expect(second.version == .http1)
    }
  }

  @Test func speaksHTTP2InCleartextWhereItIsTold() throws {
    try withServer { server in
      let client = HTTPClient(connectTo: server.addresses[0]) { $0.protocols = .http2 }
      let answer = try client.answer(request)
      #expect(answer.version == .http2 && answer.response.fields["X-Target"] == "/x")
    }
  }

  @Test func speaksWhatTheServerChoosesOverTLS() throws {
    let certificate = try Certificates.make(["a.example"])
    let credentials = try TLSCredentials([TLSIdentity(certificate)])
    let trust = TLSTrust.authoritiesPEM(certificate.certificatePEM)
    var request = request
    request.scheme = "https"
    try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) { server in
      let negotiated = HTTPClient(connectTo: server.addresses[0], trust: trust)
      let first = try negotiated.answer(request)
      let second = try negotiated.answer(request)
      #expect(first.version == .http2 && second.isReused)
      let old = HTTPClient(connectTo: server.addresses[0], trust: trust) { $0.protocols = .http1 }
      let answer = try old.answer(request)
      #expect(answer.version == .http1)
    }
  }

  @Test func refusesAServerThatChoosesAnotherProtocol() throws {
    let certificate = try Certificates.make(["a.example"])
    let credentials = try TLSCredentials([TLSIdentity(certificate)], applicationProtocols: ["http/1.1"])
    var request = request
    request.scheme = "https"
    try withServer(HTTPServerConfiguration(listeners: [.init(credentials: credentials)])) { server in
      let client = HTTPClient(connectTo: server.addresses[0], trust: .anyone) { $0.protocols = .http2 }
      #expect(client.begin(request).failure == .handshake)
    }
  }

  @Test func carriesAThousandRequestsOverOneConnection() throws {
    var configuration = HTTPServerConfiguration()
    configuration.http2.concurrentStreams = 100
    try withServer(configuration) { server in
      let client = HTTPClient(connectTo: server.addresses[0]) { $0.protocols = .http2 }
      let answers = LockedState<[HTTPAnswer]>([])
      let group = DispatchGroup()
      client.start(
        (0..<1_000).map { number in
          var request = request
          request.target = "/\(number)"
          group.enter()
          return HTTPClient.Call(request) { result in
            if case .success(let answer) = result { answers.withLock { $0.append(answer) } }
            group.leave()
          }
        })
      group.wait()
      let all = answers.withLock { $0 }
      #expect(Set(all.compactMap { $0.response.fields["X-Target"] }).count == 1_000)
      // One request is the first of its connection.
      #expect(all.count { !$0.isReused } == 1)
    }
  }

  @Test func keepsRequestsBackUntilTheServerAllowsMoreStreams() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) {
      $0.protocols = .http2
      $0.http2.streamsBeforeSettings = 1
    }
    let pending = (0..<3).map { _ in client.begin(request) }
    let server = try RawHTTP2Server(listener, settings: [(3, 1)])
    for stream: UInt32 in [1, 3, 5] {
      #expect(try server.request() == stream)
      server.send(Frames.headers(stream, Frames.ok))
    }
    for answer in pending { #expect(try answer.wait().response.status == 200) }
  }

  /// One connection is allowed, and it goes for the next origin when it is idle.
  @Test func opensAsManyConnectionsAsAllowed() throws {
    try withServer { server in
      let client = HTTPClient(connectTo: server.addresses[0]) {
        $0.limits.connections = 1
        $0.deadlines.request = .seconds(10)
      }
      for authority in ["a.example", "a.example", "b.example"] {
        let answer = try client.answer(HTTPRequest(scheme: "http", authority: authority, target: "/x"))
        #expect(answer.response.status == 200, "\(authority)")
      }
    }
  }

  @Test func opensNoMoreConnectionsThanAllowed() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) { $0.limits.connectionsPerOrigin = 2 }
    let pending = (0..<3).map { _ in client.begin(request) }
    let peers = [try listener.accept(), try listener.accept()]
    for peer in peers {
      _ = try peer.read(until: "\r\n\r\n")
      peer.send("HTTP/1.1 204 No Content\r\n\r\n")
    }
    // Whichever is free first carries the third.
    var news = peers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    #expect(poll(&news, 2, 20_000) > 0)
    let third = news[0].revents != 0 ? peers[0] : peers[1]
    _ = try third.read(until: "\r\n\r\n")
    third.send("HTTP/1.1 204 No Content\r\n\r\n")
    let reused = try pending.map { try $0.wait().isReused }
    #expect(reused.count { $0 } == 1)
    #expect(!listener.hasVisitor)
  }

  /// The server may speak HTTP/2, whose one connection carries all of them; without TLS it is known that it does not.
  @Test func opensOneConnectionUntilTheServerHasChosenAProtocol() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address, trust: .anyone)
    var request = request
    request.scheme = "https"
    // Together, so that all of them wait when the first connection is opened.
    client.start((0..<3).map { _ in HTTPClient.Call(request) { _ in } })
    let first = try listener.accept()
    // The others would have connected before the client greets on the first.
    #expect(try !first.receive().isEmpty)
    #expect(!listener.hasVisitor)
  }

  @Test func failsARequestThatIsOneTooManyToWait() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) { $0.limits.waitingRequests = 2 }
    let kinds = LockedState<[HTTPClientError.Kind]>([])
    let called = DispatchSemaphore(value: 0)
    client.start(
      (0..<3).map { _ in
        HTTPClient.Call(request) { result in
          if case .failure(let error) = result { kinds.withLock { $0.append(error.kind) } }
          called.signal()
        }
      })
    called.wait()
    #expect(kinds.withLock { $0 } == [.tooManyWaiting])
  }

  // MARK: - Ends of connections

  @Test func asksAgainWhenAnIdleConnectionWasClosedInTheSameMoment() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address)
    let first = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = try first.wait()
    let second = client.begin(request)
    _ = try peer.read(until: "\r\n\r\n")
    shutdown(peer.descriptor, Int32(SHUT_RDWR))
    let fresh = try listener.accept()
    _ = try fresh.read(until: "\r\n\r\n")
    fresh.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    let answer = try second.wait()
    #expect(answer.response.status == 404 && !answer.isReused)
  }

  @Test func sendsNothingTwiceThatIsNotIdempotent() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address)
    let first = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = try first.wait()
    var post = request
    post.method = "POST"
    let second = client.begin(post)
    _ = try peer.read(until: "\r\n\r\n")
    shutdown(peer.descriptor, Int32(SHUT_RDWR))
    #expect(second.failure == .malformedAnswer)
    #expect(!listener.hasVisitor)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore",
  ])
  func leavesAConnectionThatCannotGoOn(_ answer: String) throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address)
    let first = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    peer.send(answer)
    #expect(try first.wait().response.status == 200)
    #expect(try peer.receive().isEmpty)
  }

  @Test func asksAgainElsewhereWhatALeavingServerDidNotProcess() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) { $0.protocols = .http2 }
    let pending = [client.begin(request), client.begin(request)]
    let old = try RawHTTP2Server(listener)
    #expect(try old.request() == 1)
    #expect(try old.request() == 3)
    old.send(Frames.goaway(last: 1))
    let new = try RawHTTP2Server(listener)
    #expect(try new.request() == 1)
    new.send(Frames.headers(1, Frames.field(":status", "204")))
    old.send(Frames.headers(1, Frames.ok))
    let statuses = try pending.map { try $0.wait().response.status }
    #expect(Set(statuses) == [200, 204])
  }

  @Test func givesUpARequestThatIsRefusedAgainAndAgain() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) { $0.protocols = .http2 }
    let pending = client.begin(request)
    let server = try RawHTTP2Server(listener)
    for stream: UInt32 in [1, 3, 5] {
      #expect(try server.request() == stream)
      server.send(Frames.reset(stream, Frames.Code.refusedStream))
    }
    #expect(pending.failure == .notProcessed)
  }

  @Test(arguments: [HTTPClientConfiguration.Protocols.http1, .http2])
  func givesUpOnAServerThatClosesEveryConnection(_ protocols: HTTPClientConfiguration.Protocols) throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) { $0.protocols = protocols }
    let pending = client.begin(request)
    _ = try listener.accept()
    let outcome = pending.failure
    #expect(outcome == .malformedAnswer || outcome == .connectionLost)
  }

  @Test func closesAConnectionThatNobodyNeeds() throws {
    let listener = try RawListener()
    let clock = ManualClock()
    let client = HTTPClient(connectTo: listener.address) { $0.clock = clock.clock }
    let first = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _ = try first.wait()
    clock.advance(.seconds(61))
    client.wake()
    #expect(try peer.receive().isEmpty)
  }

  @Test func failsWhatIsUnderWayWhenItIsShutDown() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address)
    let pending = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    client.shutdown()
    #expect(pending.failure == .shutDown)
    #expect(client.begin(request).failure == .shutDown)
    #expect(try peer.receive().isEmpty)
  }

  // MARK: - Addresses

  @Test func triesTheNextAddressBesideASilentOne() throws {
    // A queue that is full leaves whoever comes next without an answer.
    let silent = try RawListener(backlog: 0)
    let fillers = try (0..<2).map { _ in try Filler(silent.address) }
    defer { withExtendedLifetime(fillers) {} }
    try withServer { server in
      let client = HTTPClient()
      let answer = try client.answer(request, to: [silent.address, server.addresses[0]])
      #expect(answer.response.status == 200)
    }
  }

  @Test func triesTheNextAddressAfterOneThatRefuses() throws {
    let nobody = try withServer { $0.addresses[0] }
    try withServer { server in
      let answer = try HTTPClient().send(request, to: [nobody, server.addresses[0]])
      #expect(answer.status == 200)
      #expect(HTTPClient().begin(request, to: [nobody, nobody]).failure == .refused)
    }
  }

  @Test func connectsNowhereWhenOneOfTheAddressesIsForbidden() throws {
    let listener = try RawListener()
    let other = try RawListener()
    let forbidden = other.address
    let client = HTTPClient {
      $0.permits = { $0 != forbidden }
      $0.resolve = { [address = listener.address] _, _ in [address, forbidden] }
    }
    #expect(client.begin(request).failure == .forbiddenAddress(forbidden))
    #expect(client.begin(request, to: [forbidden]).failure == .forbiddenAddress(forbidden))
    #expect(!listener.hasVisitor && !other.hasVisitor)
  }

  @Test func doesNotWaitForAResolverBeyondTheDeadline() {
    let clock = ManualClock()
    let (asked, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let client = HTTPClient(deadline: .seconds(5)) {
      $0.clock = clock.clock
      $0.resolve = { _, _ in
        asked.signal()
        release.wait()
        return []
      }
    }
    let pending = client.begin(request)
    asked.wait()
    clock.advance(.seconds(6))
    client.wake()
    #expect(pending.failure == .timeout)
    release.signal()
  }

  // MARK: - Hostile and slow servers

  @Test func tellsHowMuchOfAnAnswerCameInTime() throws {
    let listener = try RawListener()
    let clock = ManualClock()
    let client = HTTPClient(connectTo: listener.address, deadline: .seconds(5)) { $0.clock = clock.clock }
    let pending = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    let start = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"
    peer.send(start)
    // Another answer that came later has been read, so this part was too.
    let other = client.begin(request, to: [listener.address, listener.address])
    let second = try listener.accept()
    _ = try second.read(until: "\r\n\r\n")
    second.send("HTTP/1.1 204 No Content\r\n\r\n")
    _ = try other.wait()
    clock.advance(.seconds(6))
    client.wake()
    #expect(pending.failure == .unfinished(receivedBytes: start.utf8.count))
  }

  @Test func boundsTheTimeFromSendingToTheEndOfTheAnswer() throws {
    let listener = try RawListener()
    let clock = ManualClock()
    let client = HTTPClient(connectTo: listener.address, deadline: .seconds(500)) {
      $0.clock = clock.clock
      $0.deadlines.answer = .seconds(5)
    }
    let pending = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    clock.advance(.seconds(6))
    client.wake()
    #expect(pending.failure == .timeout)
  }

  @Test func givesUpAHandshakeThatDoesNotEnd() throws {
    let listener = try RawListener()
    let clock = ManualClock()
    let client = HTTPClient(connectTo: listener.address, trust: .anyone, deadline: .seconds(500)) {
      $0.clock = clock.clock
    }
    var request = request
    request.scheme = "https"
    let pending = client.begin(request)
    let peer = try listener.accept()
    #expect(try !peer.receive().isEmpty)
    clock.advance(.seconds(11))
    client.wake()
    #expect(pending.failure == .timeout)
  }

  @Test(arguments: [
    (String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 9), HTTPClientError.Kind.malformedAnswer),
    ("HTTP/1.1 200 OK\r\n" + String(repeating: "A: b\r\n", count: 101), .tooLarge(isHeader: true)),
    ("HTTP/1.1 200 OK\r\nA: " + String(repeating: "b", count: 17_000), .tooLarge(isHeader: true)),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n", .tooLarge(isHeader: false)),
    ("SSH-2.0-x\r\n", .malformedAnswer),
  ])
  func refusesAnAnswerThatIsNotReadable(_ answer: String, _ expected: HTTPClientError.Kind) throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address)
    let pending = client.begin(request)
    let peer = try listener.accept()
    _ = try peer.read(until: "\r\n\r\n")
    peer.send(answer)
    #expect(pending.failure == expected)
  }

  @Test func endsAConnectionOnWhichTheServerBreaksHTTP2() throws {
    let listener = try RawListener()
    let client = HTTPClient(connectTo: listener.address) { $0.protocols = .http2 }
    let pending = client.begin(request)
    let server = try RawHTTP2Server(listener)
    _ = try server.request()
    server.send(Frames.data(1, [1]))
    #expect(pending.failure == .malformedAnswer)
    #expect(try server.read { $0.kind == Frames.Kind.goaway }?.number(at: 4) == Frames.Code.protocol)
    #expect(try server.read { _ in false } == nil)
  }

  @Test func readsAnAnswerThatComesBeforeTheEndOfTheRequest() throws {
    try withServer { server in
      var request = request
      request.method = "POST"
      request.body = [UInt8](repeating: 1, count: 8_000_000)
      for protocols in [HTTPClientConfiguration.Protocols.http1, .http2] {
        let client = HTTPClient(connectTo: server.addresses[0]) { $0.protocols = protocols }
        let answer = try client.send(request)
        #expect(answer.status == 413)
      }
    }
  }
}

/// A connection that is begun and left in a listener's queue.
private final class Filler {
  private let descriptor: Int32

  init(_ address: SocketAddress) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    let result = address.withSocketAddress { connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else {
      throw RawConnection.Failure(reason: String(cString: strerror(errno)))
    }
  }

  deinit { close(descriptor) }
}
