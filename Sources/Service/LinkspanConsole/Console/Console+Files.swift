internal import AppSiteAssociation
internal import AssetLinks
internal import AssociatedDomains
import AssociationCheck
internal import LinkspanCore
internal import LinkspanServer

/// A file as a page shows it: its findings, and what it changes for links.
extension Console {
  /// Ours: a comparison of files at their limit may take longer than a page should.
  private static let comparisonSteps = 5_000_000

  /// Comparisons that are kept. Ours.
  private static let comparisonLimit = 500

  /// Files that are kept as pages show them. Ours.
  private static let shownLimit = 32

  /// The files of a site with their findings.
  ///
  /// - Parameter isSigned: Whether the association file is served signed, so that a client has other bytes.
  func file(_ site: AssociationSite?, isSigned: Bool = false) -> Markup {
    let association =
      site?.associationFile.map { bytes in
        kept("apple-app-site-association", bytes, isSigned: isSigned) {
          let json = AssociationContent(bytes).json
          let source = AssociationSource(SourceText(name: "apple-app-site-association", bytes: json))
          return (json, AssociationChecker.withheldFindings(in: source))
        }
      } ?? "<p>There is no association file.</p>"
    guard let statements = site?.assetLinks else { return association }
    let shown = kept("assetlinks.json", statements) {
      let source = StatementSource(SourceText(name: "assetlinks.json", bytes: statements))
      return (statements, StatementChecker.withheldFindings(in: source))
    }
    return "\(association)<h3>assetlinks.json</h3>\(shown)"
  }

  /// A file with its findings; kept, since a page that stays open asks each second.
  private func kept(
    _ name: String, _ bytes: [UInt8], isSigned: Bool = false,
    _ check: () -> (text: [UInt8], findings: [WithheldFinding])
  ) -> Markup {
    let digest = SHA256.hexDigest(of: bytes)
    let key = "\(name) \(digest) \(isSigned)"
    if let known = shownFiles.withLock({ $0[key] }) { return known }
    let (text, findings) = check()
    let title: Markup = "SHA-256 of \(name)\(isSigned ? " before it is signed" : "")"
    let shown: Markup = """
      <dl><dt>Size</dt><dd>\(bytes.count) bytes</dd><dt>\(title)</dt><dd><code>\(digest)</code></dd></dl>
      \(Self.table(findings))
      <details><summary>Its text</summary><div class="sheet" tabindex="0" role="region" aria-label="The text of \(name)">\
      <pre>\(String(decoding: text.prefix(131_072), as: UTF8.self))</pre></div></details>
      """
    shownFiles.withLock { files in
      if files.count >= Self.shownLimit { files = [:] }
      files[key] = shown
    }
    return shown
  }

  private static func table(_ findings: [WithheldFinding]) -> Markup {
    if findings.isEmpty { return "<p class=\"good\">No problems found.</p>" }
    let rows = findings.prefix(50).map { finding -> Markup in
      let place = finding.start.map { "\($0.line):\($0.column)" } ?? ""
      let kind = finding.severity == .error ? "bad" : finding.severity == .warning ? "warn" : "soft"
      return """
        <tr><td class="\(kind)">\(finding.severity.rawValue)</td><td><code>\(finding.rule)</code></td><td>\(place)</td>\
        <td>\(finding.pointer.map { "<code>\($0)</code>" } ?? .none)</td><td>\(finding.summary)</td></tr>
        """
    }
    return Piece.table(
      findings.count.counted("finding"), columns: ["Severity", "Rule", "Line", "Pointer", "What must hold"],
      rows: rows)
  }

  /// What a site changes: for links by meaning, and besides.
  func changes(from old: AssociationSite, to new: AssociationSite, _ host: String) -> Markup {
    let links: Markup =
      if let before = old.associationFile {
        changes(from: before, to: new.associationFile, host)
      } else {
        new.associationFile == nil ? "there is no association file" : "the association file is new"
      }
    let others = Publisher.otherDifferences(from: old, to: new).map { line -> Markup in
      "<p class=\"warn\">\(line)</p>"
    }
    return "\(links)\(Markup(others))"
  }

  /// The changes of an association file by meaning, each with a URL that shows it; kept, for no publication ever changes.
  func changes(from old: [UInt8], to new: [UInt8]?, _ host: String) -> Markup {
    guard let new else { return "the association file is gone" }
    if old == new { return "<span class=\"soft\">the same association file</span>" }
    let key = "\(host) \(SHA256.hexDigest(of: old)) \(SHA256.hexDigest(of: new))"
    if let known = comparisons.withLock({ $0[key] }) { return known }
    let found = compared(old, new, host)
    comparisons.withLock { comparisons in
      if comparisons.count >= Self.comparisonLimit { comparisons = [:] }
      comparisons[key] = found
    }
    return found
  }

  private func compared(_ old: [UInt8], _ new: [UInt8], _ host: String) -> Markup {
    guard let before = AssociationContent(old).file, let after = AssociationContent(new).file else {
      return "one of the two is no association file"
    }
    var limits = FileComparison.Limits()
    limits.steps = Self.comparisonSteps
    limits.changes = 12
    let comparison = alone {
      FileComparison(before, after, host: host, limits: limits)
    }
    if comparison.isEqual { return "<span class=\"soft\">nothing: only the text differs</span>" }
    let changes = comparison.changes.map { change -> Markup in
      """
      <li><code>\(change.url)</code><br><span class="soft">\(change.app): \
      \(Self.words(change.old.decision)) before, \(Self.words(change.new.decision)) now</span></li>
      """
    }
    let precedence = comparison.precedence.map { change -> Markup in
      "<li><code>\(change.url)</code><br><span class=\"soft\">\(change.new) opens it where both apps are installed, before it was \(change.old)</span></li>"
    }
    let services = comparison.services.map { service -> Markup in
      "<li>\(service.service.rawValue): \(service.added.map { "+" + $0 }.joined(separator: " ")) \(service.removed.map { "−" + $0 }.joined(separator: " "))</li>"
    }
    let open: Markup =
      comparison.undecided.isEmpty && !comparison.isCutShort
      ? .none : "<p class=\"soft\">Not everything was compared; “linkspan diff” compares all of it.</p>"
    return "<ul class=\"plain\">\(changes)\(precedence)\(services)</ul>\(open)"
  }

  private static func words(_ decision: Decision) -> String {
    switch decision.verdict {
    case .match: "opens the app"
    case .excluded: "is excluded"
    case .noMatch: "matches no rule"
    }
  }
}
