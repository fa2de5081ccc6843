/// What one HTTP/2 connection may cost the client. The defaults are guesses unless a source is named.
package struct HTTP2ClientLimits: Hashable, Sendable {
  /// Requests in flight, if the server's SETTINGS_MAX_CONCURRENT_STREAMS allows as many.
  package var concurrentStreams = 1_000
  /// Requests in flight before the server's SETTINGS have come; RFC 9113, 6.5.2 recommends that they allow 100.
  package var streamsBeforeSettings = 100
  /// Frames that belong to no answer: PING, SETTINGS, PRIORITY, WINDOW_UPDATE, empty DATA. An answer gives ``controlFramesPerAnswer`` back, and each KB of bodies one.
  package var controlFrames = 1_000
  package var controlFramesPerAnswer = 16
  /// CONTINUATION frames of one header section (CVE-2024-27316).
  package var continuations = 8
  /// Settings in one SETTINGS frame.
  package var settings = 32
  /// Answers to PING and SETTINGS that wait to be sent.
  package var acknowledgements = 256
  /// Bytes received since a piece of an awaited answer last came. What was under way when a request was given up fits,
  /// which is at most ``connectionWindowBytes``.
  package var idleBytes = 8_388_608
  /// Bodies of answers under way, all together; the answer that passes it fails.
  package var bodyBytes = 67_108_864
  /// What the server may send ahead on one stream, and on all of them.
  package var streamWindowBytes = 262_144
  package var connectionWindowBytes = 4_194_304

  package init() {}
}
