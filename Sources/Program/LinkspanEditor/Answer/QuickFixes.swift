internal import LinkspanCore
internal import SiteInput

/// The fixes of `check --fix`, one at a time or all together.
enum QuickFixes {
  static let fixAll = "source.fixAll.linkspan"

  /// - Parameter only: The kinds of actions that are wanted; nil for all.
  static func json(
    _ analysis: DocumentAnalysis, at span: TextSpan, only: [String]?, in document: EditorDocument
  ) -> JSON {
    func isWanted(_ kind: String) -> Bool {
      only?.contains { kind == $0 || kind.hasPrefix($0 + ".") || $0.isEmpty } ?? true
    }
    var actions: [JSON] = []
    if isWanted("quickfix") {
      actions += Diagnostics.findings(analysis, at: span, in: document).compactMap { finding in
        finding.fix.map { action($0, of: finding, in: document) }
      }
    }
    if isWanted(fixAll), analysis.hasFixes {
      actions.append(
        .object([
          ("title", .string("Fix everything that has one safe fix")), ("kind", .string(fixAll)),
          ("data", .object([("uri", .string(document.uri)), ("number", .int(document.number))])),
        ]))
    }
    return .array(actions)
  }

  private static func action(_ fix: Fix, of finding: Finding, in document: EditorDocument) -> JSON {
    .object([
      ("title", .string(title(fix, of: finding, in: document))), ("kind", .string("quickfix")),
      ("diagnostics", .array([Diagnostics.json(finding, in: document)])), ("isPreferred", .bool(true)),
      ("edit", edit(fix.edits, in: document)),
    ])
  }

  /// What the place reads when it is mended, where that fits a line.
  private static func title(_ fix: Fix, of finding: Finding, in document: EditorDocument) -> String {
    let bytes = document.text.bytes
    let own = document.text.range(finding.location)
    let all = fix.edits.map { $0.range } + [own]
    let range = all.map { $0.lowerBound }.min()!..<all.map { $0.upperBound }.max()!
    var mended: [UInt8] = []
    var place = range.lowerBound
    for edit in fix.edits {
      mended += bytes[place..<edit.range.lowerBound]
      mended += edit.replacement.utf8
      place = edit.range.upperBound
    }
    mended += bytes[place..<range.upperBound]
    let text = String(decoding: mended, as: UTF8.self).onOneLine
    // Ours: what a menu shows.
    let isShort = (1...60).contains(text.count) && !mended.contains(0x0A) && mended.contains { $0 > 0x20 }
    if isShort { return "Write \(text)" }
    return mended.isEmpty ? "Remove this (\(finding.rule))" : "Correct this (\(finding.rule))"
  }

  static func edit(_ edits: [Edit], in document: EditorDocument) -> JSON {
    let changes = edits.map { edit in
      JSON.object([
        ("range", document.text.span(edit.range).json), ("newText", .string(edit.replacement)),
      ])
    }
    return .object([("changes", .object([(document.uri, .array(changes))]))])
  }

  /// The edit that applies all fixes, as `check --fix` does; none where it would leave the file alone.
  static func allFixed(_ document: EditorDocument) -> JSON {
    guard let fixed = TextCheck.fixed(document.source), fixed.isChanged else {
      return edit([], in: document)
    }
    let whole = 0..<document.text.bytes.count
    return edit(
      [
        .change(
          String(decoding: document.text.bytes, as: UTF8.self), at: whole.lowerBound,
          to: String(decoding: fixed.bytes, as: UTF8.self))
      ], in: document)
  }
}
