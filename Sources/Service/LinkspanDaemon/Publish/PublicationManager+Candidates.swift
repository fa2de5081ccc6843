internal import AppSiteAssociation
package import LinkspanCore
internal import LinkspanFiles
package import LinkspanServer
internal import SiteInput

extension PublicationManager {
  static func candidates(of reader: SiteReader) -> [PublicationCandidate] {
    var hosts: [String?] = []
    var seen: Set<String?> = []
    let all = reader.files.map(\.host) + reader.assetLinks.map(\.host) + reader.problems.map(\.host)
    // Devices ask for the name in Punycode, whichever one the folder has.
    for host in all.map({ $0.map(IDNA.named) }) where seen.insert(host).inserted { hosts.append(host) }
    let filesByHost = Dictionary(grouping: reader.files) { $0.host.map(IDNA.named) }
    let statementsByHost = Dictionary(grouping: reader.assetLinks) { $0.host.map(IDNA.named) }
    let problems = Dictionary(reader.problems.map { (IDNA.named($0.host), $0.message) }) { first, _ in first }
    return hosts.map { host in
      var files = filesByHost[host] ?? []
      // Of several folders with files of one host the first one counts.
      let folder = files.first.map(SiteReader.folder(of:))
      files.removeAll { SiteReader.folder(of: $0) != folder }
      let root = files.first { $0.location == .root }
      let file = files.first { $0.location == .wellKnown } ?? files.first { $0.location == nil } ?? root
      let assetLinks = statementsByHost[host]?.first
      return PublicationCandidate(
        AssociationSite(
          host: host, associationFile: file?.source.bytes, servesRootName: root != nil,
          assetLinks: assetLinks?.source.bytes),
        associationFileName: file?.source.name, assetLinksName: assetLinks?.source.name,
        problem: host.flatMap { host in
          problems[host]
            ?? fault(of: host)
        })
    }
  }

  /// Why a folder's name is no host that anybody asks for, and what to do; nil where it is one.
  static func fault(of host: String) -> String? {
    ServedHost.fault(of: host).map {
      $0 + ": give the folder the name of the host itself, without a port, and each host a folder"
    }
  }
}

/// The files in a folder of hosts, as `serve` would publish them.
package struct PublicationFiles {
  package let sites: [AssociationSite]
  /// The hosts with files in several folders, of which only the first one's are among them, a line each.
  package let repeated: [String]
  /// Folders that have nothing among them, a line each: those without a file, and those that are not read.
  package let passedOver: [String]
  /// Folders whose names are no hosts, which the server is not asked to take, a line each.
  package let misnamed: [String]

  /// - Throws: What cannot be read.
  package init(in folder: String) throws(LinkspanError) {
    let reader = try SiteReader(
      [folder], host: nil, passesOverProblems: false, refusesLargeFiles: true,
      links: .serving(linkRoots: []))
    let found = PublicationManager.candidates(of: reader).map(\.site)
    let faults = found.map { $0.host.flatMap(PublicationManager.fault) }
    sites = zip(found, faults).filter { $1 == nil }.map { $0.0 }
    misnamed = faults.compactMap { $0.map { "not published: \($0)" } }
    repeated = reader.repeatedHosts.map(\.words)
    passedOver =
      reader.emptyFolders.map { "'\($0.path)' has no file and is not published" }
      + reader.refusedLinks.map { "not published: \($0.text)" }
  }
}
