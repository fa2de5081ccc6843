import FuzzSupport
import HTTPEngine
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzHTTP2Client_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// Small limits that the fuzzer can reach.
private let messages = {
  var limits = HTTPLimits()
  limits.headerBytes = 512
  limits.headerCount = 8
  limits.bodyBytes = 64
  return limits
}()

private let limits = {
  var limits = HTTP2ClientLimits()
  limits.concurrentStreams = 6
  limits.streamsBeforeSettings = 3
  limits.controlFrames = 32
  limits.continuations = 2
  limits.bodyBytes = 128
  limits.idleBytes = 4_096
  return limits
}()

/// The laws: no bytes of a server stop the program, however they are split; every request has one outcome and those
/// given up have none; what comes out keeps its limits; what is written is made of whole frames; nothing is held at the
/// end. The first four bytes seed the splits, and the first of them says whether bodies are cut and SETTINGS come first.
private func check(_ input: [UInt8]) {
  var state = input.prefix(4).reduce(UInt64(input.count)) { $0 << 8 | UInt64($1) }
  func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
  let first = input.first ?? 0
  let start: [UInt8] = first & 1 == 1 ? [] : [0, 0, 0, 4, 0, 0, 0, 0, 0]
  var rest = (start + input.dropFirst(4))[...]
  let pieceBytes = 1 << random(10)

  let session = HTTP2ClientSession(
    HTTP2ClientSettings(messages: messages, limits: limits, cutsBody: first & 2 == 2))
  var output = OutputQueue()
  var written: [UInt8] = []
  var waiting: Set<Int> = []
  var asked = 0
  func settle() {
    while !session.produce(into: &output, limitBytes: 1 + random(2_000)) { take(&output, to: &written) }
    take(&output, to: &written)
    for outcome in session.takeOutcomes() {
      precondition(waiting.remove(outcome.number) != nil, "an outcome nobody waits for")
      guard case .success(let response) = outcome.result else { continue }
      precondition((200..<600).contains(response.status), "a status that is none")
      precondition(response.body.count <= messages.bodyBytes, "a body passed its limit")
      precondition(response.fields.list.count <= messages.headerCount, "fields passed their limit")
    }
    precondition(session.inFlightCount == waiting.count, "requests were miscounted")
    precondition(session.heldBytes >= 0, "more was given back than was held")
    precondition(session.heldBytes <= limits.bodyBytes, "too much is held")
    precondition(session.streamCount <= limits.concurrentStreams, "streams passed their limit")
  }
  func ask() {
    while session.room > 0, asked < 64, random(3) > 0 {
      asked += 1
      waiting.insert(asked)
      let body = [UInt8](repeating: 1, count: random(2) * random(300))
      let method = ["GET", "HEAD", "POST"][random(3)]
      session.submit(HTTPRequest(method: method, authority: "a", target: "/", body: body), as: asked)
    }
  }
  ask()
  settle()
  while !rest.isEmpty {
    let piece = rest.prefix(1 + random(pieceBytes))
    rest = rest.dropFirst(piece.count)
    piece.withUnsafeBufferPointer { session.receive($0) }
    settle()
    ask()
    if random(16) == 0, let one = waiting.min() {
      session.cancel(one)
      waiting.remove(one)
    }
    settle()
  }
  if random(2) == 0 { session.end() }
  session.receiveEnd(nil)
  settle()
  precondition(waiting.isEmpty, "a request has no outcome")
  precondition(session.heldBytes == 0, "something is held at the end")
  precondition(session.isFinished, "a connection that ended goes on")
  checkFrames(written)
}

private func take(_ output: inout OutputQueue, to written: inout [UInt8]) {
  while !output.isEmpty {
    output.write { piece in
      written.append(contentsOf: piece)
      return piece.count
    }
  }
}

/// What was written is the preface and whole frames of the types a client sends.
private func checkFrames(_ written: [UInt8]) {
  let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
  precondition(written.isEmpty || written.starts(with: preface), "a client begins with the preface")
  var rest = written.dropFirst(preface.count)
  while rest.count >= 9 {
    let head = Array(rest.prefix(9))
    let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    precondition(head[3] <= 9 && head[3] != 2 && head[3] != 5, "a client sends no frame of that type")
    precondition(rest.count >= 9 + count, "a frame is cut short")
    rest = rest.dropFirst(9 + count)
  }
  precondition(rest.isEmpty, "a frame is cut short")
}
