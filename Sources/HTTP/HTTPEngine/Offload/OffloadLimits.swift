/// How many answers may be awaited that are not there at once. The defaults are guesses.
package struct OffloadLimits: Hashable, Sendable {
  /// Threads that work at the same time on ``HTTPReply/offload(_:)``; they are started when there is work for them.
  package var workers = 16
  /// Requests that wait for a thread, of all loops together. One above it is answered 503 at once, with Retry-After of a second.
  package var waiting = 1_024
  /// Requests of one loop that wait for a completion (``HTTPReply/later(_:)``). One above it is answered 503 likewise.
  package var completions = 65_536

  package init() {}
}
