package import HTTPTransport
package import LinkspanCore

/// Where a server listens and what it puts up with.
package struct HTTPServerConfiguration: Sendable {
  /// One address to listen on.
  package struct Listener: Sendable {
    /// Port 0 takes a free one, which ``HTTPServer/addresses`` tells.
    package var address: SocketAddress
    /// Nil for plain HTTP.
    package var credentials: TLSCredentials?
    /// A socket that listens already, in the place of ``address``: a service manager's. It stays the caller's; the
    /// server listens on copies, all loops on the same queue, and leaves what waits there at its end to the next one.
    package var descriptor: Int32?

    package init(
      _ address: SocketAddress = .loopback(), credentials: TLSCredentials? = nil, descriptor: Int32? = nil
    ) {
      self.address = address
      self.credentials = credentials
      self.descriptor = descriptor
    }
  }

  package var listeners: [Listener]
  package var messages = HTTPLimits()
  package var connections = ConnectionLimits()
  package var http2 = HTTP2Limits()
  package var deadlines = ServerDeadlines()
  package var offload = OffloadLimits()
  package var clock = ServerClock.system

  /// Loops, each with a thread and a listening socket of its own. Nil is one for each core that this process may use
  /// (`sched_getaffinity`), so that under `taskset -c 0` there is one.
  package var loops: Int?

  /// The form of what the server refuses by itself; nil is a line of text.
  package var refusalForm: RefusalForm?

  /// Told of every exchange; nil costs nothing.
  package var observer: ServerObserver?

  /// The same with one observer for each loop, by its number from 0: what it keeps is touched by one thread only.
  package var loopObserver: (@Sendable (_ loop: Int) -> ServerObserver)?

  /// Called once, when the first call or signal asks the server to stop; on whichever thread that was.
  package var whenStopping: (@Sendable () -> Void)?

  /// Signals (`SIGINT`, `SIGTERM`) that stop the server like ``HTTPServer/stop()``; a second one drops what is still
  /// in flight. They are blocked in the threads of ``HTTPServer/run()`` while it runs; other threads of the process
  /// have to block them as well, or the first one to get it dies of it.
  package var stopSignals: [Int32] = []

  package init(listeners: [Listener] = [Listener()]) { self.listeners = listeners }
}

/// How many connections are held, and how much for each. The defaults are guesses.
package struct ConnectionLimits: Hashable, Sendable {
  /// Of all loops together. At the limit the connection that was idle longest on the newcomer's loop makes room, and where
  /// there is none the newcomer is closed at once.
  package var total = 16_384
  /// From one IPv4 address or one IPv6 network of 64 bits, on all loops together; a connection above it is closed at
  /// once.
  package var perAddress = 1_024
  /// Waiting for one loop to accept them; the kernel lowers it to `net.core.somaxconn`.
  package var backlog: Int32 = 4_096
  /// Answers waiting to be taken; above it no further request is read. One answer may be larger.
  package var outputBytes = 262_144
  /// Bodies of requests that are kept, of all connections of all loops together; a request that would pass it is
  /// answered 503. Counted from a piece's arrival to the answer. A guess: sixteen of the largest.
  package var bodyBytes = 16_777_216
  /// Read and thrown away after a refusal, so that the refusal arrives.
  package var discardedBytes = 1_048_576

  package init() {}
}

/// How long a peer may take. The defaults are guesses on the patient side; a deadline fires up to a quarter of a
/// second late.
package struct ServerDeadlines: Hashable, Sendable {
  /// From accepting to the end of the TLS handshake.
  package var handshake = Duration.seconds(10)
  /// From a request's first byte to the end of its header section; also for the first byte of a connection.
  package var header = Duration.seconds(10)
  /// From the end of the header section to the end of the body.
  package var body = Duration.seconds(30)
  /// Between two requests.
  package var idle = Duration.seconds(60)
  /// For each 64 KB of answers to be taken.
  package var write = Duration.seconds(30)
  /// For a request on an idle connection of HTTP/1.1 after ``HTTPServer/stop()``: it may be on its way already, and
  /// closing at once would fail it. HTTP/2 can tell its peers to stop (GOAWAY) and doesn't need it.
  package var lastRequest = Duration.seconds(1)
  /// For the peer to close after a refusal.
  package var close = Duration.seconds(2)
  /// From a request whose answer is not there at once (``HTTPReply/offload(_:)``, ``HTTPReply/later(_:)``) to its answer;
  /// above it the answer is 503.
  package var handler = Duration.seconds(30)
  /// For everything in flight to end after ``HTTPServer/stop()``.
  package var stop = Duration.seconds(10)

  package init() {}
}
