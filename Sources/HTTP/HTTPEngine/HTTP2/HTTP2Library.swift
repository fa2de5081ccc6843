internal import CNGHTTP2

/// The library's options and callbacks for the connections of one loop or client. Confined to its thread.
final class HTTP2Library {
  let options: OpaquePointer
  let callbacks: OpaquePointer

  init() {
    var options: OpaquePointer?
    var callbacks: OpaquePointer?
    let made = nghttp2_option_new(&options) == 0 && nghttp2_session_callbacks_new(&callbacks) == 0
    guard made, let options, let callbacks else { preconditionFailure("out of memory") }
    self.options = options
    self.callbacks = callbacks
    // Closed streams are kept for priorities only, and we have none.
    nghttp2_option_set_no_closed_streams(options, 1)
    Self.setCallbacks(callbacks)
  }

  deinit {
    nghttp2_option_del(options)
    nghttp2_session_callbacks_del(callbacks)
  }

  static func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
    nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
  }

  /// Gives the library the next piece of a body.
  static let readBody: nghttp2_data_source_read_callback = { _, id, buffer, count, flags, _, user in
    let memory = UnsafeMutableRawBufferPointer(start: buffer, count: count)
    switch withSession(user, { $0.read(into: memory, on: id) }) {
    case .bytes(let count, let isLast):
      if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count
    case .awaited: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    case .failed: return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
  }

  private static func setCallbacks(_ callbacks: OpaquePointer) {
    nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      return withSession(user) { $0.begins(frame.pointee) } ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      if let frame { withSession(user) { $0.beginsHeader(frame.pointee.headers) } }
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame else { return 0 }
      let isRead = withSession(user) {
        $0.receives(
          UnsafeBufferPointer(start: name, count: nameCount),
          UnsafeBufferPointer(start: value, count: valueCount), in: frame.pointee.headers)
      }
      return isRead ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    // The library would drop such a field and go on; two readers of one message might differ then.
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
      let isRead = withSession(user) {
        $0.receivesInvalid(
          UnsafeBufferPointer(start: name, count: nameCount),
          UnsafeBufferPointer(start: value, count: valueCount), in: frame.pointee.headers)
      }
      return isRead ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, data, count, user in
      withSession(user) { $0.receives(UnsafeBufferPointer(start: data, count: count), on: id) }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      if let frame { withSession(user) { $0.received(frame.pointee) } }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      if let frame { withSession(user) { $0.sent(frame.pointee) } }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, user in
      withSession(user) { $0.closed(id, code: code) }
      return 0
    }
  }
}

/// Not a method: a function that C calls may capture nothing, not even a type.
private func withSession<Result>(
  _ user: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> Result
) -> Result {
  guard let user else { preconditionFailure("the library has lost its session") }
  return Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}
