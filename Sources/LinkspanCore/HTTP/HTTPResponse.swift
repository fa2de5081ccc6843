/// A response as a value: what a handler gives back.
package struct HTTPResponse: Hashable, Sendable {
  /// 200...599; interim answers (1xx) belong to the engine.
  package var status: Int { didSet { prepared = nil } }
  package var fields: HTTPFields { didSet { prepared = nil } }
  package var body: [UInt8] { didSet { prepared = nil } }

  /// The identity of a response that was made beforehand; nil for one made for its request, or changed since.
  package private(set) var prepared: PreparedIdentity?

  package init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The same response, with an identity by which an engine may keep its bytes from one request to the next.
  package func preparedForUse() -> HTTPResponse {
    var response = self
    response.prepared = PreparedIdentity()
    return response
  }

  /// Status, fields and body; how a response came about is no part of its value.
  package static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
    left.status == right.status && left.fields == right.fields && left.body == right.body
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(status)
    hasher.combine(fields)
    hasher.combine(body)
  }

  /// A short answer in plain text, ending in a newline.
  package static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Array((text + "\n").utf8))
  }
}

/// Tells one prepared response from all others, for as long as anybody holds it.
package final class PreparedIdentity: Sendable {
  fileprivate init() {}
}

/// A server is a function from request to response.
package typealias HTTPHandler = @Sendable (HTTPRequest) -> HTTPResponse
