internal import CNGHTTP2
package import LinkspanCore

/// What a connection asks of the conversation, and what it gives it.
extension HTTP2Server: ServerProtocol {
  // MARK: - What the connection asks

  package var waiting: ServerWait {
    if state == .broken { return .nothing }
    if nghttp2_session_want_read(session) == 0, nghttp2_session_want_write(session) == 0 {
      // One that is stopped while it reads its answers still opens windows for them.
      let mayBeSending = state == .refused || isStopped && state == .leaving
      return mayBeSending && !peerEnded ? .nothingYetSending : .nothing
    }
    // What could be sent has been; a peer that has ended opens no window any more.
    if peerEnded { return pendingCount > 0 ? .handler(isReading: false) : .nothing }
    guard let oldest else {
      if pendingCount > 0 { return .handler(isReading: true) }
      return state == .noticed ? .close : .request
    }
    switch oldest.phase {
    case .header: return .header
    case .body: return oldest.incoming?.isFull == true ? .handler(isReading: true) : .body
    case .answering where oldest.isAnswered: return .body
    case .ready, .handler, .answering: return .write
    }
  }

  /// The oldest stream has to get on: others that do cannot lengthen its time.
  package var progress: Int {
    guard let oldest else { return completedCount }
    let sent = oldest.phase == .ready ? sentBytes : oldest.sentBytes + (oldest.incoming?.movedBytes ?? 0)
    return Int(oldest.id) << 32 + sent / ServerWait.progressBytes
  }

  /// Of those the peer has to do something for.
  private var oldest: HTTP2Stream? {
    streams.unordered.filter { $0.phase != .handler || pendingCount == 0 }.min { $0.id < $1.id }
  }

  // MARK: - Bytes in

