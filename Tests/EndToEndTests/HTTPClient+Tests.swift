import HTTPClientEngine
import HTTPEngine
import LinkspanCore

extension HTTPClient {
  /// A client that asks one server, whatever the request says.
  convenience init(
    connectTo address: SocketAddress? = nil, deadline: Duration = .seconds(20), bodyBytes: Int? = nil
  ) {
    var configuration = HTTPClientConfiguration()
    configuration.connectTo = address
    configuration.deadlines.request = deadline
    if let bodyBytes { configuration.messages.bodyBytes = bodyBytes }
    self.init(configuration)
  }
}
