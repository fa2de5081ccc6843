package import LinkspanCore
package import PushTerms

/// What a rules file (JSON5) says; Documentation/testing-pushes.md describes the format.
package struct RulesDocument: Sendable {
  /// What limits a key that is given elsewhere.
  package struct KeyScope: Sendable {
    package var topics: Set<String>?
    package var environment: PushEnvironment?
  }

  /// What a file held: a document, or findings that say why there is none.
  package enum Result: Sendable {
    case document(RulesDocument)
    /// In the order of their places; never empty.
    case findings([Finding])
  }

  package var rules: [APNsRule] = []
  /// By key identifier.
  package var keys: [String: KeyScope] = [:]
  package var tokens = DeviceTokens()
  package var limits = APNsConfiguration.Limits()
  package var hasBroadcast = true

  /// Reads a rules file.
  package static func parse(_ source: SourceText) -> Result {
    var parser = RulesParser(source)
    let document = parser.document()
    let findings = parser.findings.inReadingOrder()
    if findings.isEmpty, let document { return .document(document) }
    return .findings(findings)
  }

  /// Takes over what the file says; keys that it names and nobody gave are left out.
  package func apply(to configuration: inout APNsConfiguration) {
    configuration.rules = rules
    configuration.limits = limits
    configuration.hasBroadcast = hasBroadcast
    if !tokens.isEmpty || tokens.unlisted != .accepted { configuration.tokens = tokens }
    for index in configuration.keys.indices {
      guard let scope = keys[configuration.keys[index].identifier] else { continue }
      configuration.keys[index].topics = scope.topics
      configuration.keys[index].environment = scope.environment
    }
  }
}
