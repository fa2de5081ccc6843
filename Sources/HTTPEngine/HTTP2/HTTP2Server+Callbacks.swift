internal import CNGHTTP2

/// Not a method: a function that C calls may capture nothing, not even a type.
private func server(_ user: UnsafeMutableRawPointer?) -> HTTP2Server {
  guard let user else { preconditionFailure("a session without its server") }
  return Unmanaged<HTTP2Server>.fromOpaque(user).takeUnretainedValue()
}

/// The library's callbacks; each finds the server again and hands over.
extension HTTP2Server {
  static func setCallbacks(_ callbacks: OpaquePointer) {
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      return server(user).begins(frame.pointee) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      if let frame { server(user).beginsHeader(frame.pointee.headers) }
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame else { return 0 }
      let isRead = server(user).receives(
        UnsafeBufferPointer(start: name, count: nameCount),
        UnsafeBufferPointer(start: value, count: valueCount),
        in: frame.pointee.headers)
      return isRead ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    // The library would drop such a field and go on; two readers of one request might differ then.
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, _, _, _, _, _, _, _ in
      NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, count, user in
      server(user).receives(UnsafeBufferPointer(start: data, count: count), on: id)
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      if let frame { server(user).received(frame.pointee) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      if let frame { server(user).sent(frame.pointee) }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      server(user).closed(id, code: code)
      return 0
    }
  }

  /// Gives the library the next piece of an answer's body.
  static let readAnswer: nghttp2_data_source_read_callback = { _, id, buffer, count, flags, _, user in
    let memory = UnsafeMutableRawBufferPointer(start: buffer, count: count)
    guard let piece = server(user).read(into: memory, on: id) else {
      return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    if piece.isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return piece.count
  }
}
