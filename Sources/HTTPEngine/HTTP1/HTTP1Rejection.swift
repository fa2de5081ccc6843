/// Why a request is refused: the status to answer with, and a sentence for the person who sent it.
///
/// After one of these the connection cannot go on, for nobody knows where the next request would begin.
package struct HTTP1Rejection: Error, Hashable, Sendable {
  package var status: Int
  package var reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  static func malformed(_ reason: String) -> HTTP1Rejection { HTTP1Rejection(400, reason) }
}
