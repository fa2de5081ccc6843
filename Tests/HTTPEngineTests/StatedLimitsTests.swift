import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// What a message may cost when nobody sets anything: each limit is the largest value still accepted.
@Suite("Limits as they are stated")
struct StatedLimitsTests {
  private static func fields(_ count: Int) -> [(String, String)] { (0..<count).map { ("x\($0)", "") } }

  @Test(arguments: [(8_192, nil), (8_193, 414)] as [(Int, Int?)])
  func boundATarget(_ count: Int, _ status: Int?) {
    let target = "/" + String(repeating: "a", count: count - 1)
    #expect(rejection("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == status)
    let answers = HTTP2Conversation { _ in .text(200, "") }.send(Frames.start + Frames.get(1, target))
    #expect(HTTP2ServerTests.statuses(answers) == [status ?? 200])
  }

  /// Host is a field line of HTTP/1.1; pseudo-header fields count in neither.
  @Test(arguments: [(100, nil), (101, 431)] as [(Int, Int?)])
  func boundTheFieldsOfARequest(_ count: Int, _ status: Int?) {
    let lines = Self.fields(count - 1).map { "\($0.0): \($0.1)\r\n" }.joined()
    #expect(rejection("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n") == status)
    let request = Frames.fields(Frames.request(more: Self.fields(count)))
    let answers = HTTP2Conversation { _ in .text(200, "") }.send(Frames.start + Frames.headers(1, request))
    #expect(HTTP2ServerTests.statuses(answers) == [status ?? 200])
  }

  @Test(arguments: [(16_384, nil), (16_385, 431)] as [(Int, Int?)])
  func boundTheHeaderSectionOfARequest(_ count: Int, _ status: Int?) {
    let line = "X: " + String(repeating: "a", count: count - "Host: a\r\nX: \r\n".utf8.count) + "\r\n"
    #expect(rejection("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n") == status)
    // RFC 9113, 10.5.1: the name, the value and 32 bytes more for each field.
    let value = String(repeating: "a", count: count - 33)
    let block = Frames.fields(Frames.request(more: [("x", value)]))
    let first = Frames.headers(1, Array(block.prefix(16_384)), endHeaders: block.count <= 16_384)
    let rest = Array(block.dropFirst(16_384))
    let bytes = first + (rest.isEmpty ? [] : Frames.frame(9, flags: Frames.Flag.endHeaders, stream: 1, rest))
    let answers = HTTP2Conversation { _ in .text(200, "") }.send(Frames.start + bytes)
    #expect(HTTP2ServerTests.statuses(answers) == [status ?? 200])
  }

  @Test(arguments: [(1_048_576, nil), (1_048_577, 413)] as [(Int, Int?)])
  func boundTheBodyOfARequest(_ count: Int, _ status: Int?) {
    #expect(rejection("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n") == status)
  }

  /// What a client holds, and how long it waits, when nobody sets anything.
  @Test func boundAClient() {
    let limits = ClientLimits()
    #expect(limits.connectionsPerOrigin == 6 && limits.http2ConnectionsPerOrigin == 1)
    #expect(limits.connections == 256 && limits.waitingRequests == 65_536 && limits.outputBytes == 262_144)
    let deadlines = ClientDeadlines()
    let short = [deadlines.request, deadlines.connect, deadlines.handshake, deadlines.pong]
    #expect(short.allSatisfy { $0 == .seconds(10) } && deadlines.silence == nil)
    #expect([deadlines.answer, deadlines.idle].allSatisfy { $0 == .seconds(60) })
    // RFC 8305, 8.
    #expect(deadlines.nextAddress == .milliseconds(250))
  }

  @Test(arguments: [(100, true), (101, false)])
  func boundTheFieldsOfAnAnswer(_ count: Int, _ isTaken: Bool) {
    let lines = Self.fields(count - 1).map { "\($0.0): \($0.1)\r\n" }.joined()
    let found = outcome("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(lines)\r\n")
    if isTaken {
      guard case .response(let response) = found else {
        Issue.record("\(found)")
        return
      }
      #expect(response.fields.list.count == count)
    } else {
      #expect(found == .failed(.tooLarge("there are more than 100 header fields", isHeader: true)))
    }
  }
}

