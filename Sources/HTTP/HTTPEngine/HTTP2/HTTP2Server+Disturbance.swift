internal import CNGHTTP2
internal import LinkspanCore

/// What a stand-in does to its connections (``HTTPDisturbance``).
extension HTTP2Server {
  /// Has the first SETTINGS name another number of streams than the one that the library enforces.
  func announce(_ streams: Int) {
    var bytes: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(session, &bytes)
    guard count > 0 else { return }
    opening = Array(UnsafeBufferPointer(start: bytes, count: count))
    // Behind the frame's head each setting has two bytes of identifier and four of value (RFC 9113, 6.5.1).
    for place in stride(from: 9, through: count - 6, by: 6)
    where opening[place] == 0 && opening[place + 1] == UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue)
    {
      for byte in 0..<4 {
        opening[place + 2 + byte] = UInt8(truncatingIfNeeded: streams >> (24 - 8 * byte))
      }
    }
  }

  func disturb(_ disturbance: HTTPDisturbance, on stream: HTTP2Stream) {
    if let count = disturbance.concurrentStreams {
      var entry = HTTP2Library.entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, count)
      check(nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &entry, 1))
    }
    if let goAway = disturbance.goAway, state == .open || state == .noticed {
      isDisturbed = true
      leave(code: goAway.code, debugData: goAway.debugData)
    }
    switch disturbance.ending {
    case .resetStream(let code):
      stream.phase = .answering
      check(nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code))
    case .dropConnection:
      stream.phase = .answering
      state = .broken
    case nil: break
    }
  }

  /// Tells the peer which request is the last.
  func leave(code: UInt32 = NGHTTP2_NO_ERROR.rawValue, debugData: [UInt8]) {
    state = .leaving
    for stream in streams.all.filter(\.isAnswered) { cut(stream) }
    let last = nghttp2_session_get_last_proc_stream_id(session)
    check(
      debugData.withUnsafeBufferPointer {
        nghttp2_submit_goaway(
          session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code, $0.baseAddress, $0.count)
      })
  }
}
