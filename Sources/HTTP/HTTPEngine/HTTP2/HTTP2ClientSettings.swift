internal import CNGHTTP2
internal import LinkspanCore

/// What the HTTP/2 connections of one client share: limits, the library's options, callbacks and memory, and
/// memory for the header section being written. Confined to the loop's thread.
package final class HTTP2ClientSettings {
  let messages: HTTPLimits
  let limits: HTTP2ClientLimits
  let cutsBody: Bool
  /// Names of fields that go into the server's table of fields once on a connection; at most 32.
  let indexedOnce: [String]
  let library = HTTP2Library()
  let memory = HTTP2Memory()
  private let section = HTTP2RequestSection()

  /// - Parameters:
  ///   - cutsBody: A body that reaches the limit ends there instead of being refused.
  ///   - indexedOnce: Names, in lower case, of fields whose values differ from request to request.
  package init(
    messages: HTTPLimits = HTTPLimits(), limits: HTTP2ClientLimits = HTTP2ClientLimits(),
    cutsBody: Bool = false, indexedOnce: [String] = []
  ) {
    precondition(indexedOnce.count <= 32, "one bit for each name")
    self.indexedOnce = indexedOnce
    self.messages = messages
    self.limits = limits
    self.cutsBody = cutsBody
    let options = library.options
    nghttp2_option_set_max_continuations(options, limits.continuations)
    nghttp2_option_set_max_settings(options, limits.settings)
    nghttp2_option_set_max_outbound_ack(options, limits.acknowledgements)
    nghttp2_option_set_peer_max_concurrent_streams(options, UInt32(clamping: limits.streamsBeforeSettings))
  }

  /// The first frame of a connection.
  var entries: [nghttp2_settings_entry] {
    return [
      // Nobody wants what they did not ask for; a PUSH_PROMISE ends the connection then (RFC 9113, 8.4).
      HTTP2Library.entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
      HTTP2Library.entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, min(limits.streamWindowBytes, Int(Int32.max))),
      // Advice to the server; the bytes are counted as they come.
      HTTP2Library.entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, messages.headerBytes),
      // Priorities are not sent (push notes, 1.6), so the library keeps no tree of them (RFC 9218, 2.1).
      HTTP2Library.entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ]
  }

  /// Shows a request's header section in the library's form, which copies it (RFC 9113, 8.3.1).
  func withPairs<Result>(
    of request: HTTPRequest, indexed: inout UInt32, _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result
  ) -> Result {
    body(section.write(request, indexedOnce: indexedOnce, indexed: &indexed))
  }
}
