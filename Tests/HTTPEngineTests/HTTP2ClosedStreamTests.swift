import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Frames for streams that are over, each sent when the server has said all it has to say about what came before: as
/// a client that waits sends them, and as h2spec does.
@Suite("HTTP/2 streams that are over")
struct HTTP2ClosedStreamTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    /// The case of h2spec that sends the same.
    var h2spec: String
    var before: [UInt8]
    var bytes: [UInt8]
    var code: UInt32
    var testDescription: String { "\(h2spec): \(name)" }
  }

  private static let trailer = Frames.field("x", "y")

  static let cases: [Case] = [
    Case(
      name: "DATA after the answer", h2spec: "5.1/5, 5.1/11 and 6.1/2", before: Frames.get(1),
      bytes: Frames.data(1, [0], end: true), code: Frames.Code.streamClosed),
    Case(
      name: "HEADERS after the answer", h2spec: "5.1/6 and 5.1/12", before: Frames.get(1),
      bytes: Frames.get(1), code: Frames.Code.streamClosed),
    Case(
      name: "CONTINUATION after the answer", h2spec: "5.1/7 and 5.1/13", before: Frames.get(1),
      bytes: Frames.frame(Frames.Kind.continuation, flags: Frames.Flag.endHeaders, stream: 1, trailer),
      code: Frames.Code.protocol),
    Case(
      name: "DATA after a reset", h2spec: "5.1/8", before: Frames.post(1) + Frames.reset(1),
      bytes: Frames.data(1, [0], end: true), code: Frames.Code.streamClosed),
    Case(
      name: "HEADERS after a reset", h2spec: "5.1/9", before: Frames.post(1) + Frames.reset(1),
      bytes: Frames.headers(1, trailer), code: Frames.Code.streamClosed),
    Case(
      name: "CONTINUATION after a reset", h2spec: "5.1/10", before: Frames.post(1) + Frames.reset(1),
      bytes: Frames.frame(Frames.Kind.continuation, flags: Frames.Flag.endHeaders, stream: 1, trailer),
      code: Frames.Code.protocol),
    Case(
      name: "stream number below the last", h2spec: "5.1.1/2", before: Frames.get(5),
      bytes: Frames.get(3), code: Frames.Code.protocol),
    Case(
      name: "a priority that depends on itself", h2spec: "5.3.1/2", before: Frames.get(1),
      bytes: Frames.frame(Frames.Kind.priority, stream: 3, [0, 0, 0, 3, 16]), code: Frames.Code.protocol),
  ]

  @Test(arguments: cases)
  func endTheConnection(_ test: Case) {
    let conversation = HTTP2Conversation()
    let before = conversation.send(Frames.start + test.before)
    #expect(!before.contains { $0.kind == Frames.Kind.goaway })
    let frames = conversation.send(test.bytes)
    #expect(frames.last { $0.kind == Frames.Kind.goaway }?.number(at: 4) == test.code)
    #expect(conversation.server.closing == .http2Malformed)
  }

  /// Frames that a client may have sent before it knew (RFC 9113, 5.1, "closed").
  static let underway: [(name: String, before: [UInt8], bytes: [UInt8])] = [
    ("a window for an answered stream", Frames.get(1), Frames.windowUpdate(1, 9)),
    ("a reset of an answered stream", Frames.get(1), Frames.reset(1)),
    ("a priority of an answered stream", Frames.get(1), Frames.frame(2, stream: 1, [0, 0, 0, 0, 16])),
    ("a priority of a stream to come", Frames.get(1), Frames.frame(2, stream: 3, [0, 0, 0, 1, 16])),
    (
      "the body of a refused request", Frames.post(1, [("content-length", "2000000")]),
      Frames.data(1, [1, 2, 3]) + Frames.headers(1, trailer)
    ),
    (
      "the body of a request that we reset", Frames.post(1) + Frames.windowUpdate(1, 0x7FFF_FFFF),
      Frames.data(1, [1, 2, 3]) + Frames.headers(1, trailer)
    ),
  ]

  @Test(arguments: underway)
  func areReadOverWhereTheyMayHaveBeenUnderWay(_ name: String, _ before: [UInt8], _ bytes: [UInt8]) {
    let conversation = HTTP2Conversation()
    _ = conversation.send(Frames.start + before)
    let frames = conversation.send(bytes + Frames.get(7))
    #expect(!frames.contains { $0.kind == Frames.Kind.goaway }, "\(name)")
    #expect(frames.contains { $0.kind == Frames.Kind.headers && $0.stream == 7 && $0.status == 200 })
  }

  @Test func areReadOverWhereTheyWereRefusedInTheSameBreath() {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 1
    let conversation = HTTP2Conversation(http2: limits)
    let refused = Frames.streams(4) { Frames.post($0) } + Frames.headers(3, Self.trailer)
    let frames = conversation.send(Frames.start + refused + Frames.data(5, [1]) + Frames.data(7, [1]))
    #expect(frames.filter { $0.kind == Frames.Kind.reset }.map(\.stream) == [3, 5, 7])
    let rest = conversation.send(Frames.data(5, [1]) + Frames.data(1, [], end: true))
    #expect(!rest.contains { $0.kind == Frames.Kind.goaway })
    #expect(rest.contains { $0.stream == 1 && $0.status == 200 })
  }

  @Test func areTooManyWhereTheClientHasAcknowledgedTheLimit() {
    var limits = HTTP2Limits()
    limits.concurrentStreams = 3
    let conversation = HTTP2Conversation(http2: limits)
    _ = conversation.send(Frames.start + Frames.frame(Frames.Kind.settings, flags: Frames.Flag.ack))
    let frames = conversation.send(Frames.streams(4) { Frames.post($0) })
    #expect(frames.last { $0.kind == Frames.Kind.goaway }?.number(at: 4) == Frames.Code.protocol)
  }

  @Test func areRememberedAsFarBackAsOneBurst() {
    var closed = ClosedStreams()
    for id in 0..<Int32(ClosedStreams.limit) { closed.add(id * 4 + 1, endedByPeer: true) }
    for id in 0..<Int32(ClosedStreams.limit) { closed.add(id * 4 + 3, endedByPeer: false) }
    #expect(closed.verdict(on: 1) == .ended)
    #expect(closed.verdict(on: 3) == .cut)
    closed.add(1_001, endedByPeer: true)
    closed.add(1_003, endedByPeer: false)
    // Too long ago to tell, and so nobody's fault.
    #expect(closed.verdict(on: 1) == .cut)
    #expect(closed.verdict(on: 3) == .cut)
    #expect(closed.verdict(on: 1_005) == .skipped)
  }
}