/// What a peer of HTTP/2 may cost: the limit itself is allowed, and one more is not.
@Suite("Budget of an HTTP/2 connection")
struct HTTP2BudgetTests {
  private func budget(_ count: Int, _ note: (inout HTTP2Budget) -> Void) -> HTTP2Budget {
    var budget = HTTP2Budget(HTTP2Limits())
    for _ in 0..<count { note(&budget) }
    return budget
  }

  @Test(arguments: [(999, nil), (1_000, nil), (1_001, .controlFrames)] as [(Int, ServerClosing?)])
  func framesWithoutARequestAreCounted(_ count: Int, _ exceeded: ServerClosing?) {
    #expect(budget(count) { $0.noteControlFrame() }.exceeded == exceeded)
  }

  @Test(arguments: [(199, nil), (200, nil), (201, .resets)] as [(Int, ServerClosing?)])
  func resetsAreCounted(_ count: Int, _ exceeded: ServerClosing?) {
    #expect(budget(count) { $0.noteReset() }.exceeded == exceeded)
  }

  @Test(arguments: [(1_048_576, false), (1_048_577, true)])
  func bytesWithoutProgressAreCounted(_ count: Int, _ isTooLong: Bool) {
    var budget = budget(1) { $0.received(bytes: count) }
    #expect(budget.isIdleTooLong == isTooLong)
    budget.noteProgress()
    #expect(!budget.isIdleTooLong && budget.idleBytes == 0)
  }

  /// An answer gives sixteen frames and a reset back, and each whole KB of bodies a frame.
  @Test func answersAndBodiesGiveBack() {
    for (count, exceeded) in [(1_016, nil), (1_017, .controlFrames)] as [(Int, ServerClosing?)] {
      var budget = budget(count) { $0.noteControlFrame() }
      budget.creditAnswer()
      #expect(budget.exceeded == exceeded)
    }
    for (count, exceeded) in [(201, nil), (202, .resets)] as [(Int, ServerClosing?)] {
      var budget = budget(count) { $0.noteReset() }
      budget.creditAnswer()
      #expect(budget.exceeded == exceeded)
    }
    var bodies = budget(1_002) { $0.noteControlFrame() }
    bodies.credit(2_047)
    #expect(bodies.exceeded == .controlFrames)
    bodies.credit(1)
    #expect(bodies.exceeded == nil)
    // What was not used up is not saved.
    bodies.credit(10_000_000)
    for _ in 0..<1_000 { bodies.noteControlFrame() }
    #expect(bodies.exceeded == nil)
    bodies.noteControlFrame()
    #expect(bodies.exceeded == .controlFrames)
  }
}

@Suite("Idle connections")
struct IdleConnectionsTests {
  /// The one that has been idle longest makes room first, and nobody searches twice within a tick of the clock.
  @Test func makeRoomInTheirOrder() {
    var idle = IdleConnections()
    var searches = 0
    func next(_ now: Int64) -> CInt? {
      idle.next(at: now) {
        searches += 1
        return [(3, 7), (1, 5), (1, 4), (2, 9)]
      }?.descriptor
    }
    #expect([next(0), next(0), next(0), next(0)] == [4, 5, 9, 7])
    #expect(next(0) == nil && next(DeadlineWheel.tickNanoseconds - 1) == nil && searches == 1)
    #expect(next(DeadlineWheel.tickNanoseconds) == 4 && searches == 2)
  }
}

