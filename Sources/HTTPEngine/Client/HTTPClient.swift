internal import Glibc
package import LinkspanCore

/// A blocking HTTP/1.1 client: one request, one connection, no redirects followed.
package struct HTTPClient: Sendable {
  /// Where to connect, whatever the request's authority says; nil asks the system. Name check and Host stay with
  /// the authority (as curl's `--connect-to`).
  package var connectTo: SocketAddress?
  package var trust = TLSTrust.system
  /// For everything from connecting to the last byte. Asking the system for an address cannot be interrupted and
  /// may take longer.
  package var deadline = Duration.seconds(10)
  package var limits = HTTPLimits()
  /// Whether a body that reaches the limit ends there instead of being refused.
  package var cutsBody = false

  package init(
    connectTo: SocketAddress? = nil, trust: TLSTrust = .system, deadline: Duration = .seconds(10),
    limits: HTTPLimits = HTTPLimits()
  ) {
    self.connectTo = connectTo
    self.trust = trust
    self.deadline = deadline
    self.limits = limits
  }

  /// Sends the request and waits for its answer. `Host`, `Content-Length` and `Connection` are set here.
  ///
  /// - Parameter addresses: Where to connect, the first that answers; nil asks ``connectTo``, then the system.
  /// - Throws: ``HTTPClientError``; an answer of any status is an answer.
  package func send(
    _ request: HTTPRequest, to addresses: [SocketAddress]? = nil
  ) throws(HTTPClientError) -> HTTPResponse {
    guard let authority = HTTPAuthority(request.authority), let head = Self.head(of: request) else {
      throw HTTPClientError(
        .unusableRequest, request.authority, "the request has bytes that do not belong there")
    }
    let port = authority.port ?? (request.scheme == "https" ? 443 : 80)
    let place = "\(authority.host):\(port)"
    let candidates: [SocketAddress]
    if let addresses {
      candidates = addresses
    } else if let connectTo {
      candidates = [connectTo]
    } else {
      candidates = try HostResolver.addresses(of: authority.host, port: port)
    }
    let end = ServerClock.system.monotonic().addingReportingOverflow(deadline.nanoseconds)
    let exchange = try ClientConnection.open(
      candidates, place: place, deadline: end.overflow ? .max : end.partialValue)
    if request.scheme == "https" { try exchange.startTLS(host: authority.host, trust) }
    try exchange.write(head + request.body)
    return try exchange.read(HTTP1ResponseParser(method: request.method, limits: limits, cutsBody: cutsBody))
  }

  /// Connects and says nothing: whether somebody listens there.
  ///
  /// - Throws: ``HTTPClientError``, when nobody does.
  package static func reach(_ address: SocketAddress, within time: Duration) throws(HTTPClientError) {
    let end = ServerClock.system.monotonic().addingReportingOverflow(time.nanoseconds)
    _ = try ClientConnection.open(
      [address], place: "\(address)", deadline: end.overflow ? .max : end.partialValue)
  }

  /// The request's header section, or nil when something in it would not be read as it is meant.
  static func head(of request: HTTPRequest) -> [UInt8]? {
    guard HTTPSyntax.isToken(request.method.utf8), !request.target.isEmpty,
      request.target.utf8.allSatisfy(HTTPSyntax.isTarget)
    else { return nil }
    var head = Array("\(request.method) \(request.target) HTTP/1.1\r\nHost: \(request.authority)\r\n".utf8)
    for field in request.fields.list {
      guard HTTPSyntax.isToken(field.name.utf8), field.value.utf8.allSatisfy(HTTPSyntax.isFieldValue) else {
        return nil
      }
      switch ASCII.lowercased(field.name) {
      case "host", "content-length", "connection", "transfer-encoding": continue
      default: head.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8)
      }
    }
    if !request.body.isEmpty || request.method == "POST" || request.method == "PUT" {
      head.append(contentsOf: "Content-Length: \(request.body.count)\r\n".utf8)
    }
    head.append(contentsOf: "Connection: close\r\n\r\n".utf8)
    return head
  }
}
