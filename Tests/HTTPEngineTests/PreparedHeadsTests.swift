import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Cacheable responses")
struct PreparedHeadsTests {
  static let plain = HTTPResponse(status: 200, fields: ["X-A": "b", "ETag": "\"c\""], body: [0x61, 0x62])

  @Test func areTheSameOnTheWire() {
    let cacheable: HTTPResponder = { _, _ in .cacheable(Self.plain) }
    for method in ["GET", "HEAD"] {
      var (one, other) = (Conversation { _ in Self.plain }, Conversation(responder: cacheable))
      let request = "\(method) / HTTP/1.1\r\nHost: a\r\n\r\n"
      // The first time it is written, the second time copied.
      #expect(one.send(request) == other.send(request))
      #expect(one.send(request) == other.send(request))
      let (two, another) = (HTTP2Conversation { _ in Self.plain }, HTTP2Conversation(responder: cacheable))
      let block = Frames.fields(Frames.request(method))
      for stream in [UInt32(1), 3] {
        let start = stream == 1 ? Frames.start : []
        #expect(
          two.send(start + Frames.headers(stream, block))
            == another.send(start + Frames.headers(stream, block)))
      }
    }
  }

  @Test func haveAnotherIdentityWithAnyChange() {
    let kept = ResponseIdentity(Self.plain)
    var copy = Self.plain
    #expect(ResponseIdentity(copy) == kept)
    copy.fields["X-A"] = "c"
    #expect(ResponseIdentity(copy) != kept)
    copy = Self.plain
    copy.body = []
    #expect(ResponseIdentity(copy) != kept)
    copy = Self.plain
    copy.body.append(0x63)
    #expect(ResponseIdentity(copy) != kept)
    copy = Self.plain
    copy.status = 404
    #expect(ResponseIdentity(copy) != kept)
    #expect(ResponseIdentity(Self.plain) == kept)
  }

  @Test func mayNotBeReadAsTwoEither() {
    let bad = HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"])
    var conversation = Conversation(responder: { _, _ in .cacheable(bad) })
    for _ in 0..<2 {
      #expect(conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 500 "))
    }
  }

  @Test func areForgottenWhenTheyAreTooMany() {
    let heads = PreparedHeads()
    var made = 0
    let all = (0...PreparedHeads.limitCount).map { HTTPResponse(status: 200, fields: ["X": "\($0)"]) }
    for response in all + [all[0]] {
      _ = heads.section(of: response, answersHead: false) {
        made += 1
        return PreparedHeads.Section(bytes: [])
      }
    }
    #expect(made == all.count + 1)
  }

  @Test func areKeptOnlyUpToALimitOfBytes() {
    let answers = PreparedAnswers()
    let bytes = [UInt8](repeating: 0, count: PreparedAnswers.limitBytes / 2)
    func key(_ connection: HTTP1ResponseWriter.Connection) -> PreparedAnswers.Key {
      PreparedAnswers.Key(identity: ResponseIdentity(Self.plain), answersHead: false, connection: connection)
    }
    for connection in [HTTP1ResponseWriter.Connection.open, .close, .keepAlive] {
      answers.keep(bytes, key(connection), Self.plain, date: "", dateStart: 0)
    }
    #expect(answers.keptBytes == PreparedAnswers.limitBytes / 2)
    #expect(answers.bytes(key(.keepAlive), date: "") != nil)
    #expect(answers.bytes(key(.open), date: "") == nil)
  }

  @Test func sayTheDateOfTheMoment() {
    let writer = HTTP1ResponseWriter()
    for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"] {
      var output = OutputQueue()
      writer.write(
        Self.plain, answersHead: false, connection: .open, date: date, isCacheable: true, to: &output)
      output.write { bytes in
        #expect(String(decoding: bytes, as: UTF8.self).contains("\r\nDate: \(date)\r\nX-A: b\r\n"))
        return bytes.count
      }
    }
  }
}
