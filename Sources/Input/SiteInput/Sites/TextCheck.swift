internal import AppBundle
package import AppSiteAssociation
internal import AssetLinks
import AssociationCheck
package import LinkspanCore

/// `check` of one text that somebody writes: the same findings as `linkspan check FILE` has of a file with this name and
/// these bytes.
package enum TextCheck {
  /// What a text is about, by its content as `check` recognises it.
  package enum Kind: Sendable {
    case association, statements, app
  }

  package static func kind(of text: SourceText) -> Kind {
    if AppFile.isOne(text.bytes) { return .app }
    return StatementSource.isStatementList(text) ? .statements : .association
  }

  /// Every finding, in reading order.
  ///
  /// - Parameters:
  ///   - releases: Those that the findings are about; nil for those of `check`.
  ///   - isWanted: Asked now and then; when it is false, what is found is worth nothing.
  package static func findings(
    in text: SourceText, on releases: ReleaseSet? = nil, while isWanted: () -> Bool = { true }
  ) -> [Finding] {
    let site = SiteReader(text: text)
    let reader = AppReader(texts: site.appFiles)
    let parsed = ParsedSite(site)
    let asked = releases
    let releases = asked ?? ReleaseSet.installing(reader.apps) ?? .standard
    let found = SiteFindings(of: site, parsed, apps: reader.apps, on: releases, while: isWanted)
    let scope = ReleaseScope(releases)
    // As for `check --os`: a release that is asked about and uses nothing of the file is a finding.
    let unused = asked == nil ? [] : parsed.files.flatMap { scope.findings(in: $0.source) }
    return (reader.findings + found.findings + unused).compactMap(scope.applied).inReadingOrder()
  }

  /// What is wrong with the syntax of an association file or a statement list, which is known long before the rest.
  package static func syntaxFindings(in text: SourceText, on releases: ReleaseSet? = nil) -> [Finding] {
    let found: [Finding]
    switch kind(of: text) {
    case .association: found = AssociationChecker.syntaxFindings(in: AssociationSource(text))
    case .statements: found = StatementChecker.syntaxFindings(in: StatementSource(text))
    case .app: found = []
    }
    let scope = ReleaseScope(releases ?? .standard)
    return found.compactMap(scope.applied).inReadingOrder()
  }

  /// The text with the fixes of its findings applied, as `check --fix` writes it; nil where a text is not plainly of a
  /// kind that is corrected.
  package static func fixed(_ text: SourceText) -> FixedText? {
    switch kind(of: text) {
    case .association:
      return AssociationContent(text.bytes).doubt == nil ? AssociationChecker.fixed(text) : nil
    case .statements: return StatementSource(text).isPlain ? FixedText(statements: text) : nil
    case .app:
      return AppFile.isPlainlyEntitlements(text.bytes, name: text.name) ? FixedText(entitlements: text) : nil
    }
  }
}

extension FixedText {
  /// A statement list for Android with the fixes of its findings applied.
  package init(statements text: SourceText) {
    self.init(
      text, isReadable: { StatementSource($0).document.isWellFormed },
      findings: { StatementChecker.findings(in: StatementSource($0)) })
  }

  /// Entitlements with the fixes of their findings applied.
  package init(entitlements text: SourceText) {
    self.init(
      text, isReadable: { Self.entitlementFindings(in: $0) != nil },
      findings: { Self.entitlementFindings(in: $0) ?? [] })
  }

  /// nil when the text is not entitlements; what is wrong with it is then told by the check itself.
  private static func entitlementFindings(in text: SourceText) -> [Finding]? {
    do throws(PropertyListError) {
      guard case .entitlements(let entitlements) = try AppFile(text.bytes, name: text.name) else {
        return nil
      }
      return EntitlementChecker.check(entitlements)
    } catch {
      return nil
    }
  }
}
