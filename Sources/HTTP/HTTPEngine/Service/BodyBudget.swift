internal import LinkspanCore
internal import Synchronization

/// What a responder does once the body of a request is there (``HTTPReply/afterBody(limitBytes:_:)``).
struct BodyContinuation {
  var limitBytes: Int
  var reply: @Sendable (HTTPRequest) -> HTTPReply
}

/// Bytes of request bodies that all connections of a server hold together.
///
/// Touched for pieces of bodies only: a request without one costs nothing here.
final class BodyBudget: Sendable {
  private let limitBytes: Int
  private let held = Atomic(0)

  /// - Parameter limitBytes: ``ConnectionLimits/bodyBytes``.
  init(limitBytes: Int) { self.limitBytes = limitBytes }

  /// Reserves room for a piece that came.
  ///
  /// - Returns: False, with nothing reserved, when the piece would exceed the limit.
  func reserve(_ bytes: Int) -> Bool {
    if held.add(bytes, ordering: .relaxed).newValue <= limitBytes { return true }
    free(bytes)
    return false
  }

  func free(_ bytes: Int) { held.subtract(bytes, ordering: .relaxed) }
}
