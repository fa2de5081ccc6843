internal import LinkspanCore
internal import RegistryRequests

/// The credentials that requests came with lately, so that most requests ask the store for none.
final class AccessCache: Sendable {
  /// How long a revoked credential may still be let in. Ours.
  static let lifetimeMilliseconds: Int64 = 5_000
  /// Ours; bounds memory.
  private static let limit = 10_000

  private let tokens = LockedState<[String: (token: AccessToken, time: WallTime)]>([:])

  func token(_ identifier: String, at now: WallTime) -> AccessToken? {
    tokens.withLock { tokens in
      guard let entry = tokens[identifier],
        (0..<Self.lifetimeMilliseconds).contains(now.milliseconds - entry.time.milliseconds)
      else { return nil }
      return entry.token
    }
  }

  func keep(_ token: AccessToken, at now: WallTime) {
    tokens.withLock { tokens in
      if tokens.count >= Self.limit { tokens = [:] }
      tokens[token.identifier] = (token, now)
    }
  }
}
