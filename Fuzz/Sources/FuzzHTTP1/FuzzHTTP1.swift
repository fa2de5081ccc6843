import FuzzSupport
import HTTPEngine
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzHTTP1_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// Small limits that the fuzzer can reach.
private let limits = {
  var limits = HTTPLimits()
  limits.targetBytes = 64
  limits.headerBytes = 256
  limits.headerCount = 8
  limits.bodyBytes = 64
  return limits
}()

/// The laws: no input stops the program, and what comes out does not depend on how the input was split. The first
/// four bytes seed the splits.
private func check(_ input: [UInt8]) {
  var state = input.prefix(4).reduce(UInt64(input.count)) { $0 << 8 | UInt64($1) }
  let bytes = Array(input.dropFirst(4))
  func pieces() -> [Int] {
    bytes.map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return 1 + Int(state >> 33) % 16
    }
  }
  let ones = bytes.map { _ in 1 }

  let whole = requestEvents(bytes, [])
  precondition(requestEvents(bytes, pieces()) == whole, "a split changed what the request parser says")
  precondition(requestEvents(bytes, ones) == whole, "bytes one by one changed what the request parser says")
  for case .request(let request) in whole {
    precondition(request.request.body.count <= limits.bodyBytes, "a body passed its limit")
    precondition(request.request.target.utf8.count <= limits.targetBytes, "a target passed its limit")
    precondition(request.request.fields.list.count <= limits.headerCount, "fields passed their limit")
  }

  for method in ["GET", "HEAD"] {
    let whole = responseOutcome(bytes, [], method)
    precondition(
      responseOutcome(bytes, pieces(), method) == whole, "a split changed what the response parser says")
    precondition(responseOutcome(bytes, ones, method) == whole, "bytes one by one changed the response")
    if case .response(let response) = whole {
      precondition(response.body.count <= limits.bodyBytes, "a body passed its limit")
      checkRoundTrip(response)
    }
  }
}

/// What the writer writes, the parser reads as the same status and body.
private func checkRoundTrip(_ response: HTTPResponse) {
  var output = OutputQueue()
  HTTP1ResponseWriter().write(response, answersHead: false, connection: .open, date: "d", to: &output)
  var bytes: [UInt8] = []
  while !output.isEmpty {
    output.write { piece in
      bytes.append(contentsOf: piece)
      return piece.count
    }
  }
  guard case .response(let read) = responseOutcome(bytes, [], "GET", HTTPLimits()) else {
    preconditionFailure("a written response cannot be read")
  }
  precondition(read.status == response.status, "a status changed on the way")
  let hasBody = response.status != 204 && response.status != 304
  precondition(read.body == (hasBody ? response.body : []), "a body changed on the way")
}

private func requestEvents(_ bytes: [UInt8], _ pieces: [Int]) -> [HTTP1RequestParser.Event] {
  var parser = HTTP1RequestParser(scheme: "https", limits: limits)
  var events: [HTTP1RequestParser.Event] = []
  for piece in split(bytes, pieces) {
    parser.append(piece)
    reading: while true {
      let event = parser.next()
      if event == .needMore { break reading }
      events.append(event)
      if case .rejected = event { return events }
    }
  }
  return events
}

private func responseOutcome(
  _ bytes: [UInt8], _ pieces: [Int], _ method: String, _ limits: HTTPLimits = limits
) -> HTTP1ResponseParser.Outcome {
  var parser = HTTP1ResponseParser(method: method, limits: limits)
  for piece in split(bytes, pieces) {
    let outcome = parser.append(piece)
    if outcome != .needMore { return outcome }
  }
  return parser.finish()
}

private func split(_ bytes: [UInt8], _ pieces: [Int]) -> [[UInt8]] {
  var (rest, pieces, parts): (ArraySlice<UInt8>, ArraySlice<Int>, [[UInt8]]) = (bytes[...], pieces[...], [])
  while !rest.isEmpty {
    let part = rest.prefix(pieces.popFirst() ?? rest.count)
    parts.append(Array(part))
    rest = rest.dropFirst(part.count)
  }
  return parts
}
