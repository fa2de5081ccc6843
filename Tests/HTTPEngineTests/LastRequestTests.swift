import Foundation
import HTTPEngine
import LinkspanCore
import Testing

/// A request that is byte for byte the one before it is answered without being parsed: nobody may notice.
@Suite struct LastRequestTests {
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
    var text = ""
    while !output.isEmpty {
      output.write { bytes in
        text += String(decoding: bytes, as: UTF8.self)
        return bytes.count
      }
    }
    return text
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
}
