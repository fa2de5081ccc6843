internal import LinkspanCore

/// HTTP/1.1 requests out of bytes: strict, bounded, incremental, without sockets.
///
/// Feed what came in with ``append(_:)`` and take events with ``next()`` until it says ``Event/needMore``. What
/// comes out depends on the bytes alone and not on how they were split. Whatever two parsers could read in two
/// ways is refused, for a proxy in front of us may be the other one (RFC 9112, 11.2).
///
/// - Source: RFC 9112 (HTTP/1.1), RFC 9110 (semantics).
package struct HTTP1RequestParser: Sendable {
  package enum Event: Hashable, Sendable {
    /// Nothing more to say before more bytes come.
    case needMore
    /// The head of a request whose body follows. With an expectation, the sender waits for an interim answer before it
    /// sends the body (RFC 9110, 10.1.1).
    case head(HTTP1Request, expectsContinue: Bool)
    /// A whole request.
    case request(HTTP1Request)
    /// The last event; the parser says it again whenever it is asked.
    case rejected(HTTPRejection)
  }

  /// How far the request being read has come; deadlines differ by it.
  package enum Phase: Hashable, Sendable {
    /// Between requests: not a byte of the next has come.
    case idle
    case header
    case body
    case failed
  }

  private enum State {
    case start(blankLines: Int)
    case fields
    case length(remaining: Int)
    case chunked(ChunkedBody)
    case failed(HTTPRejection)
  }

  private struct Head {
    var line = HTTP1RequestLine()
    var fields: [HTTPField] = []
    var headerBytes = 0
    var body: [UInt8] = []
    var authority = ""
    var keepsAlive = false
    var bodyLimitBytes = 0
    /// Of the body, and counted off the limit.
    var takenBytes = 0
  }

  private let scheme: String
  private let limits: HTTPLimits
  private var buffer = ReceiveBuffer()
  private var state = State.start(blankLines: 0)
  /// What is known of the request being read; beside the state, so that nothing is copied from line to line.
  private var head = Head()

  /// - Parameter scheme: `http` or `https`, as the connection is; it becomes the requests' scheme.
  package init(scheme: String, limits: HTTPLimits = HTTPLimits()) {
    self.scheme = scheme
    self.limits = limits
  }

  package var phase: Phase {
    switch state {
    case .start(let blankLines): buffer.isEmpty && blankLines == 0 ? .idle : .header
    case .fields: .header
    case .length, .chunked: .body
    case .failed: .failed
    }
  }

  /// Whether the request that is being read, or was refused, is known to be HEAD: no answer to it has content (RFC 9110,
  /// 9.3.2).
  package var answersHead: Bool { head.line.method == "HEAD" }

  /// Of the request that is being read, or was refused; empty where it is not known yet.
  var method: String { head.line.method }
  var target: String { method.isEmpty ? "" : head.line.target }

  /// Bytes of the body that is being read.
  package var bodyBytes: Int { head.body.count }

  /// Takes what has come of the body that is being read, for a handler that reads it as it comes.
  package mutating func takeBody() -> [UInt8] {
    var body: [UInt8] = []
    swap(&body, &head.body)
    head.takenBytes += body.count
    head.bodyLimitBytes -= body.count
    return body
  }

  /// Lowers the limit for the body that is being read; it may be called after ``Event/head(_:expectsContinue:)``.
  package mutating func limitBody(toBytes limitBytes: Int) {
    head.bodyLimitBytes = min(head.bodyLimitBytes, limitBytes)
  }

  /// Drops what has come and was not parsed yet, for nothing of it will be.
  package mutating func abandon() {
    buffer = ReceiveBuffer()
    head.body = []
  }

  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    if case .failed = state { return }
    buffer.append(bytes)
  }

  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  /// The next request, if the bytes that lie here begin with one that is known; they count as read.
  mutating func takeKnown(of requests: KnownRequests) -> KnownRequest? {
    guard case .start(blankLines: 0) = state, !buffer.isEmpty,
      let (known, bytes) = buffer.rest({ requests.request(atStartOf: $0, scheme: scheme) })
    else { return nil }
    buffer.skip(bytes)
    if buffer.isEmpty { buffer.release() }
    return known
  }

  /// Remembers the request that ``next()`` has just given, which has no body, if it came in one piece.
  func keep(_ known: @autoclosure () -> KnownRequest, in requests: KnownRequests) {
    buffer.message { requests.keep($0, known()) }
  }

  package mutating func next() -> Event {
    do throws(HTTPRejection) {
      let event = try step()
      if case .needMore = event { buffer.release() }
      return event
    } catch {
      state = .failed(error)
      let (method, target) = (head.line.method, head.line.target)
      head = Head()
      (head.line.method, head.line.target) = (method, target)
      buffer = ReceiveBuffer()
      return .rejected(error)
    }
  }

  private mutating func step() throws(HTTPRejection) -> Event {
    while true {
      switch state {
      case .start(let blankLines):
        if blankLines == 0 { buffer.markMessage() }
        let line: Range<Int>
        switch buffer.takeLine(limitBytes: HTTP1RequestLine.limitBytes(limits)) {
        case .incomplete: return .needMore
        case .tooLong: throw HTTP1RequestLine.targetTooLong(limits)
        case .bareLineFeed: throw .malformed("a line does not end in CRLF")
        case .found(let found): line = found
        }
        if line.isEmpty, blankLines == 0 {
          // One empty line before a request is forgiven (RFC 9112, 2.2).
          state = .start(blankLines: 1)
          continue
        }
        head.line = try requestLine(line)
        state = .fields
      case .fields:
        switch buffer.takeLine(limitBytes: HTTPSyntax.lineLimit(limits.headerBytes - head.headerBytes)) {
        case .incomplete: return .needMore
        case .tooLong: throw headerTooLarge
        case .bareLineFeed: throw .malformed("a header line does not end in CRLF")
        case .found(let line) where line.isEmpty:
          return try finishHeader()
        case .found(let line):
          head.headerBytes += line.count + 2
          guard head.fields.count < limits.headerCount else {
            throw HTTPRejection(431, "there are more than \(limits.headerCount) header fields")
          }
          guard let field = buffer.bytes(line, HTTPSyntax.field) else {
            throw .malformed("a header field is not valid")
          }
          head.fields.append(field)
        }
      case .length(let remaining):
        guard head.body.count + remaining <= head.bodyLimitBytes else { throw bodyTooLarge }
        let taken = buffer.take(upTo: remaining, into: &head.body)
        guard taken == remaining else {
          state = .length(remaining: remaining - taken)
          return .needMore
        }
        return finish()
      case .chunked(var body):
        switch body.read(
          &buffer, into: &head.body, bodyLimitBytes: head.bodyLimitBytes,
          trailerLimitBytes: limits.headerBytes,
          trailerLimitCount: limits.headerCount)
        {
        case .needMore:
          state = .chunked(body)
          return .needMore
        case .complete: return finish()
        case .malformed(let reason): throw .malformed(reason)
        case .tooLarge: throw bodyTooLarge
        case .trailersTooLarge: throw HTTPRejection(431, "the trailer section is too large")
        }
      case .failed(let rejection): throw rejection
      }
    }
  }

  private func requestLine(_ line: Range<Int>) throws(HTTPRejection) -> HTTP1RequestLine {
    let parsed = buffer.bytes(line) { bytes in
      Result { () throws(HTTPRejection) in try HTTP1RequestLine(bytes, limits: limits) }
    }
    return try parsed.get()
  }

  /// Decides what follows the header section: a body, an interim answer first, or nothing.
  private mutating func finishHeader() throws(HTTPRejection) -> Event {
    let fields = HTTPFields(head.fields)
    head.authority = try authority(of: head.line, fields)
    head.bodyLimitBytes = limits.bodyBytes
    let connection = HTTPSyntax.list("Connection", in: fields)
    head.keepsAlive =
      !connection.contains("close") && (head.line.minorVersion == 1 || connection.contains("keep-alive"))
    let expectation = HTTPSyntax.list("Expect", in: fields)
    guard expectation.allSatisfy({ $0 == "100-continue" }) else {
      throw HTTPRejection(417, "the only expectation known is 100-continue")
    }
    // An HTTP/1.0 sender does not understand an interim answer (RFC 9110, 10.1.1).
    let waits = !expectation.isEmpty && head.line.minorVersion == 1
    switch try framing(of: head.line, fields) {
    case .length(0): return finish()
    case .length(let count):
      state = .length(remaining: count)
    case .chunked: state = .chunked(ChunkedBody())
    }
    return .head(request, expectsContinue: waits)
  }

  private mutating func finish() -> Event {
    state = .start(blankLines: 0)
    defer { head = Head() }
    return .request(request)
  }

  /// The request as far as it has come.
  private var request: HTTP1Request {
    HTTP1Request(
      request: HTTPRequest(
        method: head.line.method, scheme: scheme, authority: head.authority, target: head.line.target,
        fields: HTTPFields(head.fields), body: head.body),
      minorVersion: head.line.minorVersion, keepsAlive: head.keepsAlive)
  }

  /// The authority asked for. Host is always checked, and of one that a request line names it says nothing (RFC 9112, 3.2.2).
  private func authority(of line: HTTP1RequestLine, _ fields: HTTPFields) throws(HTTPRejection) -> String {
    let hosts = fields.values(of: "Host")
    guard hosts.count <= 1 else { throw .malformed("there is more than one Host field") }
    if hosts.isEmpty, line.minorVersion == 1 { throw .malformed("there is no Host field") }
    let host = hosts.first ?? ""
    guard host.isEmpty || HTTPAuthority.isValid(host) else { throw .malformed("the Host field is not valid") }
    return line.authority.map { Self.text($0) } ?? host
  }

  private static func text(_ authority: HTTPAuthority) -> String {
    authority.port.map { "\(authority.host):\($0)" } ?? authority.host
  }

  private enum Framing {
    case length(Int)
    case chunked
  }

  /// - Source: RFC 9112, 6.
  private func framing(of line: HTTP1RequestLine, _ fields: HTTPFields) throws(HTTPRejection) -> Framing {
    let lengths = fields.values(of: "Content-Length")
    let codingFields = fields.values(of: "Transfer-Encoding")
    guard codingFields.isEmpty else {
      guard lengths.isEmpty else {
        throw .malformed("Content-Length and Transfer-Encoding exclude each other")
      }
      guard line.minorVersion == 1 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding") }
      let codings = HTTPSyntax.list("Transfer-Encoding", in: fields)
      guard !codings.isEmpty else { throw .malformed("Transfer-Encoding is empty") }
      guard codings.allSatisfy({ $0 == "chunked" }) else {
        throw HTTPRejection(501, "the only transfer coding known is chunked")
      }
      guard codings.count == 1 else { throw .malformed("the body is chunked more than once") }
      return .chunked
    }
    guard lengths.count <= 1 else { throw .malformed("there is more than one Content-Length field") }
    guard let length = lengths.first else { return .length(0) }
    switch HTTPSyntax.length(length) {
    case .invalid: throw .malformed("Content-Length is not a number")
    case .overflow: throw bodyTooLarge
    case .bytes(let count):
      guard count <= limits.bodyBytes else { throw bodyTooLarge }
      return .length(count)
    }
  }

  private var headerTooLarge: HTTPRejection {
    HTTPRejection(431, "the header section is larger than \(limits.headerBytes) bytes")
  }

  private var bodyTooLarge: HTTPRejection {
    let limitBytes = min(limits.bodyBytes, head.bodyLimitBytes + head.takenBytes)
    return .bodyTooLarge(limitBytes)
  }
}
