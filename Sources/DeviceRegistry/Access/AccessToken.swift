package import LinkspanCore

/// A credential of the API as it is stored: without its secret.
package struct AccessToken: Hashable, Sendable {
  /// Public; names the credential in the audit log.
  package var identifier: String
  /// SHA-256 of the secret, in hexadecimal digits. The secret has 256 random bits, so a slow hash would add nothing.
  package var secretHash: String
  package var name: String?
  package var scopes: Set<AccessScope>
  /// The topics it is for; empty for every topic.
  package var topics: [String]
  package var createdAt: WallTime
  package var expiresAt: WallTime?
  package var revokedAt: WallTime?

  package init(
    identifier: String, secretHash: String, name: String? = nil, scopes: Set<AccessScope>, topics: [String],
    createdAt: WallTime, expiresAt: WallTime? = nil, revokedAt: WallTime? = nil
  ) {
    self.identifier = identifier
    self.secretHash = secretHash
    self.name = name
    self.scopes = scopes
    self.topics = topics
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
  }

  package func allows(_ scope: AccessScope) -> Bool { scopes.contains(scope) }

  package func allows(topic: String) -> Bool { topics.isEmpty || topics.contains(topic) }

  package func isValid(at now: WallTime) -> Bool {
    revokedAt == nil && (expiresAt.map { now < $0 } ?? true)
  }
}

/// The text of a credential, which a client sends: `lsp_IDENTIFIER_SECRET`. It is shown once and never stored.
package struct AccessTokenText: Sendable {
  package static let prefix = "lsp_"
  /// Random bytes that a new credential takes.
  package static let randomCount = identifierCount + secretCount
  private static let identifierCount = 8
  private static let secretCount = 32

  package let identifier: String
  private let secret: String

  /// Makes a new one.
  ///
  /// - Parameter random: ``randomCount`` bytes from the system's generator for secrets.
  package init(random: [UInt8]) {
    precondition(random.count == Self.randomCount, "a credential takes that many random bytes")
    identifier = ASCII.hexText(random.prefix(Self.identifierCount))
    secret = ASCII.hexText(random.suffix(Self.secretCount))
  }

  /// - Returns: nil for a text that is no credential.
  package init?(_ text: some StringProtocol) {
    guard text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count).split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 2 * Self.identifierCount,
      parts[1].utf8.count == 2 * Self.secretCount,
      parts.allSatisfy({ $0.utf8.allSatisfy { ASCII.hexValue($0) != nil } })
    else { return nil }
    identifier = ASCII.lowercased(parts[0])
    secret = ASCII.lowercased(parts[1])
  }

  /// What the client sends.
  package var text: String { "\(Self.prefix)\(identifier)_\(secret)" }

  package var secretHash: String { SHA256.hexDigest(of: Array(secret.utf8)) }

  /// Whether it is this credential's text. Takes the same time wherever the two differ; without a credential it does the
  /// same work and says no.
  package func proves(_ token: AccessToken?) -> Bool {
    let expected = Array((token?.secretHash ?? Self.noHash).utf8)
    let found = Array(secretHash.utf8)
    guard expected.count == found.count else { return false }
    var difference: UInt8 = token == nil ? 1 : 0
    for index in expected.indices { difference |= expected[index] ^ found[index] }
    return difference == 0
  }

  private static let noHash = String(repeating: "0", count: 64)
}
