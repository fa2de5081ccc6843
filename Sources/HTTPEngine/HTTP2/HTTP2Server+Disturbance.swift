internal import CNGHTTP2
internal import LinkspanCore

/// What a stand-in does to its connections (``HTTPDisturbance``).
extension HTTP2Server {
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
    case .dropConnection: state = .broken
    case nil: break
    }
  }

  /// Tells the peer which request is the last.
  func leave(code: UInt32 = NGHTTP2_NO_ERROR.rawValue, debugData: [UInt8]) {
    state = .leaving
    let last = nghttp2_session_get_last_proc_stream_id(session)
    check(
      debugData.withUnsafeBufferPointer {
        nghttp2_submit_goaway(
          session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code, $0.baseAddress, $0.count)
      })
  }
}
