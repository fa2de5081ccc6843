internal import Synchronization

/// What a server has counted since it began, all loops together. Every number but those named `…Now` only grows.
///
/// Read with ``HTTPServer/metrics`` from any thread. Each number is read by itself: two that belong together may be
/// apart by what happened between the two readings.
package struct ServerMetrics: Hashable, Sendable {
  /// One number.
  package enum Counter: Int, CaseIterable, Sendable {
    case accepted
    /// Refused at once: ``ConnectionLimits/total``, ``ConnectionLimits/perAddress``, or no memory for TLS.
    case refusedTotal, refusedPerAddress, refusedMemory
    /// Times that accepting had to pause because the process or the system ran out of descriptors or memory.
    case exhausted
    case handshakesStarted, handshakesDone
    case requestsHTTP1, requestsHTTP2
    /// Answers by the first digit of their status, refusals by the engine among them.
    case responses2xx, responses3xx, responses4xx, responses5xx
    /// Bytes of HTTP, inside TLS.
    case bytesReceived, bytesSent
    /// HTTP/2 streams that ended with an error, whoever reset them.
    case streamsReset
    /// GOAWAY frames sent, with any code.
    case goawaysSent
    /// Answers that carried `Connection: close` because the accept queue was deep.
    case crowdedCloses
    /// Requests whose answers are computed off the loop; those refused because of ``OffloadLimits``; and those that
    /// ``ServerDeadlines/handler`` ended.
    case offloaded, offloadRefused, handlerDeadlines
    /// Requests that wait for such an answer now.
    case pendingNow
    /// HTTP/2 streams that are open now.
    case streamsNow
    /// Bytes of answers that wait for their peers to take them now.
    case queuedBytesNow
    /// Bytes of requests' bodies that are kept now (``ConnectionLimits/bodyBytes``).
    case bodyBytesNow
    /// Requests that were refused because their body would have passed that limit.
    case bodiesRefused
    /// Times a loop gave freed memory back to the system.
    case memoryReleases
    /// Times a loop went around.
    case turns
  }

  private var counts: [Int]
  private var closings: [Int]

  /// Peers that hold a connection now, as ``ConnectionLimits/perAddress`` counts them.
  package private(set) var peersNow: Int

  init(_ loops: [LoopCounters], peersNow: Int = 0) {
    self.peersNow = peersNow
    counts = Counter.allCases.map { counter in loops.reduce(0) { $0 + $1.value(counter) } }
    closings = ServerClosing.allCases.map { closing in loops.reduce(0) { $0 + $1.value(closing) } }
  }

  /// Of a server that has not begun.
  package static let none = ServerMetrics([])

  package subscript(_ counter: Counter) -> Int { counts[counter.rawValue] }

  /// Connections that ended for this reason.
  package subscript(_ closing: ServerClosing) -> Int { closings[closing.rawValue] }

  /// Connections that ended, for any reason.
  package var closed: Int { closings.reduce(0, +) }

  /// Connections open now.
  package var openNow: Int {
    self[.accepted] - self[.refusedTotal] - self[.refusedPerAddress] - self[.refusedMemory] - closed
  }

  /// Handshakes that came to nothing.
  package var handshakesFailed: Int {
    self[.handshakeFailed] + self[.handshakeDeadline] + self[.handshakeDropped]
  }

  /// Handshakes under way now.
  package var handshakesNow: Int { self[.handshakesStarted] - self[.handshakesDone] - handshakesFailed }
}

/// Why a connection ended.
package enum ServerClosing: Int, CaseIterable, Sendable {
  /// The peer has closed, or asked us to with `Connection: close`.
  case peer
  /// The socket or TLS failed under way.
  case failed
  /// ``ServerDeadlines/idle``.
  case idle
  /// Idle, and closed to make room: ``ConnectionLimits/total`` was reached, or the process was out of descriptors.
  case pressure
  /// The accept queue was deep, and the connection was closed behind its answer.
  case crowded
  /// ``HTTPServer/stop()``, in an orderly way; and ``ServerDeadlines/stop`` after it.
  case stopped, stopDeadline
  /// The TLS handshake failed, took longer than ``ServerDeadlines/handshake``, or was under way at the end.
  case handshakeFailed, handshakeDeadline, handshakeDropped
  /// The deadlines of ``ServerDeadlines`` by their names.
  case headerDeadline, bodyDeadline, writeDeadline, closeDeadline
  /// ``ConnectionLimits/discardedBytes``.
  case discardedBytes
  /// An HTTP/1.1 request that nobody can read, or that is not served here (400, 417, 501, 505).
  case malformed
  /// The limits of ``HTTPLimits``: ``HTTPLimits/targetBytes``, ``HTTPLimits/headerBytes`` or
  /// ``HTTPLimits/headerCount``, ``HTTPLimits/bodyBytes``.
  case targetLimit, headerLimit, bodyLimit
  /// A body that the responder did not ask for, or that found no room (``ConnectionLimits/bodyBytes``).
  case unwantedBody, bodiesLimit
  /// A frame against RFC 9113.
  case http2Malformed
  /// The limits of ``HTTP2Limits`` by their names.
  case resets, controlFrames, continuations, settings, acknowledgements, idleBytes
  /// The HTTP/2 library or the system is out of memory.
  case memory
}

/// The numbers of one loop, written by its thread alone and read by any.
///
/// `@unchecked Sendable`: the memory is made in `init`, freed in `deinit`, and holds nothing but atomics.
final class LoopCounters: @unchecked Sendable {
  private static let closingStart = ServerMetrics.Counter.allCases.count
  private static let count = closingStart + ServerClosing.allCases.count
  private let words = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: count)

  init() {
    for index in 0..<Self.count { (words + index).initialize(to: Atomic(0)) }
  }

  deinit {
    words.deinitialize(count: Self.count)
    words.deallocate()
  }

  /// Only on the loop's thread: there is one writer, so that no word is ever locked.
  func add(_ amount: Int = 1, to counter: ServerMetrics.Counter) { add(amount, at: counter.rawValue) }

  func add(_ closing: ServerClosing) { add(1, at: Self.closingStart + closing.rawValue) }

  func addResponse(status: Int) {
    switch status {
    case ..<300: add(to: .responses2xx)
    case ..<400: add(to: .responses3xx)
    // What nobody serves here was the client's choice: a method, a coding or a version of HTTP.
    case ..<500, 501, 505: add(to: .responses4xx)
    default: add(to: .responses5xx)
    }
  }

  func value(_ counter: ServerMetrics.Counter) -> Int { words[counter.rawValue].load(ordering: .relaxed) }

  func value(_ closing: ServerClosing) -> Int {
    words[Self.closingStart + closing.rawValue].load(ordering: .relaxed)
  }

  private func add(_ amount: Int, at index: Int) {
    words[index].store(words[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
  }
}
