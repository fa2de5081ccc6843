internal import LinkspanCore

/// Where requests of one kind go: their connections, and those that wait for one. Confined to the loop's thread.
final class ClientOrigin {
  struct Key: Hashable {
    var isTLS: Bool
    var host: String
    var port: UInt16
    /// Those given with the request: a connection elsewhere is not for it.
    var addresses: [SocketAddress]?
  }

  let key: Key
  var connections: [ClientConnection] = []
  /// What the last connection spoke.
  var version: HTTPAnswer.Version?
  private var waiting: [ClientExchange] = []
  private var first = 0
  private(set) var waitingCount = 0
  /// Whether the loop has noted that something may be done here.
  var isTouched = false
  /// Whether it waits for a connection to anywhere to end.
  var isStarved = false

  init(_ key: Key) { self.key = key }

  var place: String { "\(key.host):\(key.port)" }

  func append(_ exchange: ClientExchange) {
    exchange.isWaiting = true
    waiting.append(exchange)
    waitingCount += 1
  }

  /// Notes that a request that waits has ended; it is left in its place and passed over.
  func forget(_ exchange: ClientExchange) {
    guard exchange.isWaiting else { return }
    exchange.isWaiting = false
    waitingCount -= 1
  }

  func takeFirst() -> ClientExchange? {
    while first < waiting.count {
      let exchange = waiting[first]
      first += 1
      if first == waiting.count || first >= 1_024 {
        waiting.removeFirst(first)
        first = 0
      }
      guard exchange.isWaiting else { continue }
      exchange.isWaiting = false
      waitingCount -= 1
      return exchange
    }
    return nil
  }

  func takeAll() -> [ClientExchange] {
    var all: [ClientExchange] = []
    while let exchange = takeFirst() { all.append(exchange) }
    return all
  }
}

/// One request from its start to its completion.
///
/// `@unchecked Sendable`: the thread that makes it puts it into the mailbox and lets go of it; from then on it is
/// confined to the loop's thread.
final class ClientExchange: @unchecked Sendable {
  let call: HTTPClient.Call
  private var assigned: ClientOrigin?
  /// Its place in the loop's table, and its name in sessions; -1 in the mailbox.
  private(set) var number = -1
  /// Monotonic nanoseconds.
  private(set) var deadline = Int64.max
  var isWaiting = false
  var connection: ClientConnection?
  /// Whether the connection had carried another request before.
  var isReused = false
  var retryCount = 0

  init(_ call: HTTPClient.Call) { self.call = call }

  /// The loop takes the request out of the mailbox.
  func begin(_ origin: ClientOrigin, number: Int, deadline: Int64) {
    assigned = origin
    self.number = number
    self.deadline = deadline
  }

  /// Only for a request that the loop has begun.
  var origin: ClientOrigin {
    guard let assigned else { preconditionFailure("the request is still in the mailbox") }
    return assigned
  }

  /// Whether sending it twice is no worse than once (RFC 9110, 9.2.2).
  var isIdempotent: Bool {
    switch call.request.method {
    case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE": true
    default: false
    }
  }
}
