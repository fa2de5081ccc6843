import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A stream of events has no end of its own, so it ends when the server stops; a download is let finish.
@Suite struct EventStreamEndTests {
  private static func configuration() -> HTTPServerConfiguration {
    var configuration = HTTPServerConfiguration()
    configuration.loops = 1
    // Nobody waits for it: a stream that did not end would hold the test.
    configuration.deadlines.stop = .seconds(3_600)
    return configuration
  }

  @Test func eventsEndWholeWhenTheServerStops() throws {
    let closed = DispatchSemaphore(value: 0)
    let stream = HTTPBodyStream { if $0.write([]) == .closed { closed.signal() } }
    let responder: HTTPResponder = { _, _ in
      .stream(HTTPResponse(status: 200, fields: ["Content-Type": "Text/Event-Stream; charset=utf-8"]), stream)
    }
    try withServer(Self.configuration(), responder: responder) { server in
      let client = try RawConnection(port: server.port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.read(until: "\r\n\r\n")
      stream.write(Array("data: 1\n\n".utf8))
      #expect(try client.read(until: "data: 1\n\n\r\n").hasSuffix("data: 1\n\n\r\n"))
      server.stop()
      #expect(try client.read(until: "0\r\n\r\n") == "0\r\n\r\n")
      closed.wait()
      #expect(stream.write(Array("data: 2\n\n".utf8)) == .closed)
    }
  }

  @Test func aDownloadIsLetFinish() throws {
    let stream = HTTPBodyStream()
    let responder: HTTPResponder = { _, _ in
      .stream(HTTPResponse(status: 200, fields: ["Content-Length": "2"]), stream)
    }
    try withServer(Self.configuration(), responder: responder) { server in
      let client = try RawConnection(port: server.port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      stream.write(Array("a".utf8))
      _ = try client.read(until: "\r\n\r\na")
      server.stop()
      #expect(stream.write(Array("b".utf8)) == .more)
      stream.finish()
      #expect(try client.read(until: "b") == "b")
    }
  }

  @Test func whatWasWrittenBeforeTheEndIsRead() {
    let stream = HTTPBodyStream()
    stream.write([1, 2])
    stream.endHere()
    #expect(stream.write([3]) == .closed)
    stream.finish()
    #expect(stream.read(limitBytes: 9) == .bytes([1, 2]))
    #expect(stream.read(limitBytes: 9) == .end)
  }
}
