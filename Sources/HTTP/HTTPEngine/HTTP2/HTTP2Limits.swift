/// What one HTTP/2 connection may ask for, beside the limits of each message (``HTTPLimits``). Each limit is the
/// largest value still accepted. The defaults are guesses unless a source is named.
///
/// A connection that passes one of the counts below is told so with GOAWAY and the code ENHANCE_YOUR_CALM (RFC 9113,
/// 7) and closed. The counts are allowances: they are used up by what costs us work and brings nobody an answer, and
/// come back with answers that were taken.
package struct HTTP2Limits: Hashable, Sendable {
  /// Requests in flight, told the peer in SETTINGS_MAX_CONCURRENT_STREAMS; one above it is refused
  /// (REFUSED_STREAM). RFC 9113, 6.5.2 recommends at least 100.
  package var concurrentStreams = 128

  /// What the first SETTINGS says instead, where the peer is to begin with fewer streams and is not refused those that it
  /// opened before it could know. APNs begins with one.
  package var announcedStreams: Int?

  /// Whether a field whose value begins or ends with a blank is handed to the handler as it is, and does not reset its stream
  /// as RFC 9113, 8.2.1 demands: for a server that has an answer for it.
  package var takesBlanksAroundValues = false

  /// Names, in lower case, of fields whose values differ from answer to answer: they go into the peer's table of fields once on a
  /// connection (RFC 7541, 2.3.2), since a value that never comes again only takes the place of others. 32 at most.
  package var indexedOnce: [String] = []

  /// Streams that ended without an answer: reset by the peer, or by us because of what the peer sent
  /// (CVE-2023-44487, CVE-2025-8671). An answer that was taken gives one back.
  package var resets = 200

  /// Frames that carry no request: PING, SETTINGS, PRIORITY, WINDOW_UPDATE, empty DATA. An answer that was taken
  /// gives ``controlFramesPerAnswer`` back, and each KB of bodies sent or received one.
  package var controlFrames = 1_000
  package var controlFramesPerAnswer = 16

  /// CONTINUATION frames of one header section (CVE-2024-27316). nghttp2's own default.
  package var continuations = 8

  /// Settings in one SETTINGS frame; nghttp2's own default.
  package var settings = 32

  /// Answers to PING and SETTINGS that wait to be sent.
  package var acknowledgements = 256

  /// Bytes received since a request or a piece of a body last began.
  package var idleBytes = 1_048_576

  /// Bodies of requests under way, all together; a request that passes it is answered 503.
  package var bodyBytes = 4_194_304

  /// Of a request's body that comes after its answer and that nobody wants; above it the stream is reset with NO_ERROR.
  /// A frame of the default size (RFC 9113, 4.2).
  package var unwantedBytes = 16_384

  /// Bodies of answers that wait for the peer's windows, all together; above it no further request is answered.
  /// One answer may be larger.
  package var queuedBytes = 262_144

  /// The debug data of GOAWAY when the server stops, and when a connection was idle too long; empty for none. APNs gives a
  /// reason there.
  package var stopDebugData: [UInt8] = []
  package var idleDebugData: [UInt8] = []

  package init() {}
}
