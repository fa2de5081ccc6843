internal import AppSiteAssociation
internal import AssetLinks
package import LinkspanCore

/// What a host would serve if nobody objected: its files as they were read.
package struct PublicationCandidate: Sendable {
  package var site: AssociationSite

  /// Where the association file was read, for findings; nil when the host has none.
  package var associationFileName: String?

  /// Where the statement list was read, likewise.
  package var assetLinksName: String?

  /// Why its files could not be read whole; such a candidate is refused, and what was live goes on.
  package var problem: String?

  /// Who sent it over the API; nil for files of a folder.
  package var author: String?

  package init(
    _ site: AssociationSite, associationFileName: String? = nil, assetLinksName: String? = nil,
    problem: String? = nil, author: String? = nil
  ) {
    self.author = author
    self.site = site
    self.associationFileName = associationFileName
    self.assetLinksName = assetLinksName
    self.problem = problem
  }

  /// What a client sent of a host.
  package enum Part: Sendable {
    case associationFile, assetLinks
    /// Both files, as one publication.
    case bothFiles
  }

  /// The part that a client sent; nil for files of a folder. What else the host has stays as it is.
  package var part: Part?

  /// The association file that a client sent, its `assetlinks.json`, or both.
  package init(_ host: String, associationFile: [UInt8]?, assetLinks: [UInt8]?, author: String) {
    precondition(associationFile != nil || assetLinks != nil, "a client sends at least one file")
    self.init(
      AssociationSite(host: IDNA.named(host), associationFile: associationFile, assetLinks: assetLinks),
      author: author)
    if associationFile != nil { associationFileName = Self.associationFileName }
    if assetLinks != nil { assetLinksName = Self.assetLinksName }
    part = assetLinks == nil ? .associationFile : associationFile == nil ? .assetLinks : .bothFiles
  }

  /// What the files are called in requests and findings.
  package static let (associationFileName, assetLinksName) = ("apple-app-site-association", "assetlinks.json")

  /// With the files of the host that were not sent.
  func completed(by known: AssociationSite?) -> PublicationCandidate {
    guard let part, let known else { return self }
    var whole = self
    switch part {
    case .associationFile: (whole.site.assetLinks, whole.assetLinksName) = (known.assetLinks, assetLinksName)
    case .assetLinks: whole.site.associationFile = known.associationFile
    case .bothFiles: break
    }
    whole.site.servesRootName = known.servesRootName
    whole.part = nil
    return whole
  }

  /// Why its files are too large to look at; nil when they are not.
  var excess: String? {
    if let bytes = site.associationFile, bytes.count > AssociationLocation.maximumFileBytes {
      return AssociationLocation.excess(
        of: associationFileName ?? "the association file", bytes: bytes.count,
        limit: AssociationLocation.maximumFileBytes)
    }
    if let bytes = site.assetLinks, bytes.count > StatementSource.sizeLimitBytes {
      return AssociationLocation.excess(
        of: assetLinksName ?? "assetlinks.json", bytes: bytes.count, limit: StatementSource.sizeLimitBytes)
    }
    return nil
  }
}

/// What became of one host when its files were read again.
package struct PublicationOutcome: Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The host had nothing before.
    case published
    /// Other files than before are live now.
    case changed
    /// The files are what they were.
    case unchanged
    /// The host has no files any more, and is not served any more.
    case withdrawn
    /// The new files are not good; what was live goes on, if there was anything.
    case refused
    /// The new files are good, and wait for somebody's approval or for the end of a pin; what was live goes on.
    case held
    /// The host has no files any more, like too many others; what was live goes on until somebody confirms it.
    case removalHeld = "removal-held"
  }

  /// Nil for the site of every host without one of its own.
  package var host: String?
  package var kind: Kind

  /// Why it was refused, or what was accepted all the same: the first findings of severity error.
  package var errors: [WithheldFinding]

  /// All of them.
  package var errorCount: Int

  /// Why its files could not be read.
  package var problem: String?

  /// One clause for each app or rule that differs from what was live; empty when nothing was, or when only the text
  /// changed.
  package var differences: [String]

  /// Whether its files had been refused until now.
  package var endsRefusal = false

  /// Whether it was refused before, and nothing changed since.
  package var isRepeated = false

  /// Whether something of the host is being served now.
  package var isServed: Bool

  /// What ends a removal that is held back, as a clause; nil for other outcomes.
  package var confirmation: String?

  /// Whether it is about files that a client of the API sent.
  package var isSent = false

  /// Whether the plain file is served where a signed one is asked for, since it cannot be signed and never was.
  package var lacksSignature = false

  package init(
    host: String?, kind: Kind, errors: [WithheldFinding], errorCount: Int? = nil, problem: String? = nil,
    differences: [String], isServed: Bool
  ) {
    self.host = host
    self.kind = kind
    self.errors = errors
    self.errorCount = errorCount ?? errors.count
    self.problem = problem
    self.differences = differences
    self.isServed = isServed
  }
}

extension PublicationOutcome {
  /// As `serve --json` and the API tell it.
  package var json: JSON {
    .object([
      ("type", .string("publication")), ("host", .init(host)), ("outcome", .string(kind.rawValue)),
      ("served", .bool(isServed)), ("errors", .int(errorCount)), ("findings", .array(errors.map(\.json))),
      ("problem", .init(problem)), ("differences", .array(differences.map(JSON.string))),
    ])
  }
}
