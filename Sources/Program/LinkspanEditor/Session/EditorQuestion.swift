internal import AppSiteAssociation
internal import LinkspanCore
internal import SiteInput

/// Work that takes longer than reading a message, over one state of one document. A thread beside the conversation does
/// it; it needs nothing but its values.
package struct EditorQuestion: Sendable {
  package enum Ask: Sendable, Hashable {
    /// What is wrong with the syntax, for large documents whose other findings take longer.
    case syntax
    case diagnostics
    case pulledDiagnostics
    case actions(TextSpan, only: [String]?)
    case allFixed(title: String)
    case hover(TextPlace)
    case completion(TextPlace)
    case lenses
    case definition(TextPlace)
  }

  let ask: Ask
  package let document: EditorDocument
  /// The request that waits for the answer; nil where the answer is a notification.
  let request: JSON?
  /// URLs and paths that the client's settings name; where there are none, those of the files count.
  let samples: [String]
  /// Those that the findings are about; nil for those of `check`.
  let releases: ReleaseSet?
  /// What is known of the same text already.
  var analysis: DocumentAnalysis?

  /// - Parameter isWanted: Asked now and then; when it is false, the answer is worth nothing.
  package func answer(_ files: EditorFiles, while isWanted: () -> Bool = { true }) -> EditorAnswer {
    switch ask {
    case .syntax:
      return EditorAnswer(.array([]), syntax: TextCheck.syntaxFindings(in: document.source, on: releases))
    case .completion(let place):
      return EditorAnswer(Completions.json(at: place, in: document, files: files))
    case .lenses:
      let lines = samples.isEmpty ? files.samples(document.name) : samples
      let urls = EditorFiles.samples(of: lines, host: document.shownHost)
      // A file speaks for the host that its folder names alone (E7, M2).
      let own = document.folderHost.map { host in
        urls.filter { HostScope(host).contains(LinkURL(written: $0).host) }
      }
      return EditorAnswer(
        RuleLenses.json(
          document, samples: own ?? urls, others: lines.count - urls.count,
          foreign: urls.count - (own ?? urls).count))
    case .allFixed(let title):
      return EditorAnswer(
        .object([
          ("title", .string(title)), ("kind", .string(QuickFixes.fixAll)),
          ("edit", QuickFixes.allFixed(document)),
        ]))
    case .diagnostics, .pulledDiagnostics, .actions, .hover, .definition:
      let analysis =
        self.analysis ?? DocumentAnalysis(of: document, files: files, on: releases, while: isWanted)
      return EditorAnswer(json(analysis), analysis: analysis)
    }
  }

  private func json(_ analysis: DocumentAnalysis) -> JSON {
    switch ask {
    case .actions(let span, let only): QuickFixes.json(analysis, at: span, only: only, in: document)
    case .hover(let place): HoverText.json(analysis, at: place, in: document)
    case .definition(let place): Definitions.json(analysis, at: place, in: document)
    case .pulledDiagnostics:
      .object([
        ("kind", .string("full")), ("resultId", .string(String(document.number))),
        ("items", Diagnostics.json(analysis.findings, in: document)),
      ])
    case .syntax, .diagnostics, .allFixed, .completion, .lenses:
      Diagnostics.json(analysis.findings, in: document)
    }
  }
}

/// What a question came to.
package struct EditorAnswer: Sendable {
  /// The result of the request, or the diagnostics.
  let result: JSON
  /// What was found out about the document.
  let analysis: DocumentAnalysis?
  /// What is wrong with the syntax, where that was the question.
  let syntax: [Finding]?

  init(_ result: JSON, analysis: DocumentAnalysis? = nil, syntax: [Finding]? = nil) {
    self.result = result
    self.analysis = analysis
    self.syntax = syntax
  }
}
