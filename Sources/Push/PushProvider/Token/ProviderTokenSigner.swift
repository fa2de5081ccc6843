package import LinkspanCore
package import LinkspanCrypto

/// The one signer of a (team, key) in a process: keeps a token until its safe age, and never makes a second one early.
///
/// APNs refuses a token older than 60 minutes (403 `ExpiredProviderToken`) and a key whose tokens change within 20 minutes (429 `TooManyProviderTokenUpdates`). Ages count from the signing of
/// the last token, not from the start of the process.
package struct ProviderTokenSigner: Sendable {
  /// Apple: refresh no more than once in 20 minutes.
  package static let leastAge = Duration.seconds(20 * 60)
  /// Ours: half-way between the two limits, so that a clock may be 20 minutes off to either side.
  static let usualAge = Duration.seconds(40 * 60)
  /// Ours: so that the processes of a fleet that started together do not sign together for ever.
  static let ageSpread = Duration.seconds(2 * 60)

  package let identity: ProviderKeyIdentity
  private let key: P256PrivateKey
  private var current: ProviderToken?
  /// When ``current`` is replaced.
  private var renewal = WallTime(milliseconds: .min)

  package init(_ identity: ProviderKeyIdentity, key: P256PrivateKey) {
    self.identity = identity
    self.key = key
  }

  /// The token for the next push, signed anew only when the last one has reached its safe age.
  ///
  /// - Parameter generator: Draws the age at which the next one is due: 38 to 42 minutes.
  /// - Throws: ``ProviderTokenError/unusableKey(_:)``.
  package mutating func token(
    at now: WallTime, using generator: inout SeededGenerator
  ) throws(ProviderTokenError) -> ProviderToken {
    // A clock that was set back by much has left a token that lies in the future, which APNs refuses.
    if let current, now < renewal, now.advanced(by: Self.leastAge) >= current.issuedAt { return current }
    return try sign(at: now, using: &generator)
  }

  private mutating func sign(
    at now: WallTime, using generator: inout SeededGenerator
  ) throws(ProviderTokenError) -> ProviderToken {
    let token = try ProviderToken(for: identity, signedBy: key, at: now)
    let spread = Self.ageSpread.wholeMilliseconds
    renewal = now.advanced(by: Self.usualAge + .milliseconds(generator.draw(-spread...spread)))
    current = token
    return token
  }

  /// What follows from a refusal of a token as too old.
  package enum Expiry: Hashable, Sendable {
    /// The next token will be a new one.
    case renewed
    /// The token was young by this machine's clock, so that clock and APNs's disagree.
    case clockSkew(age: Duration)
  }

  /// Takes note that APNs called a token expired: a token of 20 minutes or more is replaced, once.
  ///
  /// - Parameter issuedAt: Of the token that was refused, which may have been replaced meanwhile.
  package mutating func expired(_ issuedAt: WallTime, at now: WallTime) -> Expiry {
    guard let current, current.issuedAt == issuedAt else { return .renewed }
    let age = Duration.milliseconds(now.milliseconds - issuedAt.milliseconds)
    guard age >= Self.leastAge else { return .clockSkew(age: age) }
    renewal = now
    return .renewed
  }
}
