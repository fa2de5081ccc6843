package import LinkspanCore
package import LinkspanCrypto

/// A provider token: a JWT with which a team's server proves itself to APNs.
///
/// - Source: Apple, "Establishing a token-based connection to APNs"; RFC 7515; RFC 7518, 3.4.
package struct ProviderToken: Hashable, Sendable {
  /// The compact form, without the `bearer` before it. It is a secret for as long as it is valid.
  package let text: String
  package let issuedAt: WallTime
  /// The value of the field `authorization`, made once for many requests.
  let authorization: String

  /// Signs a new token.
  ///
  /// - Parameter now: Becomes `iat`, in whole seconds.
  package init(
    for identity: ProviderKeyIdentity, signedBy key: P256PrivateKey, at now: WallTime
  ) throws(ProviderTokenError) {
    let seconds = now.milliseconds / 1000
    let header = JSON.object([("alg", .string("ES256")), ("kid", .string(identity.key))])
    let claims = JSON.object([("iss", .string(identity.team)), ("iat", .int(Int(seconds)))])
    let signed = Base64URL.text(of: header.bytes) + "." + Base64URL.text(of: claims.bytes)
    let text: String
    do throws(IdentityError) {
      text = signed + "." + Base64URL.text(of: try key.signature(over: Array(signed.utf8)))
    } catch {
      throw .unusableKey(error.message)
    }
    self.text = text
    authorization = "bearer " + text
    issuedAt = WallTime(milliseconds: seconds * 1000)
  }
}
