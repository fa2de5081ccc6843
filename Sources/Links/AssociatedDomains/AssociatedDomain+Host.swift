package import LinkspanCore

extension AssociatedDomain {
  /// A host that a link can have and no entry can name: an entry names a fully qualified domain (E1).
  package enum UnnamedHost: Hashable, Sendable {
    case ipAddress
    case trailingDot
    /// No host of a link can have this form; the text goes on after "The host ".
    case invalid(String)

    /// E1 says what an entry is; nothing says what devices do with a link to an address or with a final dot.
    package var certainty: Certainty {
      switch self {
      case .ipAddress, .trailingDot: .inferred
      case .invalid: .documented
      }
    }

    /// What is wrong with the name, as a clause.
    package func words(about name: String) -> String {
      switch self {
      case .ipAddress: "'\(name)' is an IP address, not a host name"
      case .trailingDot: "'\(name)' ends in a dot, which no entitlement has"
      case .invalid(let fault): "'\(name)' is not a host name: it \(fault)"
      }
    }
  }

  /// Why no entry can name a host; nil for every other. Reading an entry and matching a link both ask it.
  package static func unnamed(_ host: String) -> UnnamedHost? {
    guard let last = host.utf8.last else { return nil }
    if last == UInt8(ascii: "."), host.utf8.count > 1 { return .trailingDot }
    if host.utf8.first == UInt8(ascii: "[") { return .ipAddress }
    let bytes = Array(host.utf8)
    if ASCII.isDigit(last), HostName.isIPv4(bytes) { return .ipAddress }
    if let fault = HostName.fault(in: bytes) { return .invalid(fault.text) }
    // A label that says it is Punycode, and is not (E11): no browser makes a URL of it. Without a hyphen there is none.
    guard bytes.contains(UInt8(ascii: "-")) || bytes.contains(where: { $0 >= 0x80 }) else { return nil }
    do throws(IDNA.Fault) {
      _ = try IDNA.ascii(host)
      return nil
    } catch {
      return .invalid(error.reason)
    }
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
