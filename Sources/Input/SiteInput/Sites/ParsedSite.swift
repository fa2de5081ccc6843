package import AppBundle
package import AppSiteAssociation
package import AssociationCheck

/// The association files of a site, each parsed once for all who ask about it.
package struct ParsedSite {
  package struct File {
    /// Lower-case; nil when it is not known.
    package let host: String?
    package let location: AssociationLocation?
    package let source: AssociationSource
  }

  /// In the order of the site.
  package let files: [File]
  private let emptyHosts: [String]

  package init(_ site: SiteReader) {
    files = site.files.map {
      File(host: $0.host, location: $0.location, source: AssociationSource($0.source))
    }
    emptyHosts = site.emptyHosts
  }

  /// The hosts with the file that counts for each: `.well-known` before the root (F6).
  package var hosts: [SiteHost] {
    var hosts: [SiteHost] = emptyHosts.map { SiteHost(host: $0, source: nil) }
    for file in files {
      guard let host = file.host, !hosts.contains(where: { $0.host == host && $0.source != nil }) else {
        continue
      }
      hosts.append(SiteHost(host: host, source: file.source))
    }
    return hosts.sorted { $0.host < $1.host }
  }

  /// The association files whose host is not known.
  package var unplacedSources: [AssociationSource] { files.filter { $0.host == nil }.map { $0.source } }
}
