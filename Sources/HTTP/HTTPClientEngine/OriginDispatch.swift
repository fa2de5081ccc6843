internal import LinkspanCore

/// Which origins something may be done for, and how many connections each may have. Confined to the loop's thread.
struct OriginDispatch {
  private var origins: ClientOrigins
  private var touched: [ClientOrigin] = []
  private var starved: [ClientOrigin] = []
  private let protocols: HTTPClientConfiguration.Protocols
  private let limits: ClientLimits

  init(_ configuration: HTTPClientConfiguration) {
    origins = ClientOrigins(connectTo: configuration.connectTo)
    protocols = configuration.protocols
    limits = configuration.limits
  }

  /// Nothing is to be done for any origin.
  var isSettled: Bool { touched.isEmpty }

  /// The origin of a request, or nil when its authority has bytes that do not belong there.
  mutating func origin(of exchange: ClientExchange) -> ClientOrigin? { origins.origin(of: exchange) }

  /// Forgets an origin that has neither requests nor connections.
  mutating func remove(_ origin: ClientOrigin) { origins.remove(origin) }

  /// Notes that a request has come for an origin, or that one of its connections may have room.
  mutating func touch(_ origin: ClientOrigin) {
    guard !origin.isTouched else { return }
    origin.isTouched = true
    touched.append(origin)
  }

  mutating func takeTouched() -> [ClientOrigin] {
    let taken = touched
    touched = []
    for origin in taken { origin.isTouched = false }
    return taken
  }

  /// Notes that an origin has to wait for a connection to anywhere to end.
  mutating func starve(_ origin: ClientOrigin) {
    guard !origin.isStarved else { return }
    origin.isStarved = true
    starved.append(origin)
  }

  /// A connection has ended.
  mutating func touchStarved() {
    for origin in starved {
      origin.isStarved = false
      touch(origin)
    }
    starved = []
  }

  /// One connection carries many requests in HTTP/2, and the first one to a server tells whether it speaks that.
  func connectionLimit(of origin: ClientOrigin) -> Int {
    switch protocols {
    case .http1: return limits.connectionsPerOrigin
    case .http2: return limits.http2ConnectionsPerOrigin
    case .negotiated:
      guard origin.key.isTLS else { return limits.connectionsPerOrigin }
      switch origin.version {
      case nil: return 1
      case .http1: return limits.connectionsPerOrigin
      case .http2: return limits.http2ConnectionsPerOrigin
      }
    }
  }
}
