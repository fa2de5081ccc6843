package import AppSiteAssociation
package import AssociationCheck
package import LinkspanCore
internal import LinkspanFiles

extension AssociationSource {
  /// The file of the text, where devices take it, or would if it were shorter (``WorkLimits/associationBytes``).
  ///
  /// - Throws: The mistake for which devices drop it.
  package static func usable(_ text: SourceText) throws(LinkspanError) -> (AssociationSource, AssociationFile)
  {
    let source = AssociationSource(text, sizeLimitBytes: WorkLimits.associationBytes)
    if let file = source.content.file { return (source, file) }
    throw LinkspanError(
      "a device would reject '\(text.name)': \(source.rejection?.message ?? "it is not a JSON object.")",
      help: "'linkspan check \(text.nameOfArgument)' lists every mistake.")
  }

  /// The first mistake for which devices drop the whole file: in its syntax, where there is one. The other errors of a file
  /// make devices drop an entry or a rule.
  package var rejection: Finding? {
    let errors = AssociationChecker.findings(in: self).filter { $0.severity == .error }
    return errors.first { $0.rule.hasPrefix("json.") }
      ?? errors.first { ["aasa.size", "aasa.signed", "aasa.not-an-object"].contains($0.rule) }
  }
}

extension SourceText {
  /// What another command takes for the same text, as a shell reads it.
  package var nameOfArgument: String { name == "<stdin>" ? "-" : ShellWord.quoted(name) }
}
