import LinkspanCore
import Testing

@testable import HTTPEngine

@Suite("Prepared responses")
struct PreparedHeadsTests {
  static let plain = HTTPResponse(status: 200, fields: ["X-A": "b", "ETag": "\"c\""], body: [0x61, 0x62])

  @Test func areTheSameOnTheWire() {
    let prepared = Self.plain.preparedForUse()
    for method in ["GET", "HEAD"] {
      var (one, other) = (Conversation { _ in Self.plain }, Conversation { _ in prepared })
      let request = "\(method) / HTTP/1.1\r\nHost: a\r\n\r\n"
      // The first time it is written, the second time copied.
      #expect(one.send(request) == other.send(request))
      #expect(one.send(request) == other.send(request))
      let (two, another) = (HTTP2Conversation { _ in Self.plain }, HTTP2Conversation { _ in prepared })
      let block = Frames.fields(Frames.request(method))
      for stream in [UInt32(1), 3] {
        let start = stream == 1 ? Frames.start : []
        #expect(
          two.send(start + Frames.headers(stream, block))
            == another.send(start + Frames.headers(stream, block)))
      }
    }
  }

  @Test func loseTheirIdentityWithAnyChange() {
    let prepared = Self.plain.preparedForUse()
    #expect(prepared.prepared != nil)
    #expect(prepared == Self.plain)
    var changed = prepared
    changed.fields["X-A"] = "c"
    #expect(changed.prepared == nil)
    changed = prepared
    changed.body = []
    #expect(changed.prepared == nil)
    changed = prepared
    changed.status = 404
    #expect(changed.prepared == nil)
  }

  @Test func mayNotBeReadAsTwoEither() {
    let bad = HTTPResponse(status: 200, fields: ["X": "a\r\nSet-Cookie: b"]).preparedForUse()
    var conversation = Conversation { _ in bad }
    for _ in 0..<2 {
      #expect(conversation.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").hasPrefix("HTTP/1.1 500 "))
    }
  }

  @Test func areForgottenWhenTheyAreTooMany() {
    let heads = PreparedHeads()
    var made = 0
    let all = (0...PreparedHeads.limitCount).map { _ in Self.plain.preparedForUse() }
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
    let identity = Self.plain.preparedForUse().prepared!
    let bytes = [UInt8](repeating: 0, count: PreparedAnswers.limitBytes / 2)
    func key(_ connection: HTTP1ResponseWriter.Connection) -> PreparedAnswers.Key {
      PreparedAnswers.Key(identity: ObjectIdentifier(identity), answersHead: false, connection: connection)
    }
    for connection in [HTTP1ResponseWriter.Connection.open, .close, .keepAlive] {
      answers.keep(bytes, key(connection), identity, date: "", dateStart: 0)
    }
    #expect(answers.keptBytes == PreparedAnswers.limitBytes / 2)
    #expect(answers.bytes(key(.keepAlive), date: "") != nil)
    #expect(answers.bytes(key(.open), date: "") == nil)
  }

  @Test func sayTheDateOfTheMoment() {
    let writer = HTTP1ResponseWriter()
    let prepared = Self.plain.preparedForUse()
    for date in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"] {
      var output = OutputQueue()
      writer.write(prepared, answersHead: false, connection: .open, date: date, to: &output)
      output.write { bytes in
        #expect(String(decoding: bytes, as: UTF8.self).contains("\r\nDate: \(date)\r\nX-A: b\r\n"))
        return bytes.count
      }
    }
  }
}
