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
  package func write(
    _ response: HTTPResponse, answersHead: Bool, connection: Connection, date: String,
    to output: inout OutputQueue
  ) {
    guard let identity = response.prepared else {
      return writeAnew(
        response, answersHead: answersHead, connection: connection, date: date, keepsAs: nil, to: &output)
    }
    let key = PreparedAnswers.Key(
      identity: ObjectIdentifier(identity), answersHead: answersHead, connection: connection)
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
    head.append(contentsOf: "HTTP/1.1 ".utf8)
    head.appendDecimal(response.status)
    head.append(0x20)
    head.append(contentsOf: HTTPStatus.reason(response.status).utf8)
    head.append(contentsOf: "\r\nDate: ".utf8)
    let dateStart = head.count
    head.append(contentsOf: date.utf8)
    Self.appendFields(of: response, answersHead: answersHead, to: &head)
    switch connection {
    case .open: break
    case .keepAlive: head.append(contentsOf: "\r\nConnection: keep-alive".utf8)
    case .close: head.append(contentsOf: "\r\nConnection: close".utf8)
    }
    head.append(contentsOf: "\r\n\r\n".utf8)
    if joinsBody { head.append(contentsOf: response.body) }
    if let key, let identity = response.prepared, joinsBody || !sendsBody {
      prepared.keep(head, key, identity, date: date, dateStart: dateStart)
    }
    output.append(head)
    if sendsBody, !joinsBody { output.append(response.body) }
  }

  /// The interim answer that lets a waiting sender go on (RFC 9110, 15.2.1).
  package func writeContinue(to output: inout OutputQueue) {
    output.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }

  /// The fields that are the same for every request: all but Date and Connection.
  private static func appendFields(of response: HTTPResponse, answersHead: Bool, to head: inout [UInt8]) {
    for field in response.fields.list where !ResponseFraming.isFraming(field.name) {
      head.append(contentsOf: "\r\n".utf8)
      head.append(contentsOf: field.name.utf8)
      head.append(contentsOf: ": ".utf8)
      head.append(contentsOf: field.value.utf8)
    }
    guard ResponseFraming.hasBody(response.status) else { return }
    head.append(contentsOf: "\r\nContent-Length: ".utf8)
    head.appendDecimal(ResponseFraming.length(of: response, answersHead: answersHead))
  }
}
