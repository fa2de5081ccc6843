package import LinkspanCore
package import LinkspanCrypto

/// A provider token as a verifier reads it, by the bytes that came.
package struct ReceivedProviderToken: Sendable {
  /// Ours: many times what a token has.
  package static let limitBytes = 4_096
  /// Apple: a token more than one hour old is refused.
  package static let greatestAge = Duration.seconds(60 * 60)
  /// Ours: how far ahead the sender's clock may be.
  package static let greatestSkew = Duration.seconds(5 * 60)

  package let algorithm: String
  /// `kid`.
  package let key: String
  /// `iss`.
  package let team: String
  /// `iat`: a number or a string, in seconds or, when it is too large for that, milliseconds; senders in the field do all of it.
  package let issuedAt: WallTime
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// - Returns: nil for a text that is no token with the header and the claims of a provider's.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.limitBytes else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Base64URL.bytes(of: parts[2]), let algorithm = header["alg"]?.string,
      let key = header["kid"]?.string, let team = claims["iss"]?.string,
      let issued = claims["iat"].flatMap(Self.time)
    else { return nil }
    self.algorithm = algorithm
    self.key = key
    self.team = team
    issuedAt = issued
    self.signature = signature
    signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
  }

  private static func object(_ part: Substring.UTF8View) -> JSONNode? {
    guard let bytes = Base64URL.bytes(of: part) else { return nil }
    let document = JSONParser.parse(bytes)
    return document.isWellFormed && document.root?.object != nil ? document.root : nil
  }

  private static func time(_ node: JSONNode) -> WallTime? {
    // Milliseconds of the year 9999 are the largest that anybody can mean.
    guard let number = node.int ?? node.string.flatMap({ Int($0) }),
      (0...253_402_300_799_999).contains(number)
    else { return nil }
    if number > 100_000_000_000 { return WallTime(milliseconds: Int64(number)) }
    return WallTime(milliseconds: Int64(number) * 1000)
  }

  /// What a verifier says of a token.
  package enum Verdict: String, Hashable, Sendable {
    case valid
    /// Everything but the signature was checked: a token that anybody made may be among these.
    case unverified
    /// Another algorithm than ES256, another key, or a signature that is not by the key.
    case invalidSignature = "invalid-signature"
    case expired
    /// Issued later than the verifier's clock allows.
    case future
  }

  /// - Parameter publicKey: nil leaves the signature unverified, and so no token is ``Verdict/valid``.
  package func verdict(by publicKey: P256PublicKey?, at now: WallTime) -> Verdict {
    guard algorithm == "ES256", publicKey?.verifies(signature, over: signed) ?? true else {
      return .invalidSignature
    }
    if issuedAt > now.advanced(by: Self.greatestSkew) { return .future }
    if now > issuedAt.advanced(by: Self.greatestAge) { return .expired }
    return publicKey == nil ? .unverified : .valid
  }
}
