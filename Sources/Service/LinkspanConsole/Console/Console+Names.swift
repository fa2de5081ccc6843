internal import LinkspanCore
internal import RegistryServer

/// Who did something, as pages say it.
extension Console {
  /// How old names may be. Ours.
  private static let nameAge = Duration.seconds(5)

  /// A person or a credential: a credential by the name that somebody gave it, with the identifier that logs have.
  func who(_ actor: String) -> Markup {
    credentialNames()[actor].map { "\($0) <span class=\"soft\">(\(actor))</span>" } ?? "\(actor)"
  }

  /// The names of credentials by identifier, a few seconds old at most: many pages ask.
  private func credentialNames() -> [String: String] {
    guard let registry = system.registry() else { return [:] }
    let now = system.uptime()
    let known = names.withLock { $0 }
    if let known, now - known.at < Self.nameAge { return known.names }
    // A store that does not answer is told of in the strip; identifiers do until then.
    let found = (try? registry.credentialNames()) ?? known?.names ?? [:]
    names.withLock { $0 = (now, found) }
    return found
  }
}
