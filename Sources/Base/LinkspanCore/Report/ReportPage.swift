/// A report as one page of HTML that needs nothing else: no network, no other file, no font.
///
/// Every report has the same frame: the verdict, the evidence, and what to do. It follows the reader's light or dark
/// appearance, prints, fits from 320 px up, where each row becomes a block, and says everything without a script.
package struct ReportPage {
  /// How the answer reads at a glance; the sentence of the verdict says the same.
  package enum Standing: String, Hashable, Sendable {
    /// Nothing has to be done.
    case good
    /// Somebody should look.
    case doubtful
    /// Something is wrong.
    case bad

    fileprivate var mark: Markup {
      switch self {
      case .good: "✓"
      case .doubtful: "!"
      case .bad: "✗"
      }
    }
  }

  /// A table; on a narrow screen each cell has its column's name before it.
  package struct Table {
    package let caption: String
    package let columns: [String]
    /// The columns whose cells are numbers.
    package let counts: Set<Int>
    package let rows: [[Markup]]

    package init(_ caption: String, columns: [String], counts: Set<Int> = [], rows: [[String]]) {
      self.init(caption, columns: columns, counts: counts, cells: rows.map { $0.map { "\($0)" } })
    }

    /// - Parameter cells: Rows of cells that hold more than text, such as ``ReportPage/time(_:)``.
    package init(_ caption: String, columns: [String], counts: Set<Int> = [], cells: [[Markup]]) {
      self.caption = caption
      self.columns = columns
      self.counts = counts
      rows = cells
    }
  }

  /// A picture with the table behind it.
  package struct Chart {
    fileprivate let title: String
    fileprivate let wide: Markup
    fileprivate let narrow: Markup
    fileprivate let legend: Markup
    fileprivate let data: Table

    /// - Parameters:
    ///   - wide: An SVG element for 620 px and more, with the name that a screen reader speaks.
    ///   - narrow: The same for less.
    ///   - data: What the picture shows.
    package init(_ title: String, wide: Markup, narrow: Markup, legend: Markup = .none, data: Table) {
      self.title = title
      self.wide = wide
      self.narrow = narrow
      self.legend = legend
      self.data = data
    }
  }

  package enum Evidence {
    case table(Table)
    case chart(Chart)
  }

  private let title: String
  private let verdict: Markup
  private let standing: Standing
  private let facts: [Markup]
  private let evidence: [Evidence]
  private let remedies: [Markup]
  /// A style of pictures, beside that of all reports.
  package var style = ""
  /// What a script of the report's own reads, and the script: it may put something better in the place of the evidence,
  /// the element `page`.
  package var interactive: (data: [UInt8], script: String)?

  /// - Parameters:
  ///   - verdict: The answer, in a sentence.
  ///   - facts: Sentences about how the answer came about.
  ///   - evidence: Tables without rows are left out.
  ///   - remedies: What to do, a sentence each.
  package init(
    _ title: String, verdict: Markup, _ standing: Standing, facts: [Markup] = [], evidence: [Evidence],
    remedies: [Markup]
  ) {
    self.title = title
    self.verdict = verdict
    self.standing = standing
    self.facts = facts
    self.evidence = evidence
    self.remedies = remedies
  }

  /// A moment for a report and for a page of the console: UTC, and with a script the reader's own zone before it.
  package static func time(_ time: WallTime) -> Markup {
    let text = time.description
    return
      "<time datetime=\"\(text)\">\(String(text.prefix(10))) \(String(text.dropFirst(11).prefix(8))) UTC</time>"
  }

  /// Lines to paste.
  package static func code(_ text: String) -> Markup { "<pre tabindex=\"0\">\(text)</pre>" }

  /// The page. The same report gives the same bytes.
  package var html: String {
    let steps = remedies.map { "<li>\($0)</li>\n" as Markup }
    let remedy: Markup =
      steps.isEmpty
      ? (standing == .good ? "<p>Nothing.</p>" : "<p>No remedy is known.</p>") : "<ul>\n\(steps)</ul>"
    let body: Markup = """
      <main><h1>\(title)</h1>
      <p class="verdict \(standing.rawValue)"><span aria-hidden="true">\(standing.mark)</span> \(Self.unbroken(verdict))</p>
      \(facts.map { "<p>\($0)</p>\n" as Markup })<h2>Evidence</h2>
      <div id="page">\(shownEvidence)</div>
      <h2>What to do</h2>\(remedy)</main>
      """
    return document(body.text)
  }

  /// No line begins with a percent sign.
  private static func unbroken(_ verdict: Markup) -> Markup {
    Markup(stringLiteral: verdict.text.replacing(" %", with: "\u{A0}%"))
  }

  private var shownEvidence: Markup {
    let parts = evidence.compactMap { part -> Markup? in
      switch part {
      case .table(let table): table.rows.isEmpty ? nil : Self.markup(table)
      case .chart(let chart): Self.markup(chart)
      }
    }
    return parts.isEmpty ? "<p>None.</p>" : Markup(parts)
  }

  private func document(_ body: String) -> String {
    let style = ReportStyle.text + style
    let needsScript = interactive != nil || body.contains("<time ")
    let script = needsScript ? ReaderTimes.script + (interactive?.script ?? "") : ""
    let data = interactive.map {
      "\n<script type=\"application/json\" id=\"data\">\n\(Self.text($0.data))\n</script>"
    }
    let allowed = needsScript ? "script-src 'sha256-\(Self.hash(script))'; " : ""
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \(allowed)\
      style-src 'sha256-\(Self.hash(style))'; base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(Markup.escaped(title))</title>
      <style>\(style)</style>
      </head>
      <body>
      \(body)\(data ?? "")
      \(needsScript ? "<script>\(script)</script>\n" : "")</body>
      </html>

      """
  }

  /// The hash of a text as a policy writes it.
  package static func hash(_ text: String) -> String { Base64.text(of: SHA256.digest(of: Array(text.utf8))) }

  /// Inside JSON these bytes stand in strings only, where an escape means the same; so no text of a report can end the block
  /// or begin a comment.
  private static func text(_ data: [UInt8]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(data.count + data.count / 8)
    for byte in data {
      switch byte {
      case UInt8(ascii: "<"): bytes += "\\u003c".utf8
      case UInt8(ascii: ">"): bytes += "\\u003e".utf8
      case UInt8(ascii: "&"): bytes += "\\u0026".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func markup(_ chart: Chart) -> Markup {
    """
    <figure><figcaption>\(chart.title)</figcaption>
    <div class="wide">\(chart.wide)</div>
    <div class="narrow">\(chart.narrow)</div>
    \(chart.legend)<details><summary>\(chart.data.caption)</summary>
    \(markup(chart.data))</details></figure>

    """
  }

  /// A column in which no cell says anything is left out.
  private static func markup(_ table: Table) -> Markup {
    let shown = table.columns.indices.filter { column in
      table.rows.contains { column < $0.count && !$0[column].text.isEmpty }
    }
    let isBroad = shown.count { !table.counts.contains($0) } >= ReportStyle.broadColumns
    func kind(_ column: Int) -> Markup { table.counts.contains(column) ? " class=\"count\"" : .none }
    let heads = shown.map { "<th scope=\"col\"\(kind($0))>\(table.columns[$0])</th>" as Markup }
    let rows = table.rows.map { row -> Markup in
      let cells = shown.filter { $0 < row.count }.map { column in
        "<td data-label=\"\(table.columns[column])\"\(kind(column))>\(row[column])</td>" as Markup
      }
      return "<tr>\(cells)</tr>\n"
    }
    return """
      <table class="sheet\(isBroad ? " broad" : "")"><caption>\(table.caption)</caption><thead><tr>\(heads)</tr></thead><tbody>
      \(rows)</tbody></table>

      """
  }
}
