package import PushTerms

/// What a client certificate lets its holder do (push notes, 2.1 and 3.2).
package struct ProviderCertificate: Hashable, Sendable {
  /// The topics of its extensions; else the UID of its subject; empty where it names none.
  package var topics: [String]
  /// The topic for a request that names none: the certificate's only one.
  var defaultTopic: String? { topics.count == 1 ? topics[0] : nil }
  /// The environments that it is made for; empty where it does not say, which stands for both.
  package var environments: Set<PushEnvironment>
  /// False for one that is outside its validity or cannot be read.
  package var isUsable: Bool

  package init(
    topics: [String], environments: Set<PushEnvironment> = [], isUsable: Bool = true
  ) {
    self.topics = topics
    self.environments = environments
    self.isUsable = isUsable
  }
}
