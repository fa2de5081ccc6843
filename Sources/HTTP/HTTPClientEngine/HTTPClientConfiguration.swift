package import HTTPEngine
package import HTTPTransport
package import LinkspanCore

/// Whom a client believes, how long it waits and how much it takes.
package struct HTTPClientConfiguration: Sendable {
  /// Which protocol a connection speaks.
  package enum Protocols: Sendable {
    /// Over TLS what the server chooses of HTTP/2 and HTTP/1.1 (ALPN), else HTTP/1.1.
    case negotiated
    case http1
    /// HTTP/2 and nothing else: in cleartext with prior knowledge (RFC 9113, 3.3), and over TLS also to a server that
    /// chooses no protocol, as Apple's push service does.
    case http2
  }

  package var trust = TLSTrust.system
  /// Whether a certificate is also refused that Apple's systems refuse: for what answers in their place.
  package var demandsAsApple = false
  /// Shown to a server that asks for a certificate; nil shows none.
  package var identity: TLSIdentity?
  package var protocols = Protocols.negotiated
  /// Where to connect, whatever the request's authority says; nil asks ``resolve``. Name check and Host stay with
  /// the authority (as curl's `--connect-to`).
  package var connectTo: SocketAddress?
  /// Whether an address may be connected to. Every address of a host has to be permitted, those given with the
  /// request included, before a connection to any of them is begun.
  package var permits: @Sendable (SocketAddress) -> Bool = { _ in true }
  /// Finds the addresses of a host; called on a thread of its own, so that it may wait.
  package var resolve: @Sendable (_ host: String, _ port: UInt16) throws(HTTPClientError) -> [SocketAddress] =
    HostResolver.addresses
  package var deadlines = ClientDeadlines()
  package var messages = HTTPLimits()
  /// Whether a body that reaches the limit ends there instead of being refused.
  package var cutsBody = false
  package var limits = ClientLimits()
  package var http2 = HTTP2ClientLimits()
  /// How often a request is sent again that a server has not acted upon, or that an idle connection lost when it was
  /// closed in the same moment and the method allows it (RFC 9110, 9.2.2).
  package var retries = 2
  /// Whether there is one connection and none after it: what comes behind its end fails with
  /// ``HTTPClientError/Kind/notProcessed``. For callers that choose connections themselves.
  package var isSingleConnection = false
  /// Told what happens to connections beside answers; called on the client's thread, and must not wait.
  package var onEvent: (@Sendable (HTTPClientEvent) -> Void)?
  /// Names, in lower case, of fields whose values differ from request to request: in HTTP/2 they go into the server's
  /// table of fields once on a connection (RFC 7541, 6.2.3).
  package var indexedOnce: [String] = []
  package var clock = ServerClock.system

  package init(trust: TLSTrust = .system) { self.trust = trust }
}

/// What happens to a connection beside its answers.
package enum HTTPClientEvent: Hashable, Sendable {
  /// The server's SETTINGS allow so many requests at a time.
  case streamLimit(Int)
  /// The server takes no new request on a connection (GOAWAY).
  case leaving(HTTP2GoAway)
  /// A connection has ended, or did not come about. Requests on it have had their outcome.
  case ended

  init(_ news: ClientSessionNews) {
    switch news {
    case .streamLimit(let limit): self = .streamLimit(limit)
    case .leaving(let goAway): self = .leaving(goAway)
    }
  }
}

/// How many connections and requests a client holds. The defaults are guesses.
package struct ClientLimits: Hashable, Sendable {
  /// Connections of HTTP/1.1 to one origin.
  package var connectionsPerOrigin = 6
  /// Connections of HTTP/2 to one origin.
  package var http2ConnectionsPerOrigin = 1
  /// All together; above it idle ones close, and requests wait.
  package var connections = 256
  /// Requests to one origin that wait for a connection; one above it fails.
  package var waitingRequests = 65_536
  /// Bytes of requests waiting to be taken by a connection; one request may be larger.
  package var outputBytes = 262_144

  package init() {}
}

/// How long a server may take. A deadline fires up to a quarter of a second late.
package struct ClientDeadlines: Hashable, Sendable {
  /// For a request from beginning to end, whatever it waits for, unless it brings its own.
  package var request = Duration.seconds(10)
  /// From sending the request to the end of its answer.
  package var answer = Duration.seconds(60)
  /// For finding the addresses and connecting to one of them.
  package var connect = Duration.seconds(10)
  /// For the TLS handshake.
  package var handshake = Duration.seconds(10)
  /// For which a connection without a request is kept.
  package var idle = Duration.seconds(60)
  /// After which a server is asked with PING whether it is still there, when requests are under way and nothing at all
  /// comes from it; nil for never.
  package var silence: Duration?
  /// For a sign of life after PING; without it the connection is given up.
  package var pong = Duration.seconds(10)
  /// After which the next address is tried beside one that is silent; RFC 8305, 8 recommends 250 ms.
  package var nextAddress = Duration.milliseconds(250)

  package init() {}
}
