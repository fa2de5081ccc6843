import Foundation
import LinkspanCore
import Synchronization
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A conversation in memory with streamed bodies, which tells the server of their news as its loop does.
struct StreamingConversation<Server: ServerProtocol> {
  let arrived = ArrivedAnswers(nil)
  let counters = LoopCounters()
  let service: LoopService
  let server: Server
  var output = OutputQueue()

  init(_ responder: @escaping HTTPResponder, _ make: (LoopService) -> Server) {
    service = LoopService(
      responder, PendingAnswers(arrived, patience: .max, counters), streams: StreamedBodies(arrived), counters
    )
    server = make(service)
  }

  /// - Parameter limitBytes: What may wait in the output; what does is left there.
  mutating func step(_ bytes: [UInt8] = [], limitBytes: Int = .max) {
    if !bytes.isEmpty { bytes.withUnsafeBufferPointer { server.receive($0) } }
    var isOver = false
    while !isOver {
      let (answers, streams) = arrived.take()
      for answer in answers {
        guard let place = service.end(answer.number, with: answer.response) else { continue }
        server.deliver(
          answer.response, number: answer.number, stream: place.stream, into: &output, date: "D")
      }
      for number in streams {
        if let place = service.streams.place(of: number) { server.resume(body: number, stream: place.stream) }
      }
      isOver = server.produce(into: &output, date: "D", limitBytes: limitBytes)
      if output.count >= limitBytes { return }
    }
  }

  mutating func send(_ bytes: [UInt8]) -> [UInt8] {
    step(bytes)
    step()
    return output.takeAll()
  }
}

extension StreamingConversation<HTTP1Server> {
  init(_ responder: @escaping HTTPResponder) {
    self.init(responder) {
      HTTP1Server(
        scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), $0, origin: ConnectionOrigin())
    }
  }

  mutating func send(_ text: String) -> String { String(decoding: send(Array(text.utf8)), as: UTF8.self) }
}

extension StreamingConversation<HTTP2Server> {
  init(_ responder: @escaping HTTPResponder) {
    self.init(responder) {
      HTTP2Server(
        scheme: "http", HTTP2Settings(messages: HTTPLimits(), limits: HTTP2Limits()), $0,
        origin: ConnectionOrigin())
    }
  }

  mutating func frames(_ bytes: [UInt8]) -> [Frames.Frame] {
    var answer = send(bytes)
    return Frames.take(&answer)
  }
}

/// A body that is made as fast as it is taken, so many bytes in all.
final class Source: Sendable {
  private let written = Atomic(0)
  private let most = Atomic(0)
  let count: Int
  let pieceBytes: Int
  /// What the server has sent so far, as far as that is known.
  let sent: @Sendable () -> Int

  init(_ count: Int, pieceBytes: Int = 65_536, sent: @escaping @Sendable () -> Int = { 0 }) {
    (self.count, self.pieceBytes, self.sent) = (count, pieceBytes, sent)
  }

  var writtenBytes: Int { written.load(ordering: .relaxed) }
  var mostHeldBytes: Int { most.load(ordering: .relaxed) }

  func stream() -> HTTPBodyStream {
    let piece = [UInt8](repeating: 0x61, count: pieceBytes)
    return HTTPBodyStream { stream in
      var room = HTTPBodyStream.Room.more
      while room == .more {
        let left = self.count - self.writtenBytes
        guard left > 0 else { return stream.finish() }
        let bytes = left >= self.pieceBytes ? piece : Array(piece[..<left])
        let total = self.written.add(bytes.count, ordering: .relaxed).newValue
        self.most.max(total - self.sent(), ordering: .relaxed)
        room = stream.write(bytes)
      }
    }
  }
}

@Suite("Streamed answers")
struct StreamedAnswerTests {
  static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  static func responder(_ stream: HTTPBodyStream, _ fields: HTTPFields = [:]) -> HTTPResponder {
    { _, _ in .stream(HTTPResponse(status: 200, fields: fields), stream) }
  }

