package import AppSiteAssociation
package import LinkspanCore
internal import LinkspanForecast
internal import LinkspanStories
internal import ServiceConfiguration
internal import SiteInput

/// What the reader of a document says of it: the findings of `check`, `simulate`, `forecast` or of the configuration.
package struct DocumentAnalysis: Sendable {
  /// In reading order; empty for a document of no kind of ours.
  package let findings: [Finding]
  /// Whether all fixes together change the document: not where they leave it unreadable.
  let hasFixes: Bool

  /// - Parameters:
  ///   - releases: Those that the findings are about; nil for those of `check`.
  ///   - isWanted: Asked now and then; when it is false, the result is worth nothing.
  package init(
    of document: EditorDocument, files: EditorFiles, on releases: ReleaseSet? = nil,
    while isWanted: () -> Bool = { true }
  ) {
    let source = document.source
    switch document.kind {
    case nil: findings = []
    case .site: findings = TextCheck.findings(in: source, on: releases, while: isWanted)
    case .story:
      switch StoryParser.parse(source, reader: files.story(document.name)) {
      case .story(let story): findings = story.warnings
      case .findings(let found): findings = found
      }
    case .fleet: findings = FleetFile(source).findings
    case .configuration: findings = ConfigurationFile(reading: source).findings.inReadingOrder()
    }
    hasFixes = document.kind == .site && isWanted() && Self.hasFixes(findings, in: source)
  }

  /// Ours: a longer text with syntax errors that have no fix is not tried, since it is checked anew for each attempt.
  private static let triedBytes = 65_536

  private static func hasFixes(_ findings: [Finding], in source: SourceText) -> Bool {
    guard findings.contains(where: { $0.fix != nil }) else { return false }
    guard findings.contains(where: { $0.rule.hasPrefix("json.") && $0.fix == nil }) else { return true }
    return source.bytes.count <= triedBytes && TextCheck.fixed(source)?.isChanged ?? false
  }

  /// What may stand where, for the kinds that are read by ``DocumentReading``.
  static func choices(
    in source: SourceText, of kind: DocumentKind, files: EditorFiles
  ) -> [(range: Range<Int>, choice: DocumentChoice)] {
    switch kind {
    case .site: []
    case .story: StoryParser.choices(in: source, reader: files.story(source.name))
    case .fleet: FleetFile(source).choices
    case .configuration: ConfigurationFile(reading: source).choices
    }
  }
}
