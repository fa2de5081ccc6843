internal import CNGHTTP2

/// Not a method: a function that C calls may capture nothing, not even a type.
///
/// The session is not retained for the call, which comes from within one of its own methods.
private func withClient<Result>(
  _ user: UnsafeMutableRawPointer?, _ body: (HTTP2ClientSession) -> Result
) -> Result {
  guard let user else { preconditionFailure("a session without its client") }
  return Unmanaged<HTTP2ClientSession>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}

/// The library's callbacks; each finds the client again and hands over.
extension HTTP2ClientSession {
  static func setCallbacks(_ callbacks: OpaquePointer) {
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      return withClient(user) { $0.begins(frame.pointee) } ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, _, name, nameCount, value, valueCount, _, user in
      withClient(user) {
        $0.receives(
          UnsafeBufferPointer(start: name, count: nameCount),
          UnsafeBufferPointer(start: value, count: valueCount))
      }
      return 0
    }
    // The library would drop such a field and go on; the stream is reset instead.
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, _, _, _, _, _, _, _ in
      NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, count, user in
      withClient(user) { $0.receives(UnsafeBufferPointer(start: data, count: count), on: id) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      if let frame { withClient(user) { $0.received(frame.pointee) } }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      if let frame { withClient(user) { $0.sent(frame.pointee) } }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      withClient(user) { $0.closed(id, code: code) }
      return 0
    }
  }

  /// Gives the library the next piece of a request's body.
  static let readContent: nghttp2_data_source_read_callback = { _, id, buffer, count, flags, _, user in
    let memory = UnsafeMutableRawBufferPointer(start: buffer, count: count)
    guard let piece = withClient(user, { $0.read(into: memory, on: id) }) else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    if piece.isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return piece.count
  }
}
