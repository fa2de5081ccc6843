import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// What a server says of a connection beside its answers reaches the client's owner (push notes 1.7, 1.13, 1.14).
@Suite struct ClientEventTests {
  /// Collects events, and waits for one.
  final class Events: Sendable {
    private let seen = LockedState<[HTTPClientEvent]>([])

    func put(_ event: HTTPClientEvent) {
      seen.withLock { $0.append(event) }
      seen.signal(all: true)
    }

    func wait(_ isIt: (HTTPClientEvent) -> Bool) -> HTTPClientEvent {
      seen.wait { $0.first(where: isIt) }
    }

    var all: [HTTPClientEvent] { seen.withLock { $0 } }
  }

  private let request = HTTPRequest(scheme: "http", authority: "a.example", target: "/x")

  @Test func settingsAndTheEndAreTold() throws {
    let events = Events()
    try withServer { server in
      let client = HTTPClient(connectTo: server.addresses[0]) {
        $0.protocols = .http2
        $0.isSingleConnection = true
        $0.retries = 0
        $0.onEvent = events.put
      }
      _ = try client.answer(request)
      guard case .streamLimit(let limit)? = events.all.first else {
        Issue.record("the server's SETTINGS were not told")
        return
      }
      #expect(limit >= 1)
      server.stop()
      guard case .leaving(let goAway) = events.wait({ if case .leaving = $0 { true } else { false } }) else {
        return
      }
      #expect(goAway.code == 0)
      #expect(events.wait { $0 == .ended } == .ended)
      // One connection, and none after it.
      let late = client.begin(request)
      #expect(throws: HTTPClientError.self) { try late.wait() }
      #expect(client.begin(request).failure == .notProcessed)
    }
  }

  @Test func aConnectionThatDoesNotComeAboutEndsAsWell() throws {
    let events = Events()
    let client = HTTPClient(connectTo: .loopback(port: 1)) {
      $0.protocols = .http2
      $0.isSingleConnection = true
      $0.onEvent = events.put
    }
    #expect(client.begin(request).failure == .refused)
    #expect(events.wait { $0 == .ended } == .ended)
    #expect(client.begin(request).failure == .notProcessed)
  }

  /// A client that has asked a server which never says anything by itself, on a clock of the test.
  private struct Silence {
    let events = Events()
    let clock = ManualClock()
    let client: HTTPClient
    let pending: PendingAnswer
    let peer: RawConnection
    private let listener: RawListener
    private var received: [UInt8] = []

    init(
      _ request: HTTPRequest, _ set: (inout ClientDeadlines) -> Void = { _ in }
    ) throws {
      listener = try RawListener()
      let (events, clock) = (self.events, self.clock)
      client = HTTPClient(connectTo: listener.address) {
        $0.protocols = .http2
        $0.retries = 0
        $0.clock = clock.clock
        $0.deadlines.pong = .seconds(5)
        $0.deadlines.request = .seconds(3_600)
        $0.deadlines.answer = .seconds(3_600)
        set(&$0.deadlines)
        $0.onEvent = events.put
      }
      pending = client.begin(request)
      peer = try listener.accept()
      peer.send(Frames.settings())
      _ = events.wait { if case .streamLimit = $0 { true } else { false } }
    }

    static let ping = Frames.frame(Frames.Kind.ping, [UInt8](repeating: 0, count: 8))

    /// What the client has sent has left when it has come.
    mutating func hear(_ bytes: [UInt8]) throws {
      while Data(received).range(of: Data(bytes)) == nil { received += try peer.receive() }
      received = []
    }

    func pass(_ time: Duration) {
      clock.advance(time)
      client.wake()
    }
  }

  /// A server that answers a PING keeps its connection; one that does not loses it.
  @Test func aServerThatDoesNotAnswerAPingIsGivenUp() throws {
    var silence = try Silence(request)
    silence.client.ping()
    try silence.hear(Silence.ping)
    silence.pass(.seconds(6))
    #expect(silence.pending.failure == .connectionLost)
    #expect(silence.events.wait { $0 == .ended } == .ended)
  }

