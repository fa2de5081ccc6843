import LinkspanCore

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

extension HTTPClient {
  /// A client that asks one server, whatever the request says.
  convenience init(
    connectTo address: SocketAddress? = nil, trust: TLSTrust = .system, deadline: Duration = .seconds(20),
    _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) {
    var configuration = HTTPClientConfiguration(trust: trust)
    configuration.connectTo = address
    configuration.deadlines.request = deadline
    change(&configuration)
    self.init(configuration)
  }
}

extension PendingAnswer {
  /// Waits for the end: what went wrong, or nil where an answer came.
  var failure: HTTPClientError.Kind? {
    do throws(HTTPClientError) {
      _ = try wait()
      return nil
    } catch {
      return error.kind
    }
  }
}
