package import LinkspanCore

/// Writes responses as HTTP/1.1 bytes.
///
/// Framing is the engine's: Content-Length, Transfer-Encoding, Connection and Date of the handler are left out
/// and set here. The one exception is the Content-Length of an answer to HEAD that comes without its body.
package struct HTTP1ResponseWriter {
  /// The connection's say in one answer.
  package enum Connection: Hashable, Sendable {
    /// HTTP/1.1 goes on without a word.
    case open
    /// HTTP/1.0 goes on only when told so.
    case keepAlive
    case close
  }

  private let prepared = PreparedAnswers()

  package init() {}

  /// - Parameters:
  ///   - answersHead: The request was HEAD: the header fields of GET, and no body.
  ///   - date: The value of the Date field.
  ///   - isCacheable: What is written is kept for the same response (``HTTPReply/cacheable(_:)``).
  package func write(
    _ response: HTTPResponse, answersHead: Bool, connection: Connection, date: String,
    isCacheable: Bool = false, to output: inout OutputQueue
  ) {
    guard isCacheable else {
      return writeAnew(
        response, answersHead: answersHead, connection: connection, date: date, keepsAs: nil, to: &output)
    }
    let key = PreparedAnswers.Key(
      identity: ResponseIdentity(response), answersHead: answersHead, connection: connection)
    if let bytes = prepared.bytes(key, date: date) { return output.append(bytes) }
    writeAnew(
      response, answersHead: answersHead, connection: connection, date: date, keepsAs: key, to: &output)
  }

  private func writeAnew(
    _ response: HTTPResponse, answersHead: Bool, connection: Connection, date: String,
    keepsAs key: PreparedAnswers.Key?, to output: inout OutputQueue
  ) {
    guard ResponseFraming.isWritable(response) else {
      // A field with a line end in it would be read as another field or another answer.
      return writeAnew(
        .text(500, "the answer could not be written"), answersHead: answersHead, connection: connection,
        date: date, keepsAs: nil, to: &output)
    }
    let sendsBody = ResponseFraming.hasBody(response.status) && !answersHead
    // A large body is queued as it is, unless it is to be kept together with its head.
    let fits = response.body.count <= OutputQueue.joinLimitBytes - 1_024
    let joinsBody = sendsBody && (fits || key != nil && response.body.count < PreparedAnswers.limitBytes / 2)
    var head: [UInt8] = []
    head.reserveCapacity(512 + (joinsBody ? response.body.count : 0))
    let dateStart = Self.begin(response.status, date: date, in: &head)
    Self.appendFields(of: response, to: &head)
    if ResponseFraming.hasBody(response.status) {
      head.append(contentsOf: "\r\nContent-Length: ".utf8)
      head.appendDecimal(ResponseFraming.length(of: response, answersHead: answersHead))
    }
    Self.end(connection, in: &head)
    if joinsBody { head.append(contentsOf: response.body) }
    if let key, joinsBody || !sendsBody {
      prepared.keep(head, key, response, date: date, dateStart: dateStart)
    }
    output.append(head)
    if sendsBody, !joinsBody { output.append(response.body) }
  }

  /// The interim answer that lets a waiting sender go on (RFC 9110, 15.2.1).
  package func writeContinue(to output: inout OutputQueue) {
    output.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }

  /// How the end of a streamed body is marked.
  package enum Framing: Hashable, Sendable {
    case length(Int)
    case chunked
    /// By the end of the connection, for HTTP/1.0.
    case close
  }

  /// The head of an answer whose body follows piece by piece.
  ///
  /// - Returns: False, with nothing written, when the handler's fields cannot be written.
  func writeHead(
    _ response: HTTPResponse, _ framing: Framing, connection: Connection, date: String,
    to output: inout OutputQueue
  ) -> Bool {
    guard ResponseFraming.isWritable(response) else { return false }
    var head: [UInt8] = []
    head.reserveCapacity(512)
    _ = Self.begin(response.status, date: date, in: &head)
    Self.appendFields(of: response, to: &head)
    switch framing {
    case .length(let count):
      head.append(contentsOf: "\r\nContent-Length: ".utf8)
      head.appendDecimal(count)
    case .chunked: head.append(contentsOf: "\r\nTransfer-Encoding: chunked".utf8)
    case .close: break
    }
    Self.end(connection, in: &head)
    output.append(head)
    return true
  }

  /// A piece of a chunked body; one without bytes is its end (RFC 9112, 7.1).
  func writeChunk(_ bytes: [UInt8], to output: inout OutputQueue) {
    output.append(Array((String(bytes.count, radix: 16) + "\r\n").utf8))
    output.append(bytes)
    output.append([0x0D, 0x0A])
  }

  /// - Returns: Where the date begins.
  private static func begin(_ status: Int, date: String, in head: inout [UInt8]) -> Int {
    head.append(contentsOf: "HTTP/1.1 ".utf8)
    head.appendDecimal(status)
    head.append(0x20)
    head.append(contentsOf: HTTPStatus.reason(status).utf8)
    head.append(contentsOf: "\r\nDate: ".utf8)
    defer { head.append(contentsOf: date.utf8) }
    return head.count
  }

  private static func end(_ connection: Connection, in head: inout [UInt8]) {
    switch connection {
    case .open: break
    case .keepAlive: head.append(contentsOf: "\r\nConnection: keep-alive".utf8)
    case .close: head.append(contentsOf: "\r\nConnection: close".utf8)
    }
    head.append(contentsOf: "\r\n\r\n".utf8)
  }

  /// The handler's fields, apart from those that are the engine's to set.
  private static func appendFields(of response: HTTPResponse, to head: inout [UInt8]) {
    for field in response.fields.list where !ResponseFraming.isFraming(field.name) {
      head.append(contentsOf: "\r\n".utf8)
      head.append(contentsOf: field.name.utf8)
      head.append(contentsOf: ": ".utf8)
      head.append(contentsOf: field.value.utf8)
    }
  }
}
