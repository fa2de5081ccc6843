package import AppSiteAssociation
package import AssociationCheck
package import LinkspanCore

extension AssociationSource {
  /// The file of the text, where devices take it.
  ///
  /// - Throws: The first mistake for which devices drop it.
  package static func usable(_ text: SourceText) throws(LinkspanError) -> (AssociationSource, AssociationFile)
  {
    let source = AssociationSource(text, sizeLimitBytes: WorkLimits.associationBytes)
    if let file = source.content.file { return (source, file) }
    let first = AssociationChecker.findings(in: source).first { $0.severity == .error }
    throw LinkspanError(
      "a device would reject '\(text.name)': \(first?.message ?? "it is not a JSON object.")",
      help: "'linkspan check \(text.name)' lists every mistake.")
  }
}
