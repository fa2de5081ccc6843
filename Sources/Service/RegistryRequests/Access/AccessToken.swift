package import LinkspanCore
internal import PushProvider

/// A credential of the API as it is stored: without its secret.
package struct AccessToken: Hashable, Sendable {
  /// Public; names the credential in the audit log.
  package var identifier: String
  /// SHA-256 of the secret, in hexadecimal digits. The secret has 256 random bits, so a slow hash would add nothing.
  package var secretHash: String
  package var name: String?
  package var scopes: Set<AccessScope>
  /// The topics it is for, as they were named; empty for every topic. A bundle identifier stands for its topics with each suffix.
  package var topics: [String]
  /// The hosts whose files it may publish, in lower case; nil for every host, which no stored credential has.
  package var hosts: [String]?
  package var createdAt: WallTime
  package var expiresAt: WallTime?
  package var revokedAt: WallTime?

  package init(
    identifier: String, secretHash: String, name: String? = nil, scopes: Set<AccessScope>, topics: [String],
    hosts: [String]? = nil, createdAt: WallTime, expiresAt: WallTime? = nil, revokedAt: WallTime? = nil
  ) {
    self.identifier = identifier
    self.secretHash = secretHash
    self.name = name
    self.scopes = scopes
    self.topics = topics
    self.hosts = hosts
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
  }

  package func allows(_ scope: AccessScope) -> Bool { scopes.contains(scope) }

  package func allows(topic: String) -> Bool {
    topics.isEmpty || topics.contains(topic) || topics.contains(PushTopic.parts(of: topic).bundle)
  }

  /// The topics it is for, with each suffix; nil for every topic.
  package var allTopics: [String]? {
    topics.isEmpty ? nil : topics.flatMap { topic in PushTopic(topic)?.family.map(\.text) ?? [topic] }
  }

  /// Topics as a text, in order; a bundle identifier among them stands for those with a suffix.
  package static func text(_ topics: [String]) -> String {
    topics.filter { topic in
      let bundle = PushTopic.parts(of: topic).bundle
      return bundle == topic || !topics.contains(bundle)
    }.sorted().joined(separator: ", ")
  }

  /// - Parameter host: As ``IDNA/named(_:)`` has it. A credential of before may be for `example.com.`, which is `example.com`.
  package func allows(host: String) -> Bool { hosts.map { $0.contains { IDNA.named($0) == host } } ?? true }

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
  /// In lower-case hexadecimal digits.
  private let secret: [UInt8]

  /// Makes a new one.
  ///
  /// - Parameter random: ``randomCount`` bytes from the system's generator for secrets.
  package init(random: [UInt8]) {
    precondition(random.count == Self.randomCount, "a credential takes that many random bytes")
    identifier = ASCII.hexText(random.prefix(Self.identifierCount))
    secret = Array(ASCII.hexText(random.suffix(Self.secretCount)).utf8)
  }

  /// - Returns: nil for a text that is no credential.
  package init?(_ text: String) {
    self.init(bytes: Array(text.utf8)[...])
  }

  /// Every request brings one, so this looks at bytes.
  ///
  /// - Returns: nil for bytes that are no credential.
  package init?(bytes: ArraySlice<UInt8>) {
    let identifierEnd = Self.prefix.utf8.count + 2 * Self.identifierCount
    guard bytes.count == identifierEnd + 1 + 2 * Self.secretCount, bytes.starts(with: Self.prefix.utf8) else {
      return nil
    }
    let identifier = bytes.prefix(identifierEnd).dropFirst(Self.prefix.utf8.count)
    let rest = bytes.dropFirst(identifierEnd)
    guard rest.first == UInt8(ascii: "_"), Self.isHexadecimal(identifier),
      Self.isHexadecimal(rest.dropFirst())
    else { return nil }
    self.identifier = String(decoding: identifier.map { ASCII.lowercased($0) }, as: UTF8.self)
    secret = rest.dropFirst().map { ASCII.lowercased($0) }
  }

  private static func isHexadecimal(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.allSatisfy { ASCII.hexValue($0) != nil }
  }

  /// What the client sends.
  package var text: String { "\(Self.prefix)\(identifier)_\(String(decoding: secret, as: UTF8.self))" }

  package var secretHash: String { SHA256.hexDigest(of: secret) }

  /// Whether it is this credential's text. Takes the same time wherever the two differ; without a credential it does the
  /// same work and says no.
  package func proves(_ token: AccessToken?) -> Bool {
    var expected = token?.secretHash ?? Self.noHash
    var found = secretHash
    return expected.withUTF8 { expected in
      found.withUTF8 { found in
        guard expected.count == found.count else { return false }
        var difference: UInt8 = token == nil ? 1 : 0
        for index in expected.indices { difference |= expected[index] ^ found[index] }
        return difference == 0
      }
    }
  }

  private static let noHash = String(repeating: "0", count: 64)
}
