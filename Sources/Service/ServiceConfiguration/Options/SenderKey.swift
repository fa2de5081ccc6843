internal import LinkspanCore
package import PushProvider
package import PushTerms

/// A key for provider tokens, and what it is for.
package struct SenderKey: Hashable, Sendable {
  /// The .p8 file.
  package var file: String
  /// Ten characters.
  package var identifier: String
  /// Ten characters.
  package var team: String
  /// Bundle identifiers, or topics with a suffix; empty for the key of all topics that no other key names.
  package var topics: [PushTopic] = []
  /// nil for both.
  package var environment: PushEnvironment?

  package init(file: String, identifier: String, team: String) {
    self.file = file
    self.identifier = identifier
    self.team = team
  }

  package func isFor(_ environment: PushEnvironment) -> Bool {
    self.environment == nil || self.environment == environment
  }

  /// What tells keys apart, also after a reload: the key of all other topics may be replaced by another one.
  package var name: String { topics.isEmpty ? "" : "\(team)/\(identifier)" }
}
