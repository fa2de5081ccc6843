import LinkspanCore

/// One entry of the entitlement `com.apple.developer.associated-domains`: `<service>:<host>[?mode=<mode>]`.
///
/// - Source: rules E1–E4, E11, E12, E16.
package struct AssociatedDomain: Hashable, Sendable {
  /// On which devices an entry counts, and that the file comes from the host instead of Apple's CDN there.
  package enum Mode: String, CaseIterable, Hashable, Sendable {
    /// Devices with developer mode for associated domains, and development-signed apps (E13).
    case developer
    /// Devices under management whose administrator opted in (E14).
    case managed
    /// Devices that are in both modes at once (E15).
    case developerAndManaged = "developer+managed"
  }

  package let service: Service
  /// Lower-case, without `*.`. It is also the host whose association file counts: for a wildcard that is the
  /// parent (E6), for an exact entry the host itself (E7).
  package let host: String
  /// Whether the entry was written `*.host`.
  package let isWildcard: Bool
  package let mode: Mode?
  /// The entry as it was written.
  package let text: String

  /// Reads an entry strictly: what Apple's documents do not allow is refused with its reason.
  ///
  /// Valid but unusual properties are reported by ``remarks``.
  ///
  /// - Throws: The first problem from the left.
  package init(_ text: String) throws(AssociatedDomainProblem) {
    self = try AssociatedDomainParser.parse(text)
  }

  /// Reads an entry as a device does, to which `your-domain.com` is a host like any other, and no placeholder.
  ///
  /// - Throws: The first problem from the left.
  package init(asDevicesRead text: String) throws(AssociatedDomainProblem) {
    self = try AssociatedDomainParser.parse(text, takesPlaceholders: true)
  }

  init(service: Service, host: String, isWildcard: Bool, mode: Mode?, text: String) {
    self.service = service
    self.host = host
    self.isWildcard = isWildcard
    self.mode = mode
    self.text = text
  }

  /// The entry in its canonical form: lower-case, without anything optional.
  package var canonicalText: String { withoutMode + (mode.map { "?mode=\($0.rawValue)" } ?? "") }

  /// The entry for the same hosts that every build and every device counts, in its canonical form (E16).
  package var withoutMode: String { "\(service.rawValue):\(isWildcard ? "*." : "")\(host)" }

  /// Whether the entry claims every host below a top-level domain, which serves no file (E6): it never grants anything.
  package var isTopLevelWildcard: Bool { isWildcard && !host.utf8.contains(UInt8(ascii: ".")) }

  /// Whether the entry speaks for a URL's host, whatever the case of its letters.
  ///
  /// An exact entry covers its own host and no other; a wildcard covers every host below its own at any
  /// depth, and not its own (E8).
  package func covers(host: String) -> Bool {
    let other = ASCII.lowercased(host)
    guard isWildcard else { return other.isExactly(self.host) }
    let ending = "." + self.host
    return other.utf8.count > ending.utf8.count && other.hasExactSuffix(ending)
  }
}

extension Sequence<AssociatedDomain> {
  /// The entries that speak for a URL's host, in the order in which their files are asked: the exact host
  /// first, then wildcards, the longest first.
  ///
  /// The order of the entitlement has no meaning (E10), so it has none here: of two entries that differ in
  /// their mode only, the one without a mode comes first. Whether a mode applies is for the caller to say.
  ///
  /// - Source: rule E9 and section 8; that a shorter wildcard is asked after a longer one
  ///   is inferred there.
  package func covering(host: String, service: Service = .applinks) -> [AssociatedDomain] {
    func key(_ entry: AssociatedDomain) -> (Int, Int, String, String) {
      (
        entry.isWildcard ? 1 : 0, -entry.host.utf8.count, entry.mode?.rawValue ?? "", entry.text
      )
    }
    return filter { $0.service == service && $0.covers(host: host) }.sorted { key($0) < key($1) }
  }

  /// The entries for which a device reads the file of a host: those of the host itself, and wildcards for the hosts below it,
  /// whose file is the parent's (E6, E7).
  package func reading(fileOf host: String, service: Service = .applinks) -> [AssociatedDomain] {
    filter { $0.service == service && $0.host.isExactly(host) }
  }
}
