internal import LinkspanCore

/// A report as one page of HTML that needs nothing else: no script, no network, no other file.
///
/// Every report has the same frame: the verdict, the evidence in tables, and what to do. It follows the reader's light or
/// dark appearance, prints, and fits from 390 px up, where each row becomes a block.
package struct ReportPage {
  /// A table; on a narrow screen each cell has its column's name before it.
  package struct Table {
    package var caption: String
    package var columns: [String]
    /// The columns whose cells are numbers.
    package var counts: Set<Int>
    package var rows: [[String]]

    package init(_ caption: String, columns: [String], counts: Set<Int> = [], rows: [[String]]) {
      self.caption = caption
      self.columns = columns
      self.counts = counts
      self.rows = rows
    }
  }

  private let title: String
  private let verdict: String
  private let isGood: Bool
  private let evidence: [Table]
  private let remedies: [String]

  /// - Parameters:
  ///   - verdict: The answer, in a sentence.
  ///   - isGood: Whether nothing has to be done.
  ///   - remedies: What to do, a sentence each.
  package init(_ title: String, verdict: String, isGood: Bool, evidence: [Table], remedies: [String]) {
    self.title = title
    self.verdict = verdict
    self.isGood = isGood
    self.evidence = evidence
    self.remedies = remedies
  }

  /// The page. The same report gives the same bytes.
  package var html: String {
    let tables = evidence.filter { !$0.rows.isEmpty }.map(Self.markup)
    let steps = remedies.map { "<li>\($0)</li>" as Markup }
    let remedy: Markup = steps.isEmpty ? .none : "<h2>What to do</h2><ul>\(steps)</ul>"
    let kind: Markup = isGood ? "good" : "warn"
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(Self.styleHash)'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
      <title>\(title)</title><style>\(Markup(stringLiteral: Self.style))</style></head>
      <body><main><h1>\(title)</h1><p class="verdict \(kind)">\(verdict)</p>
      <h2>Evidence</h2>\(tables)\(remedy)</main></body></html>

      """
    return page.text
  }

  private static func markup(_ table: Table) -> Markup {
    func kind(_ index: Int) -> Markup { table.counts.contains(index) ? " class=\"count\"" : .none }
    let heads = table.columns.enumerated().map { "<th scope=\"col\"\(kind($0))>\($1)</th>" as Markup }
    let rows = table.rows.map { row -> Markup in
      let cells = row.enumerated().map { index, cell -> Markup in
        let name = table.columns.indices.contains(index) ? table.columns[index] : ""
        return "<td data-label=\"\(name)\"\(kind(index))>\(cell)</td>"
      }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <table><caption>\(table.caption)</caption><thead><tr>\(heads)</tr></thead><tbody>
      \(rows)</tbody></table>
      """
  }

  private static var styleHash: String { Base64.text(of: SHA256.digest(of: Array(style.utf8))) }

  private static let style = """
    :root { --paper: #fff; --sheet: #f5f7fa; --line: #d9dfe7; --text: #1b2430; --soft: #566273; --good: #23682a; --warn: #8a4b00; }
    @media (prefers-color-scheme: dark) {
      :root { --paper: #12161c; --sheet: #1a2028; --line: #323c48; --text: #e7ebf0; --soft: #a3b0bf; --good: #86d48a; --warn: #ffb46b; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--paper); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
    main { max-width: 70rem; margin: 0 auto; padding: 1rem 1.2rem 3rem; }
    h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
    h2 { font-size: 1.15rem; margin-top: 1.6rem; }
    .verdict { border-left: 4px solid var(--warn); background: var(--sheet); padding: .6rem .9rem; overflow-wrap: anywhere; }
    .verdict.good { border-color: var(--good); }
    table { border-collapse: collapse; width: 100%; margin: .8rem 0 1.4rem; }
    caption { text-align: left; font-weight: 600; padding: .3rem 0; }
    th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; text-align: left; vertical-align: top; }
    td { overflow-wrap: anywhere; }
    th { color: var(--soft); font-weight: 600; }
    .count { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
    @media (max-width: 620px) {
      table, tbody, tr, td, caption { display: block; }
      thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
      td, td.count { border: 0; padding: 0 0 0 7rem; position: relative; min-height: 1.5em; text-align: left; white-space: normal; }
      td::before { content: attr(data-label); position: absolute; left: 0; width: 6.5rem; color: var(--soft); }
    }
    @media print { body { background: none; } tr { break-inside: avoid; } }
    """
}
