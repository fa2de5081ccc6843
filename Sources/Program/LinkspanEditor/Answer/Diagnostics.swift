internal import LinkspanCore

/// Findings as an editor shows them.
enum Diagnostics {
  /// The program that findings are of, as editors show it.
  static let source = "linkspan"

  /// The diagnostics of a document: for each finding one, with its message as `check` has it.
  static func json(_ findings: [Finding], in document: EditorDocument) -> JSON {
    .array(findings.map { json($0, in: document) })
  }

  static func json(_ finding: Finding, in document: EditorDocument) -> JSON {
    var members: [(String, JSON)] = [
      ("range", document.text.span(finding.location).json),
      ("severity", .int(severity(finding.severity))),
      ("code", .string(finding.rule)),
      ("source", .string(source)),
      ("message", .string(finding.message)),
    ]
    let place = document.text.span(finding.location)
    var related: [JSON] = []
    if let help = finding.wholeHelp { related.append(note(help, at: place, in: document)) }
    for location in finding.related {
      related.append(note("This rule decides before it.", at: document.text.span(location), in: document))
    }
    if !related.isEmpty { members.append(("relatedInformation", .array(related))) }
    if Self.dead.contains(finding.rule), finding.severity == .note {
      // Unnecessary: editors fade it out.
      members.append(("tags", .array([.int(1)])))
    }
    return .object(members)
  }

  private static func note(_ text: String, at span: TextSpan, in document: EditorDocument) -> JSON {
    .object([
      ("location", .object([("uri", .string(document.uri)), ("range", span.json)])),
      ("message", .string(text)),
    ])
  }

  /// Rules about what has no effect.
  private static let dead: Set<String> = [
    "aasa.unreachable", "aasa.idle-exclusion", "aasa.unused-variable",
  ]

  private static func severity(_ severity: Finding.Severity) -> Int {
    switch severity {
    case .error: 1
    case .warning: 2
    case .note: 3
    }
  }

  /// The findings that stand at a place.
  static func findings(
    _ analysis: DocumentAnalysis, at span: TextSpan, in document: EditorDocument
  ) -> [Finding] {
    analysis.findings.filter { document.text.span($0.location).touches(span) }
  }
}