@Suite("Requests that can be written")
struct WritableRequestsTests {
  /// RFC 9110, 5.1 and 5.5. A list that was found right says nothing of another one.
  @Test func everyListIsJudged() {
    func request(_ name: String, _ value: String) -> HTTPRequest {
      HTTPRequest(authority: "a", target: "/", fields: [name: value])
    }
    let (good, other) = (request("X-A", "1"), request("X-B", "2"))
    var writable = WritableRequests()
    func takes(_ request: HTTPRequest) -> Bool { writable.contains(request) }
    for bad in [request("X A", "1"), request("", "1"), request("X", "a\r\nY: b")] {
      #expect(!takes(bad))
      #expect(takes(good) && takes(good))
      #expect(!takes(bad) && !takes(bad))
      #expect(takes(other) && takes(good))
    }
    var connect = good
    connect.method = "CONNECT"
    #expect(!takes(connect))
  }
}

@Suite("Admission")
struct AdmissionTests {
  @Test func isReadyWhileSomebodyMayWaitAndNothingPauses() {
    var admission = Admission(listeners: 2)
    #expect(admission.isReady && !admission.isPaused && admission.next(at: 0) == 0)
    admission.pause(until: 10)
    #expect(!admission.isReady && admission.isPaused)
    #expect(admission.next(at: 9) == nil && admission.isPaused)
    #expect(admission.next(at: 10) == 0 && !admission.isPaused)
    admission.forget(0)
    #expect(admission.isReady && admission.next(at: 10) == 1)
    admission.forget(1)
    #expect(!admission.isReady && admission.next(at: 10) == nil)
    admission.note(1)
    admission.note(1)
    #expect(admission.isReady && admission.next(at: 10) == 1)
    admission.forget(1)
    #expect(!admission.isReady)
    admission.pause(until: 20)
    admission.resume()
    #expect(!admission.isPaused && !admission.isReady)
  }

  @Test func isCrowdedAfterFourFullTurnsInARow() {
    var admission = Admission(listeners: 1)
    for _ in 0..<3 { admission.endTurn(isFull: true) }
    #expect(!admission.isCrowded)
    admission.endTurn(isFull: false)
    for _ in 0..<3 { admission.endTurn(isFull: true) }
    #expect(!admission.isCrowded)
    for _ in 0..<3 {
      admission.endTurn(isFull: true)
      #expect(admission.isCrowded)
    }
    admission.endTurn(isFull: false)
    #expect(!admission.isCrowded)
  }
}

@Suite("Stopping")
struct ServerControlTests {
  @Test func allRefuseWhenTheLastLoopDoes() throws {
    let control = try ServerControl(HTTPServerConfiguration(), loops: 2)
    #expect(!control.allRefuse)
    control.refuses()
    #expect(!control.allRefuse)
    control.refuses()
    #expect(control.allRefuse)
  }
}

@Suite("Receive buffer")
struct ReceiveBufferTests {
  private static func line(_ pieces: [String], limitBytes: Int) -> ReceiveBuffer.Line {
    var buffer = ReceiveBuffer()
    var line = ReceiveBuffer.Line.incomplete
    for piece in pieces where line == .incomplete {
      Array(piece.utf8).withUnsafeBufferPointer { buffer.append($0) }
      line = buffer.takeLine(limitBytes: limitBytes)
    }
    return line
  }

  /// Four bytes with the carriage return, as many as are allowed, and one fewer.
  @Test(arguments: [["abc\r\n"], ["abc\r", "\n"], ["a", "b", "c", "\r", "\n"], ["abc", "\r\n"]])
  func takesALineOfTheLimit(_ pieces: [String]) {
    #expect(Self.line(pieces, limitBytes: 4) == .found(0..<3))
    #expect(Self.line(pieces, limitBytes: 3) == .tooLong)
  }

  @Test func knowsALineThatIsTooLongBeforeItsEnd() {
    #expect(Self.line(["abcd"], limitBytes: 4) == .incomplete)
    #expect(Self.line(["abcde"], limitBytes: 4) == .tooLong)
    #expect(Self.line(["\n"], limitBytes: 4) == .bareLineFeed)
    #expect(Self.line(["a\n"], limitBytes: 4) == .bareLineFeed)
  }
}
