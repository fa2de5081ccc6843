internal import CNGHTTP2

/// What the HTTP/2 connections of one loop share: limits, the library's options and callbacks, and memory for the
/// header section being written. Confined to the loop's thread.
final class HTTP2Settings {
  let messages: HTTPLimits
  let limits: HTTP2Limits
  let options: OpaquePointer
  let callbacks: OpaquePointer
  let heads = PreparedHeads()
  /// Names and values of the section being written.
  var scratch: [UInt8] = []
  /// Where each name and value ends in ``scratch``.
  var ends: [(name: Int, value: Int)] = []
  var pairs: [nghttp2_nv] = []

  init(messages: HTTPLimits, limits: HTTP2Limits) {
    self.messages = messages
    self.limits = limits
    var options: OpaquePointer?
    var callbacks: OpaquePointer?
    let made = nghttp2_option_new(&options) == 0 && nghttp2_session_callbacks_new(&callbacks) == 0
    guard made, let options, let callbacks else { preconditionFailure("out of memory") }
    self.options = options
    self.callbacks = callbacks
    // The library's own guards lie behind ours, which see the frames first.
    nghttp2_option_set_max_continuations(options, limits.continuations)
    nghttp2_option_set_stream_reset_rate_limit(options, UInt64(limits.resets) * 2, 33)
    nghttp2_option_set_max_settings(options, limits.settings)
    nghttp2_option_set_max_outbound_ack(options, limits.acknowledgements)
    // An answer's fields are the handler's, not the peer's; this is the largest section HTTP/1.1 would read.
    nghttp2_option_set_max_send_header_block_length(options, 65_536)
    // Closed streams are kept for priorities only, and we have none.
    nghttp2_option_set_no_closed_streams(options, 1)
    HTTP2Server.setCallbacks(callbacks)
  }

  deinit {
    nghttp2_option_del(options)
    nghttp2_session_callbacks_del(callbacks)
  }

  /// The first frame of a connection.
  var entries: [nghttp2_settings_entry] {
    func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
      nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
    }
    return [
      entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.concurrentStreams),
      // Advice to the peer; the bytes are counted as they come.
      entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, messages.headerBytes),
      // Priorities are not looked at, so the library keeps no tree of them (RFC 9218, 2.1).
      entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ]
  }
}
