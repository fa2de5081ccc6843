internal import LinkspanCore

/// Bodies that move piece by piece, in either direction.
extension HTTP1Server {
  /// How far the sending of a body has come.
  enum Sending {
    /// The output is full.
    case limit
    /// The handler has nothing yet.
    case awaited
    case done
  }

  // MARK: - Answers

  /// Writes the head of an answer whose body follows.
  func begin(
    _ body: StreamedBody, _ head: HTTPResponse, to request: Asked, into output: inout OutputQueue,
    date: String
  ) {
    var request = request
    let framing: HTTP1ResponseWriter.Framing =
      body.remainingBytes.map { .length($0) } ?? (request.isHTTP10 ? .close : .chunked)
    if framing == .close { request.keepsAlive = false }
    let hasBody = ResponseFraming.hasBody(head.status)
    let connection = connection(goesOn(behind: request), request)
    let isWritten = writer.writeHead(
      head, hasBody ? framing : .close, connection: connection, date: date, to: &output)
    service.counters.addResponse(status: isWritten ? head.status : 500)
    guard isWritten else {
      writer.write(
        .text(500, "the answer could not be written"), answersHead: request.isHead, connection: connection,
        date: date, to: &output)
      service.end(outgoing: body)
      return finish(request, goesOn: connection != .close)
    }
    guard hasBody, !request.isHead else {
      service.end(outgoing: body)
      return finish(request, goesOn: connection != .close)
    }
    if connection == .close { request.mustClose = true }
    outgoing = (body, framing, request)
  }

  /// Writes what the handler has of the body, until `limitBytes` bytes wait in `output`.
  func sendBody(into output: inout OutputQueue, limitBytes: Int) -> Sending {
    guard let (body, framing, request) = outgoing else { return .done }
    while output.count < limitBytes {
      switch body.read(limitBytes: ServerWait.progressBytes) {
      case .bytes(let bytes):
        if framing == .chunked { writer.writeChunk(bytes, to: &output) } else { output.append(bytes) }
      case .none: return .awaited
      case .end:
        if framing == .chunked { writer.writeChunk([], to: &output) }
        endOutgoing()
        finish(request, goesOn: !request.mustClose)
        return .done
      case .failed:
        // Without its last chunk, or the rest of its length, nobody takes the body for whole.
        endOutgoing()
        closing = closing ?? .failed
        state = .ended
        return .done
      }
    }
    return .limit
  }

  func endOutgoing() {
    if let outgoing { service.end(outgoing: outgoing.body) }
    outgoing = nil
  }

  package func resume(body number: Int, stream: Int32) {
    if incoming?.number == number { incoming?.isFull = false }
  }

  // MARK: - Requests

  /// Hands what has come of the request's body to the handler.
  func takeIncoming() {
    guard let incoming else { return }
    let before = incoming.movedBytes / ServerWait.progressBytes
    incoming.write(parser.takeBody())
    progress += incoming.movedBytes / ServerWait.progressBytes - before
  }

  /// The rest of the request's body will not come, or is not wanted.
  func failIncoming() {
    if let incoming { service.end(incoming: incoming, isWhole: false) }
    incoming = nil
  }
}