  @Test func areChunkedOverHTTP1AsTheyCome() {
    let stream = HTTPBodyStream()
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(stream, ["X-A": "b"]))
    #expect(
      conversation.send(Self.get)
        == "HTTP/1.1 200 OK\r\nDate: D\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(conversation.server.waiting == .handler(isReading: false))
    stream.write(Array("data: 1\n\n".utf8))
    #expect(conversation.send("") == "9\r\ndata: 1\n\n\r\n")
    stream.finish()
    #expect(conversation.send("") == "0\r\n\r\n")
    #expect(conversation.server.waiting == .request)
  }

  @Test func haveTheLengthThatWasDeclared() {
    let stream = HTTPBodyStream()
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(stream, ["Content-Length": "3"]))
    #expect(conversation.send(Self.get).hasSuffix("\r\nContent-Length: 3\r\n\r\n"))
    stream.write(Array("abc".utf8))
    stream.finish()
    #expect(conversation.send(Self.get.replacing("/ ", with: "/2 ")).hasPrefix("abcHTTP/1.1 200 OK"))
  }

  /// The loop would else come again, although nothing does.
  @Test func haveNothingMoreToSendWhenTheyBreakOff() {
    let stream = HTTPBodyStream()
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(stream, ["Content-Length": "3"]))
    _ = conversation.send(Self.get)
    stream.write(Array("ab".utf8))
    stream.finish()
    for number in conversation.arrived.take().streams {
      guard let place = conversation.service.streams.place(of: number) else { continue }
      conversation.server.resume(body: number, stream: place.stream)
    }
    let isAll = conversation.server.produce(into: &conversation.output, date: "D", limitBytes: .max)
    #expect(isAll && conversation.server.closing == .failed)
  }

  @Test(arguments: ["ab", "abcd"])
  func breakOffWhenTheirLengthIsWrong(_ body: String) {
    let stream = HTTPBodyStream()
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(stream, ["Content-Length": "3"]))
    stream.write(Array(body.utf8))
    stream.finish()
    _ = conversation.send(Self.get)
    #expect(conversation.server.waiting == .nothing)
    #expect(conversation.server.closing == .failed)
    let second = HTTPBodyStream()
    var two = StreamingConversation<HTTP2Server>(Self.responder(second, ["Content-Length": "3"]))
    second.write(Array(body.utf8))
    second.finish()
    let frames = two.frames(Frames.start + Frames.get(1))
    #expect(frames.contains { $0.kind == Frames.Kind.reset })
    #expect(!frames.contains { $0.kind == Frames.Kind.data && $0.endsStream })
  }

  @Test func endWithTheConnectionOverHTTP10() {
    let stream = HTTPBodyStream()
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(stream))
    stream.write(Array("abc".utf8))
    stream.finish()
    let request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    #expect(conversation.send(request) == "HTTP/1.1 200 OK\r\nDate: D\r\nConnection: close\r\n\r\nabc")
    #expect(conversation.server.waiting == .nothing)
  }

  @Test func areNotMadeForHEAD() {
    let source = Source(1_000)
    let stream = source.stream()
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(stream))
    #expect(
      conversation.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").hasSuffix(
        "\r\nTransfer-Encoding: chunked\r\n\r\n"))
    #expect(stream.write([1]) == .closed || source.writtenBytes == 1_000)
    #expect(conversation.server.waiting == .request)
  }

  @Test func comePieceByPieceOverHTTP2BesideOthers() {
    let stream = HTTPBodyStream()
    var conversation = StreamingConversation<HTTP2Server> { request, _ in
      request.target == "/stream"
        ? .stream(HTTPResponse(status: 200), stream) : .now(.text(200, request.target))
    }
    var frames = conversation.frames(Frames.start + Frames.get(1, "/stream") + Frames.get(3, "/b"))
    #expect(frames.filter { $0.kind == Frames.Kind.headers }.map(\.stream).sorted() == [1, 3])
    #expect(conversation.server.waiting == .handler(isReading: true))
    stream.write([1, 2])
    frames = conversation.frames([])
    #expect(frames.map(\.payload) == [[1, 2]])
    stream.finish()
    frames = conversation.frames([])
    #expect(frames.map(\.endsStream) == [true])
    #expect(conversation.server.streamCount == 0)
    #expect(conversation.server.waiting == .request)
  }

  @Test func tellTheirWriterWhenTheClientHasGone() {
    for isReset in [true, false] {
      let stream = HTTPBodyStream()
      var conversation = StreamingConversation<HTTP2Server>(Self.responder(stream))
      _ = conversation.frames(Frames.start + Frames.get(1))
      if isReset { _ = conversation.frames(Frames.reset(1)) } else { conversation.server.abandon() }
      #expect(stream.write([1]) == .closed)
    }
    let stream = HTTPBodyStream()
    var one = StreamingConversation<HTTP1Server>(Self.responder(stream))
    _ = one.send(Self.get)
    one.server.abandon()
    #expect(stream.write([1]) == .closed)
  }

  @Test func aSlowReaderHoldsItsSenderBackOverHTTP1() {
    let source = Source(.max)
    var conversation = StreamingConversation<HTTP1Server>(Self.responder(source.stream()))
    conversation.step(Array(Self.get.utf8), limitBytes: 262_144)
    let first = source.writtenBytes
    #expect(first <= 262_144 + 3 * 65_536)
    // Nothing is taken, and nothing more is made.
    conversation.step(limitBytes: 262_144)
    #expect(source.writtenBytes == first)
    _ = conversation.output.takeAll()
    conversation.step(limitBytes: 262_144)
    #expect(source.writtenBytes > first)
    #expect(source.writtenBytes <= 2 * 262_144 + 4 * 65_536)
  }

  @Test func aSlowReaderHoldsItsSenderBackOverHTTP2() {
    let source = Source(.max)
    var conversation = StreamingConversation<HTTP2Server>(Self.responder(source.stream()))
    _ = conversation.frames(Frames.start + Frames.get(1))
    let first = source.writtenBytes
    #expect(first <= 65_535 + 2 * 65_536)
    #expect(conversation.server.waiting == .write)
    #expect(conversation.frames([]) == [])
    #expect(source.writtenBytes == first)
    let more = conversation.frames(Frames.windowUpdate(0, 100_000) + Frames.windowUpdate(1, 100_000))
    #expect(more.reduce(0) { $0 + $1.payload.count } == 100_000)
    #expect(source.writtenBytes <= first + 100_000 + 65_536)
  }

  @Test func oneOfAGigabyteNeedsLittleMemory() throws {
    let bytes = 1_000_000_000
    let server = LockedState<HTTPServer?>(nil)
    let source = Source(bytes) { server.withLock { $0?.metrics[.bytesSent] ?? 0 } }
    let responder: HTTPResponder = { _, _ in
      .stream(HTTPResponse(status: 200, fields: ["Content-Length": "\(bytes)"]), source.stream())
    }
    var configuration = HTTPServerConfiguration()
    configuration.loops = 1
    try withServer(configuration, responder: responder) { running in
      server.withLock { $0 = running }
      let client = try RawConnection(port: running.port)
      client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      var received = 0
      var piece = [UInt8](repeating: 0, count: 1_048_576)
      while true {
        let count = recv(client.descriptor, &piece, piece.count, 0)
        guard count > 0 else { break }
        received += count
      }
      #expect(received > bytes && received < bytes + 1_000)
      #expect(source.mostHeldBytes <= 16_777_216)
      server.withLock { $0 = nil }
    }
  }
}

