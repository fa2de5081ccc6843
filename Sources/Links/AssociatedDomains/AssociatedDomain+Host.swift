package import LinkspanCore

extension AssociatedDomain {
  /// A host that a link can have and no entry can name: an entry names a fully qualified domain (E1).
  package enum UnnamedHost: Hashable, Sendable {
    case ipAddress
    case trailingDot

    /// E1 says what an entry is; nothing says what devices do with such a link.
    package var certainty: Certainty { .inferred }
  }

  /// Why no entry can name a host; nil for every other. Reading an entry and matching a link both ask it.
  package static func unnamed(_ host: String) -> UnnamedHost? {
    guard let last = host.utf8.last else { return nil }
    if last == UInt8(ascii: "."), host.utf8.count > 1 { return .trailingDot }
    if host.utf8.first == UInt8(ascii: "[") { return .ipAddress }
    // The host of nearly every link ends in a letter, and is read no further.
    guard ASCII.isDigit(last), HostName.isIPv4(Array(host.utf8)) else { return nil }
    return .ipAddress
  }
}

extension AssociatedDomainProblem {
  /// How sure it is that a device skips the entry.
  package var certainty: Certainty {
    switch kind {
    case .ipAddress: AssociatedDomain.UnnamedHost.ipAddress.certainty
    case .trailingDot: AssociatedDomain.UnnamedHost.trailingDot.certainty
    default: .documented
    }
  }
}
