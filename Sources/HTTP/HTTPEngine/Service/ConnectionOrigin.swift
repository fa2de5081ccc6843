internal import LinkspanCore

/// The connection that a request came over.
struct ConnectionOrigin {
  /// Its number in its loop.
  var descriptor: CInt = -1
  /// What the responder learns of it.
  var request = RequestOrigin()

  var peer: SocketAddress? { request.peer }
}
