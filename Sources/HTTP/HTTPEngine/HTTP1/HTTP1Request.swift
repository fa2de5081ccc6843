package import LinkspanCore

/// A request with what HTTP/1 says about the connection beside it.
package struct HTTP1Request: Hashable, Sendable {
  package var request: HTTPRequest
  /// 0 or 1.
  package var minorVersion: Int
  /// The sender allows another request after this one.
  package var keepsAlive: Bool

  package init(request: HTTPRequest, minorVersion: Int = 1, keepsAlive: Bool = true) {
    self.request = request
    self.minorVersion = minorVersion
    self.keepsAlive = keepsAlive
  }

  var version: HTTPVersion { minorVersion == 0 ? .http10 : .http11 }
}