  /// Silence while a request is under way is asked about: a server that answers the PING is slow and keeps its
  /// connection, and one that says nothing is given up less than 10 s after it fell silent.
  @Test(arguments: [true, false]) func aSilentServerIsAskedWhetherItIsThere(answers: Bool) throws {
    var silence = try Silence(request) {
      $0.silence = .seconds(3)
      $0.answer = .seconds(30)
    }
    try silence.hear(Array("/x".utf8))
    silence.pass(.milliseconds(3_500))
    try silence.hear(Silence.ping)
    guard answers else {
      silence.pass(.milliseconds(5_500))
      #expect(silence.pending.failure == .connectionLost)
      return
    }
    silence.peer.send(
      Frames.frame(Frames.Kind.ping, flags: Frames.Flag.ack, [UInt8](repeating: 0, count: 8)))
    silence.peer.send(Frames.settings([(3, 7)]))
    _ = silence.events.wait { $0 == .streamLimit(7) }
    silence.pass(.milliseconds(3_500))
    // It is still silent about the request, and asked again.
    try silence.hear(Silence.ping)
    silence.client.shutdown()
    #expect(silence.pending.failure == .shutDown)
  }

  // MARK: - The session by itself

  @Test func theSessionTellsSettingsAndGoAway() throws {
    let session = HTTP2ClientSession(HTTP2ClientSettings())
    var output = OutputQueue()
    func receive(_ bytes: [UInt8]) {
      bytes.withUnsafeBufferPointer { session.receive($0) }
      _ = session.produce(into: &output, limitBytes: .max)
    }
    receive(Frames.settings([(3, 7)]))
    #expect(session.takeNews() == [.streamLimit(7)])
    #expect(session.ping())
    receive(Frames.frame(Frames.Kind.ping, flags: Frames.Flag.ack, [UInt8](repeating: 0, count: 8)))
    receive(Frames.settings([(3, 1)]))
    let debug = Array(#"{"reason":"Shutdown"}"#.utf8)
    receive(Frames.frame(Frames.Kind.goaway, Frames.number(0) + Frames.number(0) + debug))
    #expect(
      session.takeNews() == [
        .streamLimit(1), .leaving(HTTP2GoAway(code: 0, lastStream: 0, debugData: debug)),
      ])
    #expect(session.takeNews().isEmpty && !session.ping())
  }

  /// Notes 1.20: `:path` and `authorization` never enter the peer's table, the fields that differ from push to push once,
  /// the others always.
  @Test func fieldsThatDifferAreIndexedOnce() throws {
    let session = HTTP2ClientSession(HTTP2ClientSettings(indexedOnce: ["apns-id"]))
    var output = OutputQueue()
    func header(_ number: Int, _ identifier: String) -> [UInt8] {
      session.submit(
        HTTPRequest(
          method: "POST", scheme: "https", authority: "a.example", target: "/3/device/0\(number)",
          fields: [
            "authorization": "bearer abc", "apns-id": identifier, "apns-topic": "com.example.app",
          ]), as: number)
      _ = session.produce(into: &output, limitBytes: .max)
      var bytes = output.takeAll()
      if bytes.starts(with: Frames.preface) { bytes.removeFirst(Frames.preface.count) }
      return Frames.take(&bytes).first { $0.kind == Frames.Kind.headers }?.payload ?? []
    }
    let first = header(1, "id-1")
    let second = header(2, "id-2")
    let third = header(3, "id-3")
    #expect(second.count < first.count && third.count == second.count)
    // Literals of the second: `:path` and `content-length` without indexing (0000), `authorization` and `apns-id` never
    // indexed (0001), with the index of a name that stands in a table. A literal with indexing would begin with 01.
    func literals(_ block: [UInt8]) -> [UInt8] {
      var (kinds, index): ([UInt8], Int) = ([], 0)
      func integer(_ bits: Int) -> Int {
        let most = 1 << bits - 1
        var value = Int(block[index]) & most
        index += 1
        guard value == most else { return value }
        var shift = 0
        while true {
          let byte = Int(block[index])
          index += 1
          value += (byte & 127) << shift
          if byte < 128 { return value }
          shift += 7
        }
      }
      func skipString() {
        let count = integer(7)
        index += count
      }
      while index < block.count {
        let byte = block[index]
        if byte >= 128 {
          _ = integer(7)
          continue
        }
        kinds.append(byte >= 64 ? 0x40 : byte & 0xF0)
        if integer(byte >= 64 ? 6 : 4) == 0 { skipString() }
        skipString()
      }
      return kinds
    }
    #expect(literals(second).sorted() == [0x00, 0x00, 0x10, 0x10])
    #expect(literals(third).sorted() == [0x00, 0x00, 0x10, 0x10])
    #expect(literals(first).filter { $0 == 0x10 } == [0x10])
  }
}
