package import LinkspanCore

/// One HTTP/1.1 response out of bytes: strict, bounded, incremental, without sockets.
///
/// Interim answers (1xx) are read over. Bytes after the response are not read, and the connection is no good any more.
///
/// - Source: RFC 9112, 4 and 6.
package struct HTTP1ResponseParser: Sendable {
  package enum Outcome: Hashable, Sendable {
    case needMore
    case response(HTTPResponse)
    case failed(Failure)
  }

  package enum Failure: Error, Hashable, Sendable {
    case malformed(String)
    /// A limit of ``HTTPLimits`` was passed, on the body or on the header or trailer section; the text says which.
    case tooLarge(String, isHeader: Bool)
  }

  /// Interim answers before the final one. A guess.
  static let interimLimitCount = 8

  /// Longest status line. A guess: room for a long reason phrase.
  static let statusLineLimitBytes = 1_024

  private enum State {
    case statusLine
    case fields(Head)
    case length(Head, remaining: Int)
    case chunked(Head, ChunkedBody)
    case untilClose(Head)
    case ended(Outcome)
  }

  private struct Head {
    var status: Int
    /// Of HTTP/1: 0 closes after the answer unless told otherwise, and is not asked to do otherwise.
    var minorVersion: Int
    var fields: [HTTPField] = []
    var headerBytes = 0
    var body: [UInt8] = []
    init(status: Int, minorVersion: Int) {
      self.status = status
      self.minorVersion = minorVersion
    }
  }

  private let answersHead: Bool
  private let cutsBody: Bool
  private let limits: HTTPLimits
  private var interimCount = 0
  /// Whether another request may follow on the connection, now that the response is there (RFC 9112, 9.3).
  package private(set) var isReusable = false
  private var buffer = ReceiveBuffer()
  private var state = State.statusLine

  /// - Parameters:
  ///   - method: The request's method; an answer to HEAD has no body.
  ///   - cutsBody: A body that reaches the limit ends there, and what follows is not read; otherwise a body beyond
  ///     the limit is a failure.
  package init(method: String, limits: HTTPLimits = HTTPLimits(), cutsBody: Bool = false) {
    answersHead = method == "HEAD"
    self.cutsBody = cutsBody
    self.limits = limits
  }

  /// Takes more bytes.
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Outcome {
    if case .ended(let outcome) = state { return outcome }
    buffer.append(bytes)
    return settle { (parser: inout HTTP1ResponseParser) throws(Failure) in try parser.step() }
  }

  package mutating func append(_ bytes: [UInt8]) -> Outcome {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  /// Says that the sender has closed; a body without length ends here, anything else is cut short.
  ///
  /// - Parameter isTrusted: False where anybody on the way may have closed, as in TLS that its own end is missing of; a body
  ///   without length is then cut short as well.
  package mutating func finish(isTrusted: Bool = true) -> Outcome {
    settle { (parser: inout HTTP1ResponseParser) throws(Failure) in
      switch parser.state {
      case .ended(let outcome): return outcome
      case .untilClose(let head) where isTrusted: return Self.response(head)
      case .statusLine where parser.buffer.isEmpty && parser.interimCount == 0:
        throw .malformed("the connection closed without an answer")
      default: throw .malformed("the connection closed in the middle of the answer")
      }
    }
  }

  private mutating func settle(
    _ body: (inout HTTP1ResponseParser) throws(Failure) -> Outcome
  ) -> Outcome {
    let outcome: Outcome
    do throws(Failure) { outcome = try body(&self) } catch { outcome = .failed(error) }
    if outcome != .needMore {
      isReusable = isReusable && buffer.isEmpty
      state = .ended(outcome)
      buffer = ReceiveBuffer()
    }
    return outcome
  }

  private mutating func step() throws(Failure) -> Outcome {
    while true {
      switch state {
      case .statusLine:
        switch buffer.takeLine(limitBytes: Self.statusLineLimitBytes) {
        case .incomplete: return .needMore
        case .tooLong: throw .malformed("the status line is too long")
        case .bareLineFeed: throw .malformed("the status line does not end in CRLF")
        case .found(let line):
          guard let head = buffer.bytes(line, Self.head) else {
            throw .malformed("the answer does not begin with 'HTTP/1.1' and a status")
          }
          state = .fields(head)
        }
      case .fields(var head):
        state = .statusLine
        switch buffer.takeLine(limitBytes: HTTPSyntax.lineLimit(limits.headerBytes - head.headerBytes)) {
        case .incomplete:
          state = .fields(head)
          return .needMore
        case .tooLong: throw headerTooLarge
        case .bareLineFeed: throw .malformed("a header line does not end in CRLF")
        case .found(let line) where line.isEmpty:
          if let outcome = try finishHeader(&head) { return outcome }
        case .found(let line):
          head.headerBytes += line.count + 2
          guard head.fields.count < limits.headerCount else {
            throw .tooLarge("there are more than \(limits.headerCount) header fields", isHeader: true)
          }
          guard let field = buffer.bytes(line, HTTPSyntax.field) else {
            throw .malformed("a header field is not valid")
          }
          head.fields.append(field)
          state = .fields(head)
        }
      case .length(var head, let remaining):
        state = .statusLine
        let taken = buffer.take(upTo: remaining, into: &head.body)
        guard taken < remaining else { return Self.response(head) }
        state = .length(head, remaining: remaining - taken)
        return .needMore
      case .chunked(var head, var body):
        state = .statusLine
        switch body.read(
          &buffer, into: &head.body, bodyLimitBytes: cutsBody ? .max : limits.bodyBytes,
          trailerLimitBytes: limits.headerBytes, trailerLimitCount: limits.headerCount)
        {
        case .needMore:
          if cutsBody, head.body.count >= limits.bodyBytes {
            isReusable = false
            return cut(head)
          }
          state = .chunked(head, body)
          return .needMore
        case .complete: return cut(head)
        case .malformed(let reason): throw .malformed(reason)
        case .tooLarge: throw bodyTooLarge
        case .trailersTooLarge: throw .tooLarge("the trailer section is too large", isHeader: true)
        }
      case .untilClose(var head):
        state = .statusLine
        _ = buffer.take(upTo: limits.bodyBytes - head.body.count, into: &head.body)
        if cutsBody, head.body.count == limits.bodyBytes { return Self.response(head) }
        guard buffer.isEmpty else { throw bodyTooLarge }
        state = .untilClose(head)
        return .needMore
      case .ended(let outcome): return outcome
      }
    }
  }

  private mutating func finishHeader(_ head: inout Head) throws(Failure) -> Outcome? {
    if head.status < 200 {
      guard head.status != 101 else { throw .malformed("the answer changes to another protocol") }
      interimCount += 1
      guard interimCount <= Self.interimLimitCount else { throw .malformed("too many interim answers") }
      state = .statusLine
      return nil
    }
    let fields = HTTPFields(head.fields)
    let lengths = fields.values(of: "Content-Length")
    let codings = HTTPSyntax.list("Transfer-Encoding", in: fields)
    if !fields.values(of: "Transfer-Encoding").isEmpty {
      guard lengths.isEmpty else {
        throw .malformed("Content-Length and Transfer-Encoding exclude each other")
      }
      guard codings == ["chunked"] else { throw .malformed("the transfer coding is not chunked") }
    }
    guard lengths.count <= 1 else { throw .malformed("there is more than one Content-Length field") }
    var length: Int?
    if let value = lengths.first {
      switch HTTPSyntax.length(value) {
      case .invalid: throw .malformed("Content-Length is not a number")
      case .overflow: length = .max
      case .bytes(let count): length = count
      }
    }
    isReusable = head.minorVersion > 0 && !HTTPSyntax.list("Connection", in: fields).contains("close")
    if answersHead || head.status == 204 || head.status == 304 { return Self.response(head) }
    if !codings.isEmpty {
      state = .chunked(head, ChunkedBody())
    } else if let length {
      guard cutsBody || length <= limits.bodyBytes else { throw bodyTooLarge }
      if length > limits.bodyBytes { isReusable = false }
      state = .length(head, remaining: min(length, limits.bodyBytes))
    } else {
      isReusable = false
      state = .untilClose(head)
    }
    return nil
  }

  /// The answer with what its body has up to the limit.
  private func cut(_ head: Head) -> Outcome {
    var head = head
    if head.body.count > limits.bodyBytes { head.body.removeLast(head.body.count - limits.bodyBytes) }
    return Self.response(head)
  }

  private static func response(_ head: Head) -> Outcome {
    .response(HTTPResponse(status: head.status, fields: HTTPFields(head.fields), body: head.body))
  }

  /// The status of `HTTP/1.1 200 OK`; the reason phrase may be absent, with or without the space before it.
  private static func head(_ line: UnsafeBufferPointer<UInt8>) -> Head? {
    guard line.count >= 12, let version = HTTPSyntax.version(line[..<8]), version.major == 1, line[8] == 0x20,
      line[9..<12].allSatisfy(ASCII.isDigit), line.count == 12 || line[12] == 0x20,
      line[12...].allSatisfy(HTTPSyntax.isFieldValue)
    else { return nil }
    let status = line[9..<12].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    // Servers do send statuses above 599; they are for whoever asked to judge (RFC 9110, 15).
    return status >= 100 ? Head(status: status, minorVersion: version.minor) : nil
  }

  private var headerTooLarge: Failure {
    .tooLarge("the header section is larger than \(limits.headerBytes) bytes", isHeader: true)
  }

  private var bodyTooLarge: Failure {
    .tooLarge("the body is larger than \(limits.bodyBytes) bytes", isHeader: false)
  }
}
