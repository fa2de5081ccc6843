internal import CNGHTTP2
internal import LinkspanCore

/// Bytes in and out, and the end of the connection.
extension HTTP2ClientSession {
  package func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard state == .open || state == .leaving else { return }
    idleBytes += bytes.count
    let read = nghttp2_session_mem_recv(session, bytes.baseAddress, bytes.count)
    if !isCalm {
      end(
        "more than \(settings.limits.controlFrames) frames that belong to no answer",
        NGHTTP2_ENHANCE_YOUR_CALM)
    } else if read < 0 {
      end(String(cString: nghttp2_strerror(CInt(read))), Self.code(for: CInt(read)))
    } else if idleBytes > settings.limits.idleBytes {
      end("more than \(settings.limits.idleBytes) bytes that belong to no answer", NGHTTP2_ENHANCE_YOUR_CALM)
    }
  }

  func end(_ reason: String, _ code: nghttp2_error_code) {
    refuse(reason)
    if nghttp2_session_terminate_session(session, code.rawValue) != 0 { state = .broken }
  }

  static func code(for error: CInt) -> nghttp2_error_code {
    switch nghttp2_error(error) {
    case NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS: NGHTTP2_ENHANCE_YOUR_CALM
    case NGHTTP2_ERR_NOMEM: NGHTTP2_INTERNAL_ERROR
    default: NGHTTP2_PROTOCOL_ERROR
    }
  }

  /// Ends the connection for something the server did.
  func refuse(_ reason: String) {
    guard state != .broken, state != .refused else { return }
    state = .refused
    failAll { _ in
      ClientFailure(kind: .malformedAnswer, reason: "the server breaks HTTP/2: \(reason)")
    }
  }

  package func receiveEnd(_ reason: String?) {
    guard state != .broken else { return }
    state = .broken
    let text = reason.map { ": \($0)" } ?? ""
    failAll { stream in
      stream.isHeadSent
        ? ClientFailure(
          kind: .connectionLost, reason: "the connection ended before the answer was whole\(text)",
          isUnheard: receivedBytes(stream) == 0)
        : ClientFailure(
          kind: .notProcessed, reason: "the connection ended before the request was sent\(text)")
    }
  }

  package func produce(into output: inout OutputQueue, limitBytes: Int) -> Bool {
    while state != .broken {
      guard output.count < limitBytes else { return false }
      var bytes: UnsafePointer<UInt8>?
      let count = nghttp2_session_mem_send(session, &bytes)
      if count == 0 { break }
      guard count > 0 else {
        receiveEnd(String(cString: nghttp2_strerror(CInt(count))))
        break
      }
      output.append(UnsafeBufferPointer(start: bytes, count: count))
    }
    return true
  }

  /// The library fails only for want of memory; then the connection is dropped.
  func check(_ result: CInt) {
    if result != 0 { receiveEnd(String(cString: nghttp2_strerror(result))) }
  }

  // MARK: - Outcomes

  func conclude(_ stream: HTTP2ClientStream) {
    stream.isConcluded = true
    inFlightCount -= 1
    bodyBytes -= stream.response.count
  }

  func fail(_ stream: HTTP2ClientStream, _ failure: ClientFailure) {
    guard !stream.isConcluded else { return }
    conclude(stream)
    stream.drop()
    var failure = failure
    failure.goAway = goAway
    outcomes.append(ClientOutcome(number: stream.number, result: .failure(failure)))
  }

  /// The answer is there, whole or cut.
  func answer(_ stream: HTTP2ClientStream) {
    guard !stream.isConcluded else { return }
    conclude(stream)
    outcomes.append(ClientOutcome(number: stream.number, result: .success(stream.takeResponse())))
    controlFrames = max(0, controlFrames - settings.limits.controlFramesPerAnswer)
  }

  /// In the order of asking.
  func failAll(_ failure: (HTTP2ClientStream) -> ClientFailure) {
    for stream in streams.all { fail(stream, failure(stream)) }
  }

  func reset(_ stream: HTTP2ClientStream) {
    check(
      nghttp2_submit_rst_stream(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, NGHTTP2_CANCEL.rawValue))
  }
}
