internal import HTTPEngine
internal import LinkspanCore

/// The origins that a client has requests or connections for. Confined to the loop's thread.
///
/// Most requests go where the one before them went, so that one is recognised without reading its authority again.
struct ClientOrigins {
  private var table: [ClientOrigin.Key: ClientOrigin] = [:]
  private let connectTo: [SocketAddress]?
  private var last: (scheme: String, authority: String, origin: ClientOrigin)?

  /// - Parameter connectTo: Where to connect when a request brings no addresses; nil asks the resolver.
  init(connectTo: SocketAddress?) { self.connectTo = connectTo.map { [$0] } }

  /// The origin of a request, or nil when its authority has bytes that do not belong there.
  mutating func origin(of exchange: ClientExchange) -> ClientOrigin? {
    if let last, exchange.call.addresses == nil, last.authority == exchange.call.request.authority,
      last.scheme == exchange.call.request.scheme
    {
      return last.origin
    }
    let call = exchange.call
    let request = call.request
    guard let authority = HTTPAuthority(request.authority) else { return nil }
    let isTLS = request.scheme == "https"
    let key = ClientOrigin.Key(
      isTLS: isTLS, host: authority.host, port: authority.port ?? (isTLS ? 443 : 80),
      addresses: call.addresses ?? connectTo)
    let origin = table[key] ?? ClientOrigin(key)
    table[key] = origin
    if call.addresses == nil { last = (request.scheme, request.authority, origin) }
    return origin
  }

  /// Forgets an origin that has neither requests nor connections.
  mutating func remove(_ origin: ClientOrigin) {
    if last?.origin === origin { last = nil }
    if table[origin.key] === origin { table[origin.key] = nil }
  }
}
