import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A request that is answered before it has ended (RFC 9113, 8.1): its rest is read by the same rules as any other's.
@Suite("HTTP/2 answers before the request's end")
struct HTTP2EarlyAnswerTests {
  /// A server of files: it wants no body and answers each head.
  static func conversation() -> HTTP2Conversation {
    HTTP2Conversation(responder: { _, _ in .now(.text(200, "a file")) })
  }

  enum Ending: Equatable, Sendable {
    case goaway(UInt32)
    case reset(UInt32)
  }

  /// What h2spec sends when it has waited for the answer, which it does over TLS.
  struct Case: CustomTestStringConvertible, Sendable {
    var h2spec: String
    var name: String
    var head = Frames.post(1)
    /// Each is sent when the server has said all it has to say.
    var steps: [[UInt8]]
    var ending: Ending
    var testDescription: String { "\(h2spec): \(name)" }
  }

  private static let get = Frames.headers(1, Frames.fields(Frames.request("GET")), end: false)
  private static let body = Frames.data(1, Array("test".utf8))

  static let cases: [Case] = [
    Case(
      h2spec: "5.1/8", name: "DATA after the client's reset", head: get,
      steps: [Frames.reset(1), Frames.data(1, Array("test".utf8), end: true)],
      ending: .goaway(Frames.Code.streamClosed)),
    Case(
      h2spec: "5.1/9", name: "HEADERS after the client's reset", head: get,
      steps: [Frames.reset(1), Frames.get(1)],
      ending: .goaway(Frames.Code.streamClosed)),
    Case(
      h2spec: "6.1/3", name: "padding longer than its frame", head: Frames.post(1, [("content-length", "4")]),
      steps: [
        Frames.frame(
          Frames.Kind.data, flags: Frames.Flag.padded | Frames.Flag.endStream, stream: 1,
          [6] + Array("Test".utf8))
      ], ending: .goaway(Frames.Code.protocol)),
    Case(
      h2spec: "6.9/2", name: "a window that opens by 0", head: get, steps: [Frames.windowUpdate(1, 0)],
      ending: .goaway(Frames.Code.protocol)),
    Case(
      h2spec: "6.9.1/3", name: "a window above the maximum", head: get,
      steps: [Frames.windowUpdate(1, 0x7FFF_FFFF), Frames.windowUpdate(1, 0x7FFF_FFFF)],
      ending: .reset(Frames.Code.flowControl)),
    Case(
      h2spec: "8.1/1", name: "trailers that do not end the request",
      steps: [body, Frames.headers(1, Frames.field("x-test", "ok"), end: false)],
      ending: .reset(Frames.Code.protocol)),
    Case(
      h2spec: "8.1.2.1/3", name: "a pseudo-header field among the trailers",
      steps: [body, Frames.headers(1, Frames.field(":method", "POST"))], ending: .reset(Frames.Code.protocol)),
    Case(
      h2spec: "8.1.2.6/1", name: "content-length below the body",
      head: Frames.post(1, [("content-length", "1")]),
      steps: [Frames.data(1, Array("test".utf8), end: true)], ending: .reset(Frames.Code.protocol)),
    Case(
      h2spec: "8.1.2.6/2", name: "content-length below the sum of two pieces",
      head: Frames.post(1, [("content-length", "1")]),
      steps: [body, Frames.data(1, Array("test".utf8), end: true)], ending: .reset(Frames.Code.protocol)),
  ]

  @Test(arguments: cases) func reportsWhatIsWrongWithTheRest(_ test: Case) {
    let conversation = Self.conversation()
    let answer = conversation.send(Frames.start + test.head)
    #expect(answer.contains { $0.kind == Frames.Kind.headers && $0.status == 200 })
    #expect(answer.contains { $0.stream == 1 && $0.endsStream })
    var endings: [Ending] = []
    for step in test.steps {
      for frame in conversation.send(step) {
        if frame.kind == Frames.Kind.goaway { endings.append(.goaway(frame.number(at: 4))) }
        if frame.kind == Frames.Kind.reset { endings.append(.reset(frame.number(at: 0))) }
      }
    }
    #expect(endings == [test.ending])
    guard case .reset = test.ending else { return }
    #expect(conversation.send(Frames.get(3)).contains { $0.stream == 3 && $0.status == 200 })
  }

