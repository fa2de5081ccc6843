internal import LinkspanCore

/// The connection a request came over.
struct RequestOrigin {
  /// Its number in its loop.
  var descriptor: CInt = -1
  var peer: SocketAddress?
  var isEncrypted = false
}

/// What answers a server's requests.
enum RequestAnswering: Sendable {
  case handler(HTTPHandler)
  case responder(HTTPResponder)
}
