import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A request that is byte for byte one of those before it is answered without being parsed: nobody may notice.
@Suite struct KnownRequestsTests {
  /// Feeds pieces to one connection after the other of one server loop's service, and gives what comes out.
  func answers(_ pieces: [String], scheme: String = "http") -> String {
    let server = HTTP1Server(scheme: scheme, limits: HTTPLimits()) { request in
      .text(200, "\(request.method) \(request.target) \(request.fields["X"] ?? "-") \(request.body.count)")
    }
    var output = OutputQueue()
    for piece in pieces {
      Array(piece.utf8).withUnsafeBufferPointer { server.receive($0) }
      while !server.produce(into: &output, date: "now", limitBytes: 1 << 20) {}
    }
    return String(decoding: output.takeAll(), as: UTF8.self)
  }

  func bodies(_ text: String) -> [String] {
    text.components(separatedBy: "HTTP/1.1 200").dropFirst().map { answer in
      answer.components(separatedBy: "\r\n\r\n").dropFirst().joined().trimmingCharacters(in: .newlines)
    }
  }

  func get(_ target: String, _ fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: a.example\r\n\(fields)\r\n"
  }

  @Test func theSameBytesGetTheSameAnswer() {
    #expect(
      bodies(answers([get("/a"), get("/a"), get("/a")])) == ["GET /a - 0", "GET /a - 0", "GET /a - 0"])
  }

  @Test func oneByteMakesAnotherRequest() {
    #expect(
      bodies(answers([get("/a", "X: 1\r\n"), get("/a", "X: 2\r\n"), get("/a", "X: 1\r\n")])) == [
        "GET /a 1 0", "GET /a 2 0", "GET /a 1 0",
      ])
  }

  @Test func whatFollowsInPiecesIsReadToItsEnd() {
    let whole = get("/a")
    #expect(
      bodies(answers([whole, String(whole.prefix(20)), String(whole.dropFirst(20)), whole])) == [
        "GET /a - 0", "GET /a - 0", "GET /a - 0",
      ])
  }

  @Test func twoInOnePieceAreTwo() {
    let whole = get("/a")
    #expect(bodies(answers([whole + whole, whole + whole, whole])).count == 5)
  }

  /// Counts how often the responder is asked: known requests with an answer that is kept need it no more.
  private func asked(_ pieces: [String]) -> (count: Int, answers: Int) {
    let count = LockedState(0)
    let service = LoopService({ request, _ in
      count.withLock { $0 += 1 }
      return .cacheable(.text(200, request.target))
    })
    let server = HTTP1Server(
      scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
    var output = OutputQueue()
    for piece in pieces {
      Array(piece.utf8).withUnsafeBufferPointer { server.receive($0) }
      while !server.produce(into: &output, date: "now", limitBytes: 1 << 20) {}
    }
    let text = String(decoding: output.takeAll(), as: UTF8.self)
    return (count.withLock { $0 }, text.components(separatedBy: "HTTP/1.1 200").count - 1)
  }

  @Test func pipelinedRequestsAreRecognisedAsWell() {
    let (a, b) = (get("/a"), get("/b"))
    #expect(asked([String(repeating: a, count: 16), String(repeating: a, count: 16)]) == (2, 32))
    #expect(asked([String(repeating: a + b, count: 16)]) == (4, 32))
    #expect(asked([a, a + a + String(b.prefix(9)), String(b.dropFirst(9)) + a, b + a]) == (4, 7))
  }

  @Test func aBodyIsNeverTakenForTheOneBefore() {
    let post = "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n\r\n"
    #expect(
      bodies(answers([post + "xx", post, "yy", post + "zz"])) == [
        "POST /a - 2", "POST /a - 2", "POST /a - 2",
      ])
  }

  @Test func closingIsRepeatedAsWell() {
    let close = get("/a", "Connection: close\r\n")
    #expect(bodies(answers([get("/a"), close, close])).count == 2)
  }

  /// More different ones than are remembered, in turns, with and without a body in between.
  @Test(arguments: [1, 2, KnownRequests.limit, KnownRequests.limit + 1, 3 * KnownRequests.limit])
  func manyInTurnsGetTheirOwn(count: Int) {
    let turns = 4
    let pieces = (0..<turns).flatMap { _ in (0..<count).map { get("/a", "X: \($0)\r\n") } }
    let expected = (0..<turns).flatMap { _ in (0..<count).map { "GET /a \($0) 0" } }
    #expect(bodies(answers(pieces)) == expected)
  }

  @Test func forgetsTheOldestAndNoOther() {
    let known = KnownRequests()
    func bytes(_ index: Int) -> [UInt8] { Array("request \(index)".utf8) }
    func find(_ index: Int, _ scheme: String = "http") -> String? {
      bytes(index).withUnsafeBufferPointer { known.request(for: $0, scheme: scheme)?.request.target }
    }
    for index in 0...KnownRequests.limit {
      #expect(find(index) == nil)
      let request = HTTPRequest(scheme: "http", authority: "a.example", target: "/\(index)")
      known.keep(bytes(index), KnownRequest(request, .http11))
    }
    #expect(find(0) == nil)
    for index in 1...KnownRequests.limit { #expect(find(index) == "/\(index)") }
    #expect(find(1, "https") == nil)
    let other = HTTPRequest(scheme: "https", authority: "a.example", target: "/other")
    known.keep(bytes(1), KnownRequest(other, .http11))
    #expect(find(1, "https") == "/other")
    // The second oldest had to go for it.
    #expect(find(1) == nil && find(2) == "/2")
  }
}
