internal import LinkspanCore

/// One of the connections that a server holds, as ``ConnectionLimits`` counts them.
struct ConnectionPlace {
  var control: ServerControl
  var peer: SocketAddress?

  /// Counts one connection less.
  func leave() {
    control.removeConnection()
    if let peer { control.peers.remove(peer) }
  }
}
