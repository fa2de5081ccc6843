internal import HTTPTransport

/// Makes what carries a connection's bytes: TCP, or TLS over it. Confined to the loop's thread.
struct ClientTransports {
  private let readAhead = ReadAhead()
  private let trust: TLSTrust
  private let demandsAsApple: Bool
  private let identity: TLSIdentity?
  private let applicationProtocols: [String]
  private var loaded: Result<TLSClientTrust, TLSError>?

  init(_ configuration: HTTPClientConfiguration) {
    trust = configuration.trust
    demandsAsApple = configuration.demandsAsApple
    identity = configuration.identity
    applicationProtocols =
      switch configuration.protocols {
      case .negotiated: ["h2", "http/1.1"]
      case .http1: ["http/1.1"]
      case .http2: ["h2"]
      }
  }

  /// - Throws: ``TLSError`` when the authorities to trust cannot be loaded, or the library is out of memory.
  mutating func make(_ socket: Socket, to key: ClientOrigin.Key) throws(TLSError) -> any Transport {
    guard key.isTLS else { return PlainTransport(socket) }
    return try TLSTransport(
      client: socket, host: key.host, try loadedTrust(), applicationProtocols: applicationProtocols,
      readAhead: readAhead)
  }

  /// Loaded when it is first needed, and once.
  private mutating func loadedTrust() throws(TLSError) -> TLSClientTrust {
    if let loaded { return try loaded.get() }
    let result: Result<TLSClientTrust, TLSError>
    do throws(TLSError) {
      result = .success(try TLSClientTrust(trust, identity: identity, demandsAsApple: demandsAsApple))
    } catch {
      result = .failure(error)
    }
    loaded = result
    return try result.get()
  }
}
