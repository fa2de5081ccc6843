/// A request that a server refuses by itself, because it is too large, too slow or malformed: no handler gets it whole.
package struct RefusedRequest: Hashable, Sendable {
  /// Empty where it was not read; the same for the target.
  package var method: String
  package var target: String
  /// The status of the response to the refused request.
  package var status: Int
  /// Why, as a clause: in lower case, without a full stop.
  package var reason: String

  package init(method: String, target: String, status: Int, reason: String) {
    self.method = method
    self.target = target
    self.status = status
    self.reason = reason
  }
}

/// Says how a refusal is answered; nil leaves it at a line of text. Called as a handler is.
package typealias RefusalForm = @Sendable (RefusedRequest) -> HTTPResponse?
