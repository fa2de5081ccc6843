package import LinkspanCore

/// What people told another server about hosts, where the folder here says something else yet.
extension Publisher {
  struct Elsewhere: Sendable {
    /// Digests of files that somebody approved, by the host's key.
    var approved: [String: String] = [:]
    /// Keys of hosts whose removal somebody confirmed.
    var removed: Set<String> = []
  }

  /// Takes an approval that another server was given. Where the same files are held here, they are served; else they are
  /// when they come.
  ///
  /// - Returns: What became of the host; nil when nothing changes now.
  package mutating func approveElsewhere(_ site: AssociationSite, at now: WallTime) -> PublicationOutcome? {
    let key = Self.key(site.host)
    if let draft = heldDraft(of: site.host), draft.site == site, standings[key]?.kind != .pin {
      return approve(draft, at: now)
    }
    elsewhere.approved[key] = site.digest
    return nil
  }

  /// Ends a decision about a host that another server was told to remove, where the folder here still has files.
  ///
  /// - Returns: Whether the next reading of the folder decides now.
  package mutating func leaveToFolder(_ host: String?) -> Bool {
    let key = Self.key(host)
    guard folder[key] != nil, endDecision(host) != nil else { return false }
    (drafts[key], sent[key], refusals[key], refusedFiles[key]) = (nil, nil, nil, nil)
    return true
  }

  /// Takes the confirmation of a removal that another server was given. Where the folder still has files, the host goes
  /// with them, and its removal isn't held back.
  ///
  /// - Returns: What became of the host; nil when nothing changes now.
  package mutating func removeElsewhere(_ host: String?) -> PublicationOutcome? {
    if let outcome = remove(host) { return outcome }
    if folder[Self.key(host)] != nil { elsewhere.removed.insert(Self.key(host)) }
    return nil
  }

  /// Has what was published elsewhere be served until somebody confirms that its folder is gone.
  package mutating func holdElsewhere(_ removal: Removal) {
    guard live[Self.key(removal.site.host)] == nil else { return }
    put(removal.site)
    restore(removal, isHeld: true)
  }

  /// What lies in the folder of a host; nil when it has no files.
  package func folderSite(of host: String?) -> AssociationSite? { folder[Self.key(host)] }

  /// A host as it is spelled here.
  package func spelling(of host: String?) -> String? {
    let key = Self.key(host)
    return (folder[key] ?? live[key]).map(\.host) ?? host.map(IDNA.named)
  }
}
