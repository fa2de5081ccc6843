/// The server that a load is for.
package struct LoadTarget: Hashable, Sendable {
  package var address = LoadAddress.loopback
  package var port: UInt16 = 0
  package var tls = false
  package var http2 = false
  package var host = "localhost"
  package var path = "/.well-known/apple-app-site-association"
  /// Whose processor time is counted.
  package var serverProcesses: [Int] = []
  /// A PEM file that the first connection's certificate has to be in, or nil.
  package var verify: String?
  /// Offers RSA signatures, P-256 and other suites of TLS 1.3 too; a benchmark offers every peer the same one.
  package var offersMoreTLS = false
  /// Connections are of TLS 1.3 with as little work as possible, which most servers take (``TargetProbe``); HTTP/1.1 only.
  package var usesLeanTLS = false

  package init() {}

  /// It is on this machine.
  package var isLoopback: Bool { address.isLoopback }

  /// A request of HTTP/1.1.
  ///
  /// - Parameter closes: The server is asked to close the connection behind its answer.
  package func request(closes: Bool = false) -> [UInt8] {
    let host = host.contains(":") ? "[\(host)]" : host
    return Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(closes ? "Connection: close\r\n" : "")\r\n".utf8)
  }
}
