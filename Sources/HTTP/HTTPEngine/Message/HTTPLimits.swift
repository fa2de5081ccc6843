/// What one message may cost. Each limit is the largest value still accepted.
///
/// The defaults are guesses on the generous side of what association file fetches and registrations need,
/// except where a source is named.
package struct HTTPLimits: Hashable, Sendable {
  /// Request target as sent; above it the answer is 414. RFC 9112, 3 recommends at least 8,000 for the line.
  package var targetBytes = 8_192

  /// Header section: every field line with its CRLF, without the request line; above it the answer is 431.
  package var headerBytes = 16_384

  /// Field lines in a header section, and in a trailer section; above it the answer is 431.
  package var headerCount = 100

  /// Message body after transfer decoding; above it the answer is 413.
  package var bodyBytes = 1_048_576

  package init() {}
}
