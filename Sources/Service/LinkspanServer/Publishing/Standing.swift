package import LinkspanCore

/// A decision about a host that goes before what lies in its folder: of a person, or of a client of the API.
package struct Standing: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// An earlier publication is served until the folder differs from what it replaced.
    case rollback
    /// A publication is served until somebody takes the pin away.
    case pin
    /// What the API published is served until the folder differs from what it replaced.
    case published
  }

  package var kind: Kind
  /// What is served.
  package var site: AssociationSite
  /// The publication that it is a copy of; nil for ``Kind/published``.
  package var number: Int?
  /// The ``AssociationSite/digest`` of what lay in the folder; nil when the folder had no files of the host. An order of
  /// another server has what lay in its folder, too.
  package var replaced: Set<String?>
  /// Who decided it, as audit logs name people and credentials.
  package var actor: String
  package var since: WallTime

  package init(
    _ kind: Kind, _ site: AssociationSite, number: Int? = nil, replaced: Set<String?>, actor: String,
    since: WallTime
  ) {
    self.kind = kind
    self.site = site
    self.number = number
    self.replaced = replaced
    self.actor = actor
    self.since = since
  }

  /// Whether it goes on where the folder has no files of the host.
  package var standsWithoutFiles: Bool { kind == .pin || replaced.contains(nil) }
}

/// The newest files of a host, where they are not what is served.
package struct PublicationDraft: Hashable, Sendable {
  package enum State: String, Sendable {
    case checking
    case refused
    /// Good, and not served before somebody approves it, or takes a pin away.
    case held
    /// A rollback, or what the API published, is served in its place.
    case replaced
  }

  package var site: AssociationSite
  package var state: State
  package var errorCount = 0
  /// Why it is refused without a finding.
  package var problem: String?
  /// Who sent it; nil for files of the folder.
  package var author: String?
}

/// What somebody wants done about a host.
package enum PublicationOrder: Hashable, Sendable {
  /// Serve an earlier publication; nil for the one before what is served.
  case rollBack(host: String, number: Int?)
  /// Keep serving a publication; nil for what is served.
  case pin(host: String, number: Int?)
  /// End a rollback or a pin: the folder counts again.
  case release(host: String)
  /// Serve the draft that waits for a second person, with the digest of the one that the person has seen; nil for whichever
  /// waits.
  case approve(host: String, digest: String? = nil)
  /// Serve these hosts no more, whose folders are gone.
  case remove(hosts: [String])

  /// What the site of every host without one of its own is called in an order.
  package static let everyOtherHost = "_"

  /// The hosts that it is about.
  package var hosts: [String] {
    switch self {
    case .rollBack(let host, _), .pin(let host, _), .release(let host), .approve(let host, _): [host]
    case .remove(let hosts): hosts
    }
  }

  /// For audit logs.
  package var action: String {
    switch self {
    case .rollBack: "site.rollback"
    case .pin: "site.pin"
    case .release: "site.release"
    case .approve: "site.approve"
    case .remove: "site.remove"
    }
  }
}

extension AssociationSite {
  /// Tells contents apart, whatever the host is called: SHA-256 in hexadecimal digits.
  package var digest: String {
    var text = servesRootName ? "root" : ""
    for file in [associationFile, assetLinks] { text += " " + (file.map { SHA256.hexDigest(of: $0) } ?? "-") }
    return SHA256.hexDigest(of: Array(text.utf8))
  }
}
