internal import HTTPEngine
internal import LinkspanCore
internal import LinkspanServer

/// An exchange on its way to the access log.
struct AccessRecord: Sendable {
  var exchange: ServerExchange
  /// Milliseconds since 1970.
  var time: Int64

  /// What the log says of it.
  ///
  /// - Parameter hash: What stands for device tokens.
  func line(_ clients: ForwardedClient, _ hash: KeyedHash) -> AccessLogLine {
    AccessLogLine(
      time: WallTime(milliseconds: time), request: exchange.request, status: exchange.status,
      bodyBytes: exchange.bodyBytes, durationMicroseconds: Int(exchange.durationNanoseconds / 1_000),
      version: exchange.version.rawValue,
      peer: clients.client(of: exchange.request, peer: exchange.peer)?.unmapped.host, hash: hash)
  }
}
