import FuzzSupport
import HTTPEngine
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzHTTP2_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// Small limits that the fuzzer can reach.
private let limits = {
  var limits = HTTPLimits()
  limits.targetBytes = 64
  limits.headerBytes = 512
  limits.headerCount = 8
  limits.bodyBytes = 64
  return limits
}()

private let http2 = {
  var http2 = HTTP2Limits()
  http2.concurrentStreams = 8
  http2.resets = 8
  http2.controlFrames = 32
  http2.continuations = 2
  http2.bodyBytes = 128
  http2.queuedBytes = 256
  http2.idleBytes = 4_096
  return http2
}()

/// The laws: no input stops the program, however it is split; what a handler sees keeps its limits; what is written
/// is made of whole frames; what is held is bounded, and nothing is held without a stream; deadlines end a connection.
/// The first four bytes seed the splits, and the first of them says whether the preface comes before the rest.
private func check(_ input: [UInt8]) {
  var state = input.prefix(4).reduce(UInt64(input.count)) { $0 << 8 | UInt64($1) }
  func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }
  let bare = (input.first ?? 0) & 1 == 1
  let start: [UInt8] =
    bare ? [] : Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
  var rest = (start + input.dropFirst(4))[...]
  let pieceBytes = 1 << random(10)
  let answerBytes = random(3) * 300

  let server = HTTP2Server(scheme: "https", limits: limits, http2: http2) { request in
    precondition(request.target.utf8.count <= limits.targetBytes, "a target passed its limit")
    precondition(request.body.count <= limits.bodyBytes, "a body passed its limit")
    precondition(request.fields.list.count <= limits.headerCount, "fields passed their limit")
    precondition(request.target.hasPrefix("/") || request.target == "*", "a target is no path")
    precondition(!request.authority.isEmpty, "a request has no authority")
    return HTTPResponse(
      status: 200, fields: ["X-Target": request.target], body: [UInt8](repeating: 1, count: answerBytes))
  }
  var output = OutputQueue()
  var written: [UInt8] = []
  func produce(limitBytes: Int) {
    while !server.produce(into: &output, date: "d", limitBytes: limitBytes) { take(&output, to: &written) }
    take(&output, to: &written)
    precondition(server.streamCount <= http2.concurrentStreams + 1, "streams passed their limit")
    precondition(server.heldBytes >= 0, "more was given back than was held")
    precondition(server.heldBytes <= http2.bodyBytes + http2.queuedBytes + answerBytes, "too much is held")
    precondition(server.streamCount > 0 || server.heldBytes == 0, "something is held without a stream")
  }
  let stopsAt = random(8) == 0 ? rest.count / 2 : -1
  while !rest.isEmpty {
    if rest.count <= stopsAt { server.stop() }
    let piece = rest.prefix(1 + random(pieceBytes))
    rest = rest.dropFirst(piece.count)
    piece.withUnsafeBufferPointer { server.receive($0) }
    produce(limitBytes: 1 + random(2_000))
  }
  // Each deadline ends one thing; there are no more things than streams, a header section and the connection.
  for _ in 0..<(http2.concurrentStreams + 4) where isOpen(server.waiting) {
    server.expire(into: &output, date: "d")
    produce(limitBytes: .max)
  }
  precondition(!isOpen(server.waiting), "deadlines do not end the connection")
  checkFrames(written)
}

private func isOpen(_ wait: ServerWait) -> Bool {
  switch wait {
  case .nothing, .nothingYetSending: false
  default: true
  }
}

private func take(_ output: inout OutputQueue, to written: inout [UInt8]) {
  while !output.isEmpty {
    output.write { piece in
      written.append(contentsOf: piece)
      return piece.count
    }
  }
}

/// What was written is whole frames of the types a server sends, none larger than a peer has to take.
private func checkFrames(_ written: [UInt8]) {
  var rest = written[...]
  while rest.count >= 9 {
    let head = Array(rest.prefix(9))
    let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
    precondition(head[3] <= 9 && head[3] != 2 && head[3] != 5, "a server sends no frame of that type")
    precondition(rest.count >= 9 + count, "a frame is cut short")
    rest = rest.dropFirst(9 + count)
  }
  precondition(rest.isEmpty, "a frame is cut short")
}
