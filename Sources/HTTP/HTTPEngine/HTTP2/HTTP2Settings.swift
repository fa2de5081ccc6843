internal import CNGHTTP2

/// What the HTTP/2 connections of one loop share: limits, the library's options, callbacks and memory, and memory for the
/// header section being written. Confined to the loop's thread.
final class HTTP2Settings {
  let messages: HTTPLimits
  let limits: HTTP2Limits
  let library = HTTP2Library()
  let memory = HTTP2Memory()
  let heads = PreparedHeads()
  /// Names and values of the section being written.
  var scratch: [UInt8] = []
  /// Where each name and value ends in ``scratch``.
  var ends: [(name: Int, value: Int)] = []
  /// Fields of the section that do not go into the peer's table.
  var unindexed: [Int] = []
  var pairs: [nghttp2_nv] = []

  init(messages: HTTPLimits, limits: HTTP2Limits) {
    precondition(limits.indexedOnce.count <= 32, "one bit for each name")
    self.messages = messages
    self.limits = limits
    let options = library.options
    // The library's own guards lie behind ours, which see the frames first.
    nghttp2_option_set_max_continuations(options, limits.continuations)
    nghttp2_option_set_stream_reset_rate_limit(options, UInt64(limits.resets) * 2, 33)
    nghttp2_option_set_max_settings(options, limits.settings)
    nghttp2_option_set_max_outbound_ack(options, limits.acknowledgements)
    // An answer's fields are the handler's, not the peer's; this is the largest section HTTP/1.1 would read.
    nghttp2_option_set_max_send_header_block_length(options, 65_536)
    // A handler that reads a request's body as it comes opens the stream's window itself.
    nghttp2_option_set_no_auto_window_update(options, 1)
  }

  /// The first frame of a connection.
  var entries: [nghttp2_settings_entry] {
    return [
      HTTP2Library.entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.concurrentStreams),
      // Advice to the peer; the bytes are counted as they come.
      HTTP2Library.entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, messages.headerBytes),
      // Priorities are not looked at, so the library keeps no tree of them (RFC 9218, 2.1).
      HTTP2Library.entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ]
  }
}