@Suite("Streamed requests")
struct StreamedRequestTests {
  /// Reads its request's body when the test says so.
  final class Reader: Sendable {
    private struct State: Sendable {
      var stream: HTTPBodyStream?
      var completion: (@Sendable (HTTPResponse) -> Void)?
    }

    private let state = LockedState(State())

    func responder(limitBytes: Int = .max, capacityBytes: Int = 4) -> HTTPResponder {
      { _, _ in
        .readingBody(limitBytes: limitBytes, capacityBytes: capacityBytes) { _, stream in
          self.state.withLock { $0.stream = stream }
          return .later { completion in self.state.withLock { $0.completion = completion } }
        }
      }
    }

    func read(_ limitBytes: Int = .max) -> HTTPBodyStream.Piece? {
      state.withLock { $0.stream }?.read(limitBytes: limitBytes)
    }

    func answer(_ text: String) { state.withLock { $0.completion }?(.text(200, text)) }
  }

  static func head(_ length: Int) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test func goToTheHandlerAsTheyComeOverHTTP1() {
    let reader = Reader()
    var conversation = StreamingConversation<HTTP1Server>(reader.responder())
    #expect(conversation.send(Self.head(4) + "ab") == "")
    #expect(conversation.server.waiting == .body)
    #expect(reader.read() == .bytes(Array("ab".utf8)))
    #expect(conversation.send("cd") == "")
    #expect(reader.read() == .bytes(Array("cd".utf8)))
    #expect(reader.read() == .end)
    reader.answer("done")
    #expect(conversation.send("").hasSuffix("\r\n\r\ndone\n"))
    #expect(conversation.server.waiting == .request)
  }

