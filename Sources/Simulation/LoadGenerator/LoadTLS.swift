/// The client's side of TLS on one socket of a load.
protocol LoadTLS: AnyObject {
  /// Why the last call failed.
  var failure: LoadFailure.Cause { get }

  /// - Returns: True when done, false when the socket has to have news first, nil when it failed.
  func handshake() -> Bool?

  /// - Returns: Bytes read; 0 at the end; nil when the socket has to have news first; -1 when it failed.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int?

  /// - Returns: Nil, or why the bytes could not be sent whole.
  func write(_ bytes: [UInt8]) -> LoadFailure.Cause?

  /// Called when the socket's news are dealt with, before another session gets its turn.
  func endTurn()
}

/// What carries the connections of a load.
enum LoadSecurity {
  case none
  case lean(LeanTLSContext)
  case full(TLSClientSettings)

  init(_ target: LoadTarget) throws(LoadError) {
    self =
      if !target.tls {
        .none
      } else if target.usesLeanTLS {
        .lean(try LeanTLSContext(host: target.host))
      } else {
        .full(try TLSClientSettings(verify: target.verify, offersMore: target.offersMoreTLS))
      }
  }
}
