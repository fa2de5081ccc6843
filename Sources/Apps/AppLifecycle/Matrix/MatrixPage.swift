internal import LinkspanCore

/// Tables of verdicts as a report.
package struct MatrixPage {
  package let matrices: [Matrix]
  private let verdict: String
  private let isBad: Bool
  private let remedies: [Markup]

  /// What arrives in an app.
  package static var arrival: MatrixPage {
    let matrix = Matrix.arrival()
    let cells = matrix.rows.flatMap { $0.cells }
    let bad = cells.count { $0.tone == .bad }
    return MatrixPage(
      [matrix],
      verdict:
        "In \(bad) of \(cells.count) combinations what arrives reaches an app twice, not at all, or the app does not launch.",
      isBad: bad > 0,
      remedies: [
        "Where a cell has two callbacks, take the tap once: have both callbacks ask one router, which passes over the second.",
        "Where a cell says 'does not launch', adopt scenes before building with the iOS \(AppShape.firstSDKWithScenes) SDK.",
        "Where a cell says 'nothing', implement onContinueUserActivity(_:perform:) beside onOpenURL(perform:).",
      ])
  }

  /// What the switcher shows of a private app.
  package static var switcher: MatrixPage {
    let matrix = Matrix.switcher()
    let safe = matrix.columns.indices.filter { column in
      matrix.rows.allSatisfy { [.good, .neutral].contains($0.cells[column].tone) }
    }
    let names = safe.map { matrix.columns[$0] }.joined(separator: ", ")
    return MatrixPage(
      [matrix, .policies()],
      verdict:
        "\(safe.count) of \(matrix.columns.count) cover policies \(safe.count == 1 ? "hides" : "hide") a private screen in every event\(safe.isEmpty ? "" : ": " + names).",
      isBad: safe.isEmpty,
      remedies: [
        "Cover the screen in willResignActive: a cover in didEnterBackground comes too late for the switcher.",
        "Remove the cover in didBecomeActive: one that waits for willEnterForeground stays on after a prompt.",
        "Put the cover into a window above alerts where the app presents controllers.",
      ])
  }

  private init(_ matrices: [Matrix], verdict: String, isBad: Bool, remedies: [Markup]) {
    self.matrices = matrices
    self.verdict = verdict
    self.isBad = isBad
    self.remedies = remedies
  }

  /// The tables in one picture.
  package var svg: String { Matrix.picture(matrices) }

  /// The page. It has tables and no picture: a picture of a table says nothing more, and does not fit a narrow screen.
  package var html: String {
    var page = ReportPage(
      matrices[0].title, verdict: "\(verdict)", isBad ? .doubtful : .good,
      facts: matrices.flatMap(\.notes).map { "\($0)" } + ["\(Matrix.legend)."],
      evidence: matrices.map { .table($0.table) }, remedies: remedies)
    page.style = Self.style
    return page.html
  }

  private static let style = """
    .tone { display: block; border-left: 4px solid var(--line); padding-left: .4rem; }
    .tone.good { border-color: var(--good); }
    .tone.bad { border-color: var(--bad); }
    .tone.neutral { border-color: var(--warn); }
    .tone > b { color: var(--soft); }
    .tone.good > b { color: var(--good); }
    .tone.bad > b { color: var(--bad); }
    .tone.neutral > b { color: var(--warn); }
    @media (min-width: 621px) { .sheet { font-size: .85rem; } }

    """
}

extension Matrix {
  fileprivate var table: ReportPage.Table {
    ReportPage.Table(
      title, columns: ["Case"] + columns,
      cells: rows.map { row in ["\(row.title)"] + row.cells.map(\.markup) })
  }
}

extension Matrix.Cell {
  fileprivate var markup: Markup {
    // Without a name, so that a screen reader says the verdict alone; the words say the same.
    let mark: Markup =
      switch tone {
      case .good: "✓"
      case .bad: "✗"
      case .neutral: "!"
      case .unknown: "?"
      }
    return "<span class=\"tone \(tone.rawValue)\"><b aria-hidden=\"true\">\(mark)</b>\u{A0}\(text)</span>"
  }
}
