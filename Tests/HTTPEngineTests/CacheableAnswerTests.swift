import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// An answer that follows from the request alone is asked for once: nobody may notice but whoever is asked.
@Suite struct CacheableAnswerTests {
  /// What was asked, and what an observer saw.
  final class Log: Sendable {
    let asked = LockedState<[String]>([])
    let seen = LockedState<[String]>([])

    /// Its answers name the edition and the target; `/clock` is not settled.
    func answering(_ edition: String) -> HTTPResponder {
      { request, _ in
        self.asked.withLock { $0.append(request.target) }
        return .afterBody { request in
          let response = HTTPResponse.text(200, "\(edition) \(request.target) \(request.body.count)")
          return request.target == "/clock" ? .now(response) : .cacheable(response)
        }
      }
    }

    func service() -> LoopService {
      LoopService(
        answering("old"),
        observer: { exchange in
          self.seen.withLock { $0.append("\(exchange.request.target) \(exchange.status)") }
        })
    }
  }

  /// What comes out for these bytes.
  static func exchange(_ server: some ServerProtocol, _ bytes: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { server.receive($0) }
    var output = OutputQueue()
    while !server.produce(into: &output, date: "D", limitBytes: .max) {}
    return output.takeAll()
  }

  static func http1(_ service: LoopService) -> HTTP1Server {
    HTTP1Server(
      scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
  }

  static func http2(_ service: LoopService) -> HTTP2Server {
    HTTP2Server(
      scheme: "http", HTTP2Settings(messages: HTTPLimits(), limits: HTTP2Limits()), service,
      origin: ConnectionOrigin())
  }

  static func get(_ server: HTTP1Server, _ target: String, _ field: String = "") -> String {
    let answer = exchange(server, Array("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\(field)\r\n".utf8))
    return String(decoding: answer, as: UTF8.self)
  }

  @Test func isAskedForOnceForAllConnectionsOfALoop() {
    let log = Log()
    let service = log.service()
    let first = Self.get(Self.http1(service), "/a")
    #expect(first.hasSuffix("\r\n\r\nold /a 0\n"))
    // The second is the first that is known by its bytes, and settles the answer.
    for _ in 0..<5 { #expect(Self.get(Self.http1(service), "/a") == first) }
    #expect(log.asked.withLock { $0 } == ["/a", "/a"])
    #expect(log.seen.withLock { $0 } == [String](repeating: "/a 200", count: 6))
    #expect(service.counters.value(.requestsHTTP1) == 6)
  }

  @Test func isAskedForAgainWhenSomethingElseAnswers() {
    let log = Log()
    let service = log.service()
    let server = Self.http1(service)
    for _ in 0..<3 { _ = Self.get(server, "/a") }
    service.responder = log.answering("new")
    for _ in 0..<3 { #expect(Self.get(server, "/a").hasSuffix("new /a 0\n")) }
    #expect(log.asked.withLock { $0.count } == 3)
  }

  @Test func whatIsNotSettledIsAskedForEachTime() {
    let log = Log()
    let server = Self.http1(log.service())
    for _ in 0..<4 { #expect(Self.get(server, "/clock").hasSuffix("old /clock 0\n")) }
    #expect(log.asked.withLock { $0.count } == 4)
  }

  @Test func anotherFieldIsAnotherRequest() {
    let log = Log()
    let server = Self.http1(log.service())
    for _ in 0..<3 { _ = Self.get(server, "/a") }
    _ = Self.get(server, "/a", "If-None-Match: \"x\"\r\n")
    #expect(log.asked.withLock { $0.count } == 3)
  }

  @Test func holdsInHTTP2AndNotForABody() {
    let log = Log()
    let service = log.service()
    let server = Self.http2(service)
    var answer = Self.exchange(server, Frames.start)
    func ask(_ stream: UInt32, body: [UInt8]?) -> String {
      let fields = Frames.fields(Frames.request("POST", "/a"))
      var bytes = Frames.headers(stream, fields, end: body == nil)
      if let body { bytes += Frames.data(stream, body, end: true) }
      answer = Self.exchange(server, bytes)
      return String(decoding: HTTP2ServerTests.body(Frames.take(&answer), stream), as: UTF8.self)
    }
    for stream: UInt32 in [1, 3, 5, 7] { #expect(ask(stream, body: nil) == "old /a 0\n") }
    #expect(log.asked.withLock { $0.count } == 2)
    #expect(ask(9, body: [1, 2]) == "old /a 2\n")
    #expect(ask(11, body: nil) == "old /a 0\n")
    #expect(log.asked.withLock { $0.count } == 3)
    #expect(log.seen.withLock { $0.count } == 6)
    #expect(service.counters.value(.requestsHTTP2) == 6)
  }
}
