import LinkspanCore
import Testing

@testable import HTTPEngine

/// The form of what a server refuses by itself.
@Suite("Form of refusals")
struct RefusalFormTests {
  /// What it was asked for, and what it says to all of them under `/api`.
  let asked = LockedState<[RefusedRequest]>([])

  func service(bodies: Int = .max) -> LoopService {
    LoopService(
      { request, _ in .afterBody(limitBytes: 4) { .now(Conversation.echo($0)) } },
      bodies: BodyBudget(limitBytes: bodies),
      refusalForm: { [asked] refused in
        asked.withLock { $0.append(refused) }
        guard refused.target.hasPrefix("/api") else { return nil }
        return HTTPResponse(status: refused.status, fields: ["Content-Type": "x/y"], body: Array("form".utf8))
      })
  }

  func http1(_ bytes: String, _ service: LoopService, limits: HTTPLimits = HTTPLimits()) -> String {
    let server = HTTP1Server(
      scheme: "http", limits: limits, HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
    var output = OutputQueue()
    Array(bytes.utf8).withUnsafeBufferPointer { server.receive($0) }
    while !server.produce(into: &output, date: "D", limitBytes: .max) {}
    return String(decoding: output.takeAll(), as: UTF8.self)
  }

  func http2(_ bytes: [UInt8], _ service: LoopService, limits: HTTPLimits = HTTPLimits()) -> [Frames.Frame] {
    let server = HTTP2Server(
      scheme: "http", HTTP2Settings(messages: limits, limits: HTTP2Limits()), service,
      origin: ConnectionOrigin())
    var output = OutputQueue()
    (Frames.start + bytes).withUnsafeBufferPointer { server.receive($0) }
    while !server.produce(into: &output, date: "D", limitBytes: .max) {}
    var answer = output.takeAll()
    return Frames.take(&answer)
  }

  @Test(arguments: [
    "Content-Length: 5\r\n\r\nabcde", "Content-Length: 2000000\r\n\r\n",
    "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
  ])
  func ofABodyOverHTTP1(_ body: String) {
    let answer = http1("PUT /api HTTP/1.1\r\nHost: a\r\n" + body, service())
    #expect(answer.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    #expect(answer.contains("Content-Type: x/y\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nform"))
    let refused = asked.withLock { $0 }
    #expect(refused.map(\.method) == ["PUT"])
    #expect(refused.map(\.target) == ["/api"])
    #expect(refused.first?.reason.hasPrefix("the body is larger than ") == true)
  }

  @Test func ofABodyOverHTTP2() {
    let head = Frames.headers(1, Frames.fields(Frames.request("PUT", "/api")), end: false)
    let frames = http2(head + Frames.data(1, Array("abcde".utf8)), service())
    #expect(frames.first { $0.kind == Frames.Kind.headers }?.status == 413)
    #expect(frames.first { $0.kind == Frames.Kind.data }?.payload == Array("form".utf8))
    #expect(asked.withLock { $0 }.map(\.target) == ["/api"])
  }

  @Test func ofAHeaderSection() {
    let field = "X: " + String(repeating: "x", count: 40_000)
    let answer = http1("GET /api HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n", service())
    #expect(answer.hasPrefix("HTTP/1.1 431 "))
    #expect(answer.hasSuffix("\r\n\r\nform"))
    let more = [("x", String(repeating: "x", count: 5_000))]
    var limits = HTTPLimits()
    limits.headerBytes = 2_000
    let frames = http2(
      Frames.headers(1, Frames.fields(Frames.request("GET", "/api", more: more))), service(), limits: limits)
    #expect(frames.first { $0.kind == Frames.Kind.headers }?.status == 431)
    #expect(frames.first { $0.kind == Frames.Kind.data }?.payload == Array("form".utf8))
  }

  @Test func ofAServerWithoutRoom() {
    let answer = http1("PUT /api HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", service(bodies: 2))
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    #expect(answer.contains("Retry-After: 1\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nform"))
  }

  @Test func isALineOfTextWhereThereIsNone() {
    let body = "Content-Length: 5\r\n\r\nabcde"
    let other = http1("PUT /other HTTP/1.1\r\nHost: a\r\n" + body, service())
    #expect(other.hasSuffix("\r\n\r\nthe body is larger than 4 bytes\n"))
    let unread = http1("\u{1}\r\n\r\n", service())
    #expect(unread.hasPrefix("HTTP/1.1 400 "))
    #expect(asked.withLock { $0 }.last?.target == "")
  }
}