  package func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard state != .broken, state != .refused else { return }
    budget.received(bytes: bytes.count)
    var (start, next) = (0, 0)
    while let (end, found) = scanner.next(in: bytes, from: next) {
      next = end
      if case .data(let id) = found, streams[id] != nil { continue }
      // Its stream may begin in these bytes: what is before the frame counts first.
      guard read(bytes[start..<(end - 1)]) else { return }
      start = end - 1
      switch found {
      case .data(let id):
        guard streams[id] != nil || allows(NGHTTP2_DATA, on: id) else {
          return refuse(offence ?? NGHTTP2_STREAM_CLOSED, .http2Malformed)
        }
      // RFC 7540, 5.3.1; as the library does for the same in HEADERS.
      case .dependsOnItself: return refuse(NGHTTP2_PROTOCOL_ERROR, .http2Malformed)
      }
    }
    guard read(bytes[start...]) else { return }
    if budget.isIdleTooLong { refuse(NGHTTP2_ENHANCE_YOUR_CALM, .idleBytes) }
  }

  /// - Returns: False when nothing more is to be read.
  private func read(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard !bytes.isEmpty else { return true }
    let bytes = UnsafeBufferPointer(rebasing: bytes)
    let count = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    if count < 0 { refuse(offence ?? Self.code(for: CInt(count)), Self.closing(for: CInt(count))) }
    return state != .refused && state != .broken
  }

  package func receiveEnd() { peerEnded = true }

  private static func code(for error: CInt) -> nghttp2_error_code {
    switch nghttp2_error(error) {
    case NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: NGHTTP2_ENHANCE_YOUR_CALM
    case NGHTTP2_ERR_NOMEM, NGHTTP2_ERR_CALLBACK_FAILURE: NGHTTP2_INTERNAL_ERROR
    default: NGHTTP2_PROTOCOL_ERROR
    }
  }

  private static func closing(for error: CInt) -> ServerClosing {
    switch nghttp2_error(error) {
    case NGHTTP2_ERR_FLOODED: .acknowledgements
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: .continuations
    case NGHTTP2_ERR_NOMEM: .memory
    default: .http2Malformed
    }
  }

  /// Ends the connection for something the peer did; the first reason counts.
  func refuse(_ code: nghttp2_error_code, _ reason: ServerClosing) {
    guard state != .broken else { return }
    closing = closing ?? reason
    state = .refused
    ready = []
    forgetAnswers()
    check(nghttp2_session_terminate_session(session, code.rawValue))
  }

  /// The library fails only for want of memory; then the connection is dropped.
  func check(_ result: CInt) {
    if result != 0 { state = .broken }
  }

  // MARK: - Bytes out

  package func produce(into output: inout OutputQueue, date: String, limitBytes: Int) -> Bool {
    defer { noteQueued() }
    while state != .broken {
      answerReady(date: date)
      guard send(into: &output, limitBytes: limitBytes) else { return false }
      // Sending may have made room for the next answer.
      if ready.isEmpty || queuedBytes >= settings.limits.queuedBytes { return true }
    }
    return true
  }

  /// - Returns: False when it stopped at the limit.
  private func send(into output: inout OutputQueue, limitBytes: Int) -> Bool {
    if !opening.isEmpty {
      opening.withUnsafeBufferPointer { output.append($0) }
      opening = []
    }
    while state != .broken {
      guard output.count < limitBytes else { return false }
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      if count == 0 { return true }
      guard count > 0 else {
        state = .broken
        break
      }
      output.append(UnsafeBufferPointer(start: bytes, count: count))
    }
    return true
  }

  package func deliver(
    _ response: HTTPResponse, number: Int, stream id: Int32, into output: inout OutputQueue, date: String
  ) {
    guard state != .refused, state != .broken, let stream = streams[id], stream.pendingNumber == number else {
      return
    }
    stream.pendingNumber = nil
    if stream.phase == .handler { pendingCount -= 1 }
    stream.phase = .answering
    releaseBody(of: stream)
    if stream.incoming != nil { failIncoming(of: stream) }
    respond(response, isCacheable: false, on: stream, date: date)
  }

  package func abandon() {
    forgetAnswers()
    for stream in streams.unordered {
      releaseBody(of: stream)
      failIncoming(of: stream)
      endOutgoing(of: stream)
    }
    service.counters.add(-streams.count, to: .streamsNow)
    streams = HTTP2Streams()
    queuedBytes = 0
    noteQueued()
  }

  func forgetAnswers() {
    for stream in streams.unordered { forgetAnswer(of: stream) }
  }

  func forgetAnswer(of stream: HTTP2Stream) {
    guard let number = stream.pendingNumber else { return }
    stream.pendingNumber = nil
    if stream.phase == .handler { pendingCount -= 1 }
    _ = service.pending.end(number)
  }

  func noteQueued() {
    guard queuedBytes != notedBytes else { return }
    service.counters.add(queuedBytes - notedBytes, to: .queuedBytesNow)
    notedBytes = queuedBytes
  }

  // MARK: - Time and the end

  package func expire(into output: inout OutputQueue, date: String) {
    switch waiting {
    case .body:
      guard let oldest else { break }
      if oldest.isAnswered {
        cut(oldest)
        break
      }
      reject(oldest, HTTPRejection(408, "the request did not come in time"))
      answerReadyDespiteLimits(date: date)
    // Nothing can be read behind half a header section, and a peer that takes nothing holds what it asked for.
    case .header: refuse(NGHTTP2_ENHANCE_YOUR_CALM, .headerDeadline)
    case .write: refuse(NGHTTP2_ENHANCE_YOUR_CALM, .writeDeadline)
    default:
      // One that was told of the stop and has not answered hears the same reason as one that has.
      let debugData = state == .noticed ? settings.limits.stopDebugData : settings.limits.idleDebugData
      state = .leaving
      // A peer that doesn't read is not waited for a second time.
      isStopped = false
      if debugData.isEmpty {
        check(nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue))
      } else {
        leave(debugData: debugData)
      }
    }
    _ = send(into: &output, limitBytes: .max)
    noteQueued()
  }

  package func stop() {
    guard state == .open else { return }
    state = .noticed
    isStopped = true
    check(nghttp2_submit_shutdown_notice(session))
    // Whoever answers the PING has read the notice; what it asked for before that is in our hands then.
    check(nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil))
  }
}