  @Test func holdTheirSenderBackOverHTTP1() {
    let reader = Reader()
    var conversation = StreamingConversation<HTTP1Server>(reader.responder())
    _ = conversation.send(Self.head(9) + "abcd")
    #expect(conversation.server.waiting == .handler(isReading: false))
    #expect(reader.read() == .bytes(Array("abcd".utf8)))
    _ = conversation.send("")
    #expect(conversation.server.waiting == .body)
  }

  @Test func holdTheirSenderBackOverHTTP2() {
    let reader = Reader()
    var conversation = StreamingConversation<HTTP2Server>(reader.responder(capacityBytes: 40_000))
    let head = Frames.headers(1, Frames.fields(Frames.request("POST", "/")), end: false)
    _ = conversation.frames(Frames.start + head)
    let piece = [UInt8](repeating: 1, count: 16_000)
    func windows(_ frames: [Frames.Frame]) -> [UInt32] {
      frames.filter { $0.kind == Frames.Kind.windowUpdate }.map(\.stream)
    }
    var frames: [Frames.Frame] = []
    for _ in 0..<4 { frames += conversation.frames(Frames.data(1, piece)) }
    // The connection's window is open for others, the stream's is not.
    #expect(windows(frames).contains(0))
    #expect(!windows(frames).contains(1) || windows(frames).count(where: { $0 == 1 }) == 1)
    for _ in 0..<4 { #expect(reader.read() == .bytes(piece)) }
    #expect(windows(conversation.frames([])).contains(1))
    frames = conversation.frames(Frames.data(1, [7], end: true))
    #expect(reader.read() == .bytes([7]))
    #expect(reader.read() == .end)
    reader.answer("done")
    frames = conversation.frames([])
    #expect(frames.first { $0.kind == Frames.Kind.headers }?.status == 200)
    #expect(conversation.server.streamCount == 0)
  }

  @Test func endWithTheirAnswer() {
    let reader = Reader()
    var conversation = StreamingConversation<HTTP1Server>(reader.responder())
    _ = conversation.send(Self.head(9) + "ab")
    reader.answer("enough")
    #expect(conversation.send("").contains("\r\nConnection: close\r\n"))
    #expect(conversation.server.waiting == .nothingYetSending)
    #expect(reader.read() == .bytes(Array("ab".utf8)))
    #expect(reader.read() == .failed)
  }

  @Test func failWhenTheirClientGoesOrSendsTooMuch() {
    var reader = Reader()
    var conversation = StreamingConversation<HTTP1Server>(reader.responder())
    _ = conversation.send(Self.head(9))
    conversation.server.abandon()
    #expect(reader.read() == .failed)
    reader = Reader()
    conversation = StreamingConversation<HTTP1Server>(reader.responder(limitBytes: 3))
    #expect(conversation.send(Self.head(4) + "abcd").hasPrefix("HTTP/1.1 413 "))
    #expect(reader.read() == .failed)
    reader = Reader()
    var two = StreamingConversation<HTTP2Server>(reader.responder(limitBytes: 3))
    let head = Frames.headers(1, Frames.fields(Frames.request("POST", "/")), end: false)
    _ = two.frames(Frames.start + head)
    let frames = two.frames(Frames.data(1, [1, 2, 3, 4], end: true))
    #expect(frames.first { $0.kind == Frames.Kind.headers }?.status == 413)
    #expect(reader.read() == .failed)
    #expect(two.counters.value(.pendingNow) == 0)
  }
}

@Suite("Answers by completion")
struct CompletionTests {
  /// Requests that wait for their answers.
  final class Waiting: Sendable {
    private let completions = LockedState<[@Sendable (HTTPResponse) -> Void]>([])