  // MARK: - The rest that is as it should be

  private func kinds(_ frames: [Frames.Frame]) -> Set<UInt8> { Set(frames.map(\.kind)) }

  @Test func theStreamEndsWithTheRequest() {
    let conversation = Self.conversation()
    let server = conversation.server
    #expect(kinds(conversation.send(Frames.start + Frames.post(1))).isDisjoint(with: [Frames.Kind.reset]))
    #expect(server.streamCount == 1)
    #expect(server.waiting == .body)
    #expect(server.heldBytes == 0)
    let rest = Frames.data(1, [1, 2, 3]) + Frames.headers(1, Frames.field("x", "y"))
    #expect(kinds(conversation.send(rest)).isDisjoint(with: [Frames.Kind.reset, Frames.Kind.goaway]))
    #expect(server.streamCount == 0)
    #expect(server.waiting == .request)
  }

  /// At, below and above the limit.
  @Test(arguments: [(16_383, false), (16_384, false), (16_385, true)])
  func aLongRestIsCutOff(_ count: Int, _ isCut: Bool) {
    let conversation = Self.conversation()
    _ = conversation.send(Frames.start + Frames.post(1))
    var frames: [Frames.Frame] = []
    for start in stride(from: 0, to: count, by: 8_192) {
      frames += conversation.send(Frames.data(1, [UInt8](repeating: 0, count: min(8_192, count - start))))
    }
    let resets = frames.filter { $0.kind == Frames.Kind.reset }
    #expect(resets.map { $0.number(at: 0) } == (isCut ? [Frames.Code.none] : []))
    #expect(conversation.server.streamCount == (isCut ? 0 : 1))
    // What was on its way is read over, and the connection goes on.
    let late = Frames.data(1, [4]) + Frames.headers(1, Frames.field("x", "y"))
    let next = conversation.send(late + Frames.get(3))
    #expect(next.contains { $0.stream == 3 && $0.status == 200 })
    #expect(!next.contains { $0.kind == Frames.Kind.goaway })
  }

  /// Bytes that came before the answer was out count, too.
  @Test func aRestThatCameAlreadyIsCutOffWithTheAnswer() {
    let conversation = HTTP2Conversation(responder: { _, _ in .now(.text(200, "a file")) })
    _ = conversation.send(Frames.preface + Frames.settings([(4, 0)]) + Frames.post(1))
    for _ in 0..<3 {
      let frames = conversation.send(Frames.data(1, [UInt8](repeating: 0, count: 8_192)))
      #expect(!frames.contains { $0.kind == Frames.Kind.reset })
    }
    let rest = conversation.send(Frames.windowUpdate(1, 100))
    #expect(rest.map(\.kind).suffix(2) == [Frames.Kind.data, Frames.Kind.reset])
  }

  @Test func whoWaitsForAWordIsCutOffAtOnce() {
    let conversation = Self.conversation()
    let frames = conversation.send(Frames.start + Frames.post(1, [("expect", "100-continue")]))
    #expect(frames.filter { $0.kind == Frames.Kind.headers }.map(\.status) == [200])
    #expect(frames.last { $0.kind == Frames.Kind.reset }?.number(at: 0) == Frames.Code.none)
  }

  @Test func aRestThatDoesNotComeIsCutOffInTime() {
    let conversation = Self.conversation()
    let server = conversation.server
    _ = conversation.send(Frames.start + Frames.post(1) + Frames.post(3))
    for stream in [1, 3] as [UInt32] {
      #expect(server.waiting == .body)
      let before = server.progress
      // A piece of it wins no time.
      _ = conversation.send(Frames.data(stream, [0]))
      #expect(server.progress == before)
      var output = OutputQueue()
      server.expire(into: &output, date: "D")
      var bytes = output.takeAll()
      let frames = Frames.take(&bytes)
      #expect(frames.map(\.stream) == [stream])
      #expect(frames.first?.kind == Frames.Kind.reset)
      #expect(frames.first?.number(at: 0) == Frames.Code.none)
    }
    #expect(server.waiting == .request)
  }

