package import LinkspanCrypto
package import PushTerms

/// A key that provider tokens may be signed with, as the developer account has it (push notes, 3.1).
package struct ProviderKey: Sendable {
  package var identifier: String
  package var team: String
  package var publicKey: P256PublicKey
  /// Of a topic-specific key; nil for a key of the whole team.
  package var topics: Set<String>?
  /// Of a key bound to one; nil for an older one that works in both.
  package var environment: PushEnvironment?

  package init(
    identifier: String, team: String, publicKey: P256PublicKey, topics: Set<String>? = nil,
    environment: PushEnvironment? = nil
  ) {
    self.identifier = identifier
    self.team = team
    self.publicKey = publicKey
    self.topics = topics
    self.environment = environment
  }

  /// Whether its tokens may follow another key's on one connection: topic-specific keys that share a topic.
  ///
  /// Apple says that a key may be related to one other, and not how that is known; a shared topic is ours.
  func isRelated(to other: ProviderKey) -> Bool {
    if identifier == other.identifier { return true }
    guard let topics, let others = other.topics else { return false }
    return !topics.isDisjoint(with: others)
  }
}