    var responder: HTTPResponder {
      { _, _ in
        .later { completion in
          self.completions.withLock { $0.append(completion) }
          self.completions.signal(all: true)
        }
      }
    }

    /// Blocks until so many wait, and takes them all.
    func takeAll(_ count: Int) -> [@Sendable (HTTPResponse) -> Void] {
      completions.wait { $0.count == count ? $0 : nil }
    }
  }

  @Test func tenThousandComeLaterFromOneThreadInGroupsOfAHundred() throws {
    let waiting = Waiting()
    let most = LockedState(0)
    try withServer(HTTPServerConfiguration(), responder: waiting.responder) { server in
      let thread = Thread {
        let completions = waiting.takeAll(10_000)
        most.withLock { $0 = server.metrics[.pendingNow] }
        for start in stride(from: 0, to: completions.count, by: 100) {
          // One commit for a group, and then its answers.
          for completion in completions[start..<(start + 100)] {
            completion(.text(200, "group \(start / 100)"))
          }
        }
      }
      thread.start()
      let clients = try (0..<100).map { _ in try RawHTTP2(port: server.port) }
      for client in clients { client.send(Frames.streams(100) { Frames.get($0) }) }
      for client in clients {
        var answered = Set<UInt32>()
        while answered.count < 100 {
          let frame = try #require(try client.read { $0.status == 200 && $0.kind == Frames.Kind.headers })
          answered.insert(frame.stream)
        }
      }
      #expect(most.withLock { $0 } >= 9_900)
      #expect(server.metrics[.offloaded] == 0)
      #expect(server.metrics[.pendingNow] == 0)
    }
  }

  @Test func countOnce() {
    let completions = LockedState<[@Sendable (HTTPResponse) -> Void]>([])
    var conversation = StreamingConversation<HTTP1Server> { _, _ in
      .later { completion in completions.withLock { $0.append(completion) } }
    }
    _ = conversation.send(StreamedAnswerTests.get)
    let first = completions.withLock { $0[0] }
    first(.text(200, "one"))
    first(.text(200, "two"))
    let answer = conversation.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.hasSuffix("one\n"))
    completions.withLock { $0[1] }(.text(200, "three"))
    #expect(conversation.send("").hasSuffix("three\n"))
  }

  @Test func mayComeAtOnce() {
    var conversation = StreamingConversation<HTTP1Server> { _, _ in .later { $0(.text(200, "now")) } }
    #expect(conversation.send(StreamedAnswerTests.get).hasSuffix("now\n"))
  }

  @Test func areBounded() {
    let counters = LoopCounters()
    let pending = PendingAnswers(ArrivedAnswers(nil), patience: .max, counters, completionLimit: 1)
    let service = LoopService({ _, _ in .later { _ in } }, pending, counters)
    func server() -> HTTP1Server {
      HTTP1Server(
        scheme: "http", limits: HTTPLimits(), HTTP1ResponseWriter(), service, origin: ConnectionOrigin())
    }
    func send(_ server: HTTP1Server) -> String {
      let bytes = CacheableAnswerTests.exchange(server, Array(StreamedAnswerTests.get.utf8))
      return String(decoding: bytes, as: UTF8.self)
    }
    let first = server()
    #expect(send(first) == "")
    let refusal = send(server())
    #expect(refusal.hasPrefix("HTTP/1.1 503 "))
    #expect(refusal.contains("Retry-After: 1\r\n"))
    first.abandon()
    #expect(send(server()) == "")
  }
}
