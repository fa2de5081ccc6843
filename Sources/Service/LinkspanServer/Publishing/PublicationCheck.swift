internal import AppSiteAssociation
internal import AssetLinks
import AssociationCheck
internal import LinkspanCore

/// One host whose files are to be checked: a value that knows all it needs, for a thread of its own.
package struct PublicationCheck: Sendable {
  package let candidate: PublicationCandidate
  /// What was live when the files were read.
  let before: AssociationSite?
  let acceptsErrors: Bool
  /// Whether good files wait for somebody's word all the same.
  package let isHeld: Bool

  /// Ours: the findings of one host that are told; all of them are counted.
  static let findingLimit = 100

  /// Checks the files and compares them with what was live. Takes time, and looks at nothing else.
  package func verdict() -> PublicationVerdict {
    var findings: [WithheldFinding] = []
    let site = candidate.site
    if let bytes = site.associationFile {
      let name = candidate.associationFileName ?? PublicationCandidate.associationFileName
      findings += AssociationChecker.withheldFindings(
        in: AssociationSource(SourceText(name: name, bytes: bytes)))
    }
    if let bytes = site.assetLinks {
      let name = candidate.assetLinksName ?? PublicationCandidate.assetLinksName
      findings += StatementChecker.withheldFindings(
        in: StatementSource(SourceText(name: name, bytes: bytes)))
    }
    let errors = findings.filter { $0.severity == .error }
    let isRefused = !errors.isEmpty && !acceptsErrors
    return PublicationVerdict(
      errors: Array(errors.prefix(Self.findingLimit)), errorCount: errors.count, isRefused: isRefused,
      differences: isRefused ? [] : before.map { Publisher.differences(from: $0, to: site) } ?? [])
  }
}

/// What a check says about the files of one host.
package struct PublicationVerdict: Sendable {
  /// The first findings of severity error.
  var errors: [WithheldFinding] = []
  var errorCount = 0
  /// Whether the files are not to be served.
  package var isRefused: Bool
  var differences: [String] = []
  /// Why they are refused without a finding.
  package var problem: String?
  /// Whether the same files are to be checked again the next time.
  package var isForNow = false

  /// The check took too long: the files are not looked at again before they change.
  package static func tooSlow(_ problem: String) -> Self { Self(isRefused: true, problem: problem) }

  /// The files are good, and something else keeps them from being served now.
  package static func hindered(_ problem: String) -> Self {
    Self(isRefused: true, problem: problem, isForNow: true)
  }
}
