import Dispatch
import LinkspanCore
import LinkspanSystem
import TestSupport
import Testing

@testable import HTTPEngine
@testable import LinkspanDaemon

/// Addresses behind proxies (RFC 7239), read from the right and only as far as whoever wrote them is trusted.
@Suite struct ForwardedClientTests {
  private func client(
    _ fields: HTTPFields, peer: String = "10.0.0.1", trusted: [String] = ["10.0.0.0/8", "2001:db8::/32"]
  ) throws -> String? {
    let ranges = try trusted.map { try #require(AddressBlock($0)) }
    let request = HTTPRequest(authority: "example.com", target: "/", fields: fields)
    return ForwardedClient(trusted: ranges).client(of: request, peer: SocketAddress(peer, port: 1))?.host
  }

  @Test(arguments: [
    ("203.0.113.7", "203.0.113.7"), ("198.51.100.9, 203.0.113.7", "203.0.113.7"),
    ("198.51.100.9, 203.0.113.7, 10.0.0.2", "203.0.113.7"), ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
    ("203.0.113.7:4711", "203.0.113.7"), ("2001:4860::1", "2001:4860::1"),
    ("[2001:4860::1]:80", "2001:4860::1"),
    ("[2001:4860::1]", "2001:4860::1"), ("203.0.113.7:_x", "203.0.113.7"),
    // What a client may send before the proxy adds where it was asked from.
    ("198.51.100.9:\", 203.0.113.7", "203.0.113.7"), ("198.51.100.9:\u{600}, 203.0.113.7", "203.0.113.7"),
    ("198.51.100.9:x", "10.0.0.1"), ("[2001:4860::1]x", "10.0.0.1"), ("2001:4860::1:_x", "10.0.0.1"),
    ("unknown", "10.0.0.1"), ("203.0.113.7, nonsense, 10.0.0.2", "10.0.0.2"), ("", "10.0.0.1"),
  ])
  func isReadFromXForwardedFor(value: String, expected: String) throws {
    #expect(try client(["X-Forwarded-For": value]) == expected)
  }

  @Test(arguments: [
    ("for=203.0.113.7", "203.0.113.7"), ("For=\"[2001:4860::1]:4711\";proto=https", "2001:4860::1"),
    ("for=198.51.100.9, proto=https;for=203.0.113.7;by=10.0.0.9", "203.0.113.7"),
    ("for=203.0.113.7, for=\"_hidden, for=1.2.3.4\"", "10.0.0.1"), ("for=_hidden", "10.0.0.1"),
    ("for=198.51.100.9:\", for=203.0.113.7", "10.0.0.1"),
    ("for=198.51.100.9;x=\", for=\"[2001:4860::1]\"", "10.0.0.1"),
    ("for=198.51.100.9;x=\"\u{600}\", for=203.0.113.7", "203.0.113.7"),
    ("for=\"203.0.113.7", "10.0.0.1"), ("by=203.0.113.7", "10.0.0.1"),
  ])
  func isReadFromForwarded(value: String, expected: String) throws {
    #expect(try client(["Forwarded": value]) == expected)
  }

  /// A proxy that writes one of the two hands on the other as a client made it up.
  @Test func whatTheTwoFieldsTellDifferentlyIsNotBelieved() throws {
    let told = "203.0.113.7"
    #expect(try client(["Forwarded": "for=\(told)", "X-Forwarded-For": told]) == told)
    #expect(try client(["Forwarded": "for=127.0.0.1", "X-Forwarded-For": told]) == "10.0.0.1")
    #expect(try client(["Forwarded": "for=\(told)", "X-Forwarded-For": "192.0.2.99"]) == "10.0.0.1")
    #expect(try client(["Forwarded": "for=\"", "X-Forwarded-For": told]) == "10.0.0.1")
  }

  @Test func isThePeerWhereNobodyIsTrusted() throws {
    #expect(try client(["X-Forwarded-For": "203.0.113.7"], trusted: []) == "10.0.0.1")
    #expect(try client(["X-Forwarded-For": "203.0.113.7"], peer: "192.0.2.1") == "192.0.2.1")
  }

  @Test func readsSeveralFieldsAsOneList() throws {
    let fields = HTTPFields([
      HTTPField("X-Forwarded-For", "198.51.100.9"), HTTPField("x-forwarded-for", "203.0.113.7"),
    ])
    #expect(try client(fields) == "203.0.113.7")
  }
}

@Suite struct LoopWatchdogTests {
  @Test func seesALoopThatHangs() throws {
    let (entered, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var configuration = HTTPServerConfiguration()
    configuration.loops = 1
    let server = try HTTPServer(configuration) { _ in
      entered.signal()
      mayGo.wait()
      return .text(200, "ok")
    }
    try DetachedThread.start { try? server.run() }
    let watchdog = LoopWatchdog(server)
    // The wakes are answered by the loop, when it has its turn.
    func looksUntil(_ wanted: Bool) -> Bool { (0..<1_000_000).contains { _ in watchdog.look() == wanted } }
    #expect(looksUntil(true))
    let client = try RawClient(port: server.addresses[0].port)
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    entered.wait()
    // What the loop did before it came to hang may be news once.
    _ = watchdog.look()
    #expect(!watchdog.look())
    #expect(!watchdog.look())
    mayGo.signal()
    #expect(looksUntil(true))
    server.stop()
  }
}

@Suite struct AccessRingTests {
  private func record(_ number: Int64) -> AccessRecord {
    AccessRecord(
      exchange: ServerExchange(
        request: HTTPRequest(authority: "a", target: "/"), status: 200, bodyBytes: 0,
        durationNanoseconds: number,
        version: .http11),
      time: number)
  }

  @Test func givesBackInOrderAndCountsWhatFindsNoRoom() {
    let ring = AccessRing()
    for number in 0..<Int64(AccessRing.capacity + 3) { ring.put(record(number)) }
    #expect(ring.dropped == 3)
    for number in 0..<Int64(AccessRing.capacity) { #expect(ring.take()?.time == number) }
    #expect(ring.take() == nil)
    ring.put(record(7))
    #expect(ring.take()?.time == 7)
    #expect(ring.dropped == 3)
  }
}
