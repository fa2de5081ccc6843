internal import LinkspanCore
internal import LinkspanCrypto

/// Reads and verifies provider tokens (RFC 7519, RFC 7518), and remembers what the last ones were: a sender uses one token
/// for thousands of pushes.
package struct ProviderTokens: Sendable {
  /// A token whose signature is right. Its age is judged anew with every request.
  package final class Token: Sendable {
    let text: String
    let key: ProviderKey
    let issuedAt: WallTime

    init(_ text: String, key: ProviderKey, issuedAt: WallTime) {
      self.text = text
      self.key = key
      self.issuedAt = issuedAt
    }
  }

  /// Apple: a token more than one hour old is refused.
  static let greatestAge = Duration.seconds(60 * 60)
  /// Ours: how far ahead the sender's clock may be (push notes, 11, 51).
  static let greatestSkew = Duration.seconds(5 * 60)
  /// Ours: many times what a token has.
  private static let limitBytes = 4_096
  /// Ours: more senders than one stand-in has.
  private static let rememberedCount = 256

  private let keys: [String: ProviderKey]
  private var remembered: [String: Token?] = [:]

  package init(_ keys: [ProviderKey]) {
    self.keys = Dictionary(keys.map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
  }

  /// - Returns: Nil for a text that is no token of a known key and team with a right signature.
  package mutating func token(_ text: String) -> Token? {
    if let known = remembered[text] { return known }
    let token = verified(text)
    if remembered.count >= Self.rememberedCount { remembered.removeAll(keepingCapacity: true) }
    remembered[text] = .some(token)
    return token
  }

  private func verified(_ text: String) -> Token? {
    guard text.utf8.count <= Self.limitBytes else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Base64URL.bytes(of: parts[2]), header["alg"]?.string == "ES256",
      let key = header["kid"]?.string.flatMap({ keys[$0] }), claims["iss"]?.string == key.team,
      let issuedAt = claims["iat"].flatMap(Self.time)
    else { return nil }
    let signed = Array(text.utf8.prefix(parts[0].count + 1 + parts[1].count))
    guard key.publicKey.verifies(signature, over: signed) else { return nil }
    return Token(text, key: key, issuedAt: issuedAt)
  }

  private static func object(_ part: Substring.UTF8View) -> JSONNode? {
    guard let bytes = Base64URL.bytes(of: part) else { return nil }
    let document = JSONParser.parse(bytes)
    return document.isWellFormed && document.root?.object != nil ? document.root : nil
  }

  /// `iat` as senders in the field write it: a number or a string, in seconds or, where that is too large, milliseconds
  /// (push notes, 11, 50). A fraction of a second, which Python's clock has, is dropped.
  private static func time(_ node: JSONNode) -> WallTime? {
    let text: String
    switch node.value {
    case .number(let digits), .string(let digits): text = digits
    default: return nil
    }
    let whole = text.prefix { $0 != "." }
    guard text.dropFirst(whole.count + 1).utf8.allSatisfy(ASCII.isDigit), let number = Int64(whole),
      (0...253_402_300_799_999).contains(number)
    else { return nil }
    return WallTime(milliseconds: number > 100_000_000_000 ? number : number * 1000)
  }
}