  @Test func aServerThatStopsWaitsForNoRest() {
    let conversation = Self.conversation()
    _ = conversation.send(Frames.start + Frames.post(1))
    conversation.server.stop()
    _ = conversation.send([])
    let frames = conversation.send(
      Frames.frame(Frames.Kind.ping, flags: Frames.Flag.ack, [UInt8](repeating: 0, count: 8)))
    #expect(frames.contains { $0.kind == Frames.Kind.reset && $0.number(at: 0) == Frames.Code.none })
    #expect(conversation.server.streamCount == 0)
  }

  /// A client that has the answer may give up the rest of its request; that is no rapid reset (CVE-2023-44487).
  @Test(arguments: [Frames.Code.none, Frames.Code.cancel])
  func aResetAfterTheAnswerCostsNothing(_ code: UInt32) {
    let conversation = Self.conversation()
    _ = conversation.send(Frames.start)
    // More than ``HTTP2Limits/resets``, and fewer than the library's own guard lets through at once.
    for index in 0..<300 as Range<UInt32> {
      _ = conversation.send(Frames.post(index * 2 + 1))
      let frames = conversation.send(Frames.reset(index * 2 + 1, code))
      #expect(!frames.contains { $0.kind == Frames.Kind.goaway })
    }
  }

  /// But making us reset streams is (CVE-2025-8671), answered or not.
  @Test func mistakesAfterTheAnswerEndTheConnection() {
    let conversation = Self.conversation()
    _ = conversation.send(Frames.start)
    var endings: [UInt32] = []
    for index in 0..<400 as Range<UInt32> where endings.isEmpty {
      _ = conversation.send(Frames.post(index * 2 + 1))
      let frames = conversation.send(Frames.windowUpdate(index * 2 + 1, 0x7FFF_FFFF))
      endings += frames.filter { $0.kind == Frames.Kind.goaway }.map { $0.number(at: 4) }
    }
    #expect(endings == [Frames.Code.calm])
  }

  @Test func streamedAnswersHoldNothingAfterwards() {
    let conversation = HTTP2Conversation(responder: { _, _ in
      let stream = HTTPBodyStream()
      stream.write([UInt8](repeating: 1, count: 1_000))
      stream.finish()
      return .stream(HTTPResponse(status: 200), stream)
    })
    _ = conversation.send(Frames.start)
    for index in 0..<4 as Range<UInt32> {
      let id = index * 2 + 1
      let head = index < 2 ? Frames.get(id) : Frames.post(id)
      _ = conversation.send(head)
      if index >= 2 { _ = conversation.send(Frames.data(id, [], end: true)) }
    }
    #expect(conversation.server.streamCount == 0)
    #expect(conversation.server.heldBytes == 0)
  }
}

/// What the library reads over without a word.
@Suite("Frame scanner")
struct FrameScannerTests {
  /// Whatever the pieces in which the bytes come.
  @Test(arguments: 1...40) func findsDataAndPrioritiesOfThemselves(_ pieceBytes: Int) {
    let bytes =
      Frames.start + Frames.frame(Frames.Kind.priority, stream: 3, [0, 0, 0, 5, 16])
      + Frames.data(1, [0, 0, 9, 2])
      + Frames.frame(Frames.Kind.priority, stream: 7, [0, 0])
      + Frames.frame(Frames.Kind.priority, stream: 9, [128, 0, 0, 9, 0])
      + Frames.data(11, [])
    var scanner = FrameScanner()
    var found: [String] = []
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
      bytes[start...].prefix(pieceBytes).withUnsafeBufferPointer { piece in
        var next = 0
        while let (end, what) = scanner.next(in: piece, from: next) {
          next = end
          found.append("\(what) \(start + end)")
        }
      }
    }
    let start = Frames.start.count
    #expect(
      found == [
        "data(stream: 1) \(start + 23)", "dependsOnItself \(start + 51)", "data(stream: 11) \(start + 61)",
      ])
  }
}
