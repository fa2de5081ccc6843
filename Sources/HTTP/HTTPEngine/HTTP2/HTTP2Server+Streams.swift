internal import CNGHTTP2
internal import LinkspanCore

/// Bodies that move piece by piece, in either direction.
extension HTTP2Server {
  func resume(body number: Int, stream id: Int32) {
    guard state != .refused, state != .broken, let stream = streams[id] else { return }
    if let body = stream.incoming, body.number == number {
      body.isFull = false
      let count = body.heldBackBytes
      body.heldBackBytes = 0
      check(nghttp2_session_consume_stream(session, id, count))
    } else if stream.outgoing?.number == number, stream.phase == .handler {
      stream.phase = .answering
      pendingCount -= 1
      check(nghttp2_session_resume_data(session, id))
    }
  }

  // MARK: - Answers

  /// Begins an answer whose body follows.
  func begin(_ body: StreamedBody, _ head: HTTPResponse, on stream: HTTP2Stream, date: String) {
    guard ResponseFraming.isWritable(head) else {
      service.end(outgoing: body)
      return respond(
        .text(500, "the answer could not be written"), isCacheable: false, on: stream, date: date)
    }
    let hasContent = ResponseFraming.hasBody(head.status) && !stream.answersHead
    writeHead(head, lengthBytes: body.remainingBytes, on: stream, hasContent: hasContent, date)
    if hasContent { stream.outgoing = body } else { service.end(outgoing: body) }
  }

  func endOutgoing(of stream: HTTP2Stream) {
    guard let body = stream.outgoing else { return }
    if stream.phase == .handler { pendingCount -= 1 }
    stream.phase = .answering
    stream.outgoing = nil
    service.end(outgoing: body)
  }

  // MARK: - Requests

  /// Hands a piece of a request's body to the handler; the stream's window opens again when there is room for more.
  ///
  /// - Parameter isConsumed: The peer was told already that it may send as much again.
  func takeIncoming(_ bytes: [UInt8], of stream: HTTP2Stream, isConsumed: Bool = false) {
    guard let body = stream.incoming else { return }
    let limit = min(settings.messages.bodyBytes, body.remainingBytes ?? .max)
    if !isConsumed { check(nghttp2_session_consume_connection(session, bytes.count)) }
    guard body.movedBytes + bytes.count <= limit else {
      return reject(stream, .bodyTooLarge(limit))
    }
    body.write(bytes)
    if !isConsumed { body.heldBackBytes += bytes.count }
    guard !body.isFull else { return }
    check(nghttp2_session_consume_stream(session, stream.id, body.heldBackBytes))
    body.heldBackBytes = 0
  }

  /// The request's body is whole; its answer comes by itself.
  func finishIncoming(of stream: HTTP2Stream) {
    if let body = stream.incoming { service.end(incoming: body, isWhole: true) }
    stream.incoming = nil
    stream.phase = .handler
    pendingCount += 1
  }

  /// The rest of the request's body will not come, or is not wanted.
  func failIncoming(of stream: HTTP2Stream) {
    guard let body = stream.incoming else { return }
    stream.incoming = nil
    service.end(incoming: body, isWhole: false)
  }

  // MARK: - Requests that were answered before their end

  /// The answer is out, and the request has not ended (RFC 9113, 8.1). Most end by themselves, and the stream stays open for
  /// that: what is wrong with the rest is an error of the stream, and a client need not know that NO_ERROR is none. A request
  /// whose rest may be long, or whose sender waits for a word, is cut off.
  func awaitEnd(of stream: HTTP2Stream) {
    stream.forgetExchange()
    let mayBeLong = stream.rejection != nil || stream.unwantedBytes > settings.limits.unwantedBytes
    if mayBeLong || stream.expectsContinue || state != .open { cut(stream) }
  }

  /// Counts a piece of a body that nobody wants.
  func drop(_ bytes: Int, of stream: HTTP2Stream) {
    stream.unwantedBytes += bytes
    if stream.isAnswered, stream.unwantedBytes > settings.limits.unwantedBytes { cut(stream) }
  }

  /// Tells the peer that the rest of its request need not be sent.
  func cut(_ stream: HTTP2Stream) {
    guard !stream.isCut else { return }
    stream.isCut = true
    check(
      nghttp2_submit_rst_stream(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, NGHTTP2_NO_ERROR.rawValue))
  }
}
