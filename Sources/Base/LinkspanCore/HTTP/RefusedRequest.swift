/// A request that a server refuses by itself, because it is too large, too slow or malformed, or whose
/// handler has not answered in time.
package struct RefusedRequest: Hashable, Sendable {
  /// Empty where it was not read; the same for the target.
  package var method: String
  package var target: String
  /// The status of the response to the refused request.
  package var status: Int
  /// Why, as a clause: in lower case, without a full stop.
  package var reason: String
  /// Whether a handler has the request, and may still do what was asked for.
  package var mayBeDone: Bool

  package init(method: String, target: String, status: Int, reason: String, mayBeDone: Bool = false) {
    self.method = method
    self.target = target
    self.status = status
    self.reason = reason
    self.mayBeDone = mayBeDone
  }
}

/// Says how a refusal is answered; nil leaves it at a line of text. Called as a handler is.
package typealias RefusalForm = @Sendable (RefusedRequest) -> HTTPResponse?
