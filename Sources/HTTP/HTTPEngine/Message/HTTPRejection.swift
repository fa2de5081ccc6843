/// Why a request is refused: the status to answer with, and a sentence for the person who sent it.
///
/// After one of these an HTTP/1.1 connection cannot go on, for nobody knows where the next request would begin; an
/// HTTP/2 connection can, for only the stream is lost.
package struct HTTPRejection: Error, Hashable, Sendable {
  package var status: Int
  package var reason: String

  init(_ status: Int, _ reason: String) { (self.status, self.reason) = (status, reason) }

  static func malformed(_ reason: String) -> HTTPRejection { HTTPRejection(400, reason) }

  static func bodyTooLarge(_ limitBytes: Int) -> HTTPRejection {
    HTTPRejection(413, "the body is larger than \(limitBytes) bytes")
  }

  static let tooManyBodies = HTTPRejection(503, "too many request bodies are being received")
  /// 503 and not 504, which is about other servers behind this one: it says that trying again later may help.
  static let tooManyAwaited = HTTPRejection(503, "too many requests are waiting")
  static let tooSlow = HTTPRejection(
    503, "the answer took too long; what was asked for may be done all the same")
}
