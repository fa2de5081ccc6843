internal import LinkspanCore

extension Matrix {
  private static let letterWidth = 6.7
  /// Of the bold heads of columns.
  private static let headLetterWidth = 7.6
  private static let lineHeight = 17
  private static let margin = 16
  private static let titleHeight = 34
  private static let headHeight = 26

  /// A picture that needs nothing else, readable in light and dark surroundings.
  package var svg: String { Self.picture([self]) }

  /// Several tables in one picture, one below the other.
  package static func picture(_ matrices: [Matrix]) -> String {
    let sizes = matrices.map(\.size)
    let width = (sizes.map(\.width).max() ?? 0) + 2 * margin
    let height = sizes.map { $0.height + margin }.reduce(margin, +)
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 \(width) \(height)" width="\(width)" \
      height="\(height)" font-family="system-ui, sans-serif" font-size="12">
      <title>\(Markup.escaped(matrices.map(\.title).joined(separator: "; ")))</title>
      <rect width="\(width)" height="\(height)" fill="#ffffff"/>

      """
    var top = margin
    for (matrix, size) in zip(matrices, sizes) {
      text += matrix.drawing(top: top)
      top += size.height + margin
    }
    return text + "</svg>\n"
  }

  // MARK: - Layout

  private var titleWidth: Int { Self.width(of: rows.map(\.title)) }

  private var columnWidths: [Int] {
    columns.indices.map { column in
      max(
        Self.width(of: rows.flatMap { $0.cells[column].shownLines }),
        Int(Double(columns[column].count) * Self.headLetterWidth) + 18)
    }
  }

  private static func width(of texts: [String]) -> Int {
    Int(Double(texts.map(\.count).max() ?? 0) * letterWidth) + 18
  }

  private func height(of row: Row) -> Int {
    (row.cells.map(\.shownLines.count).max() ?? 1) * Self.lineHeight + 8
  }

  private var size: (width: Int, height: Int) {
    let table = titleWidth + columnWidths.reduce(0, +)
    let words = Self.width(of: allNotes)
    let body = rows.map(height).reduce(0, +)
    return (
      max(table, words),
      Self.titleHeight + Self.headHeight + body + allNotes.count * Self.lineHeight + 10
    )
  }

  private var allNotes: [String] {
    notes + [Self.legend + "."]
  }

  private func drawing(top: Int) -> String {
    var text = Self.label(title, x: Self.margin, y: top + 18, weight: "bold", size: 16)
    let widths = columnWidths
    var y = top + Self.titleHeight
    var x = Self.margin + titleWidth
    for (column, width) in zip(columns, widths) {
      text += Self.label(column, x: x + 8, y: y + 17, weight: "bold")
      x += width
    }
    y += Self.headHeight
    for row in rows {
      let height = height(of: row)
      text += Self.label(row.title, x: Self.margin, y: y + 17)
      x = Self.margin + titleWidth
      for (cell, width) in zip(row.cells, widths) {
        text += """
          <rect x="\(x + 1)" y="\(y + 1)" width="\(width - 2)" height="\(height - 2)" rx="3" \
          fill="\(cell.tone.fill)"/>

          """
        for (number, line) in cell.shownLines.enumerated() {
          text += Self.label(
            line, x: x + 8, y: y + 17 + number * Self.lineHeight, color: cell.tone.letters)
        }
        x += width
      }
      y += height
    }
    for note in allNotes {
      y += Self.lineHeight
      text += Self.label(note, x: Self.margin, y: y, color: "#555555")
    }
    return text
  }

  private static func label(
    _ text: String, x: Int, y: Int, weight: String = "normal", size: Int = 12, color: String = "#1a1a1a"
  ) -> String {
    """
    <text x="\(x)" y="\(y)" font-weight="\(weight)" font-size="\(size)" fill="\(color)">\(Markup.escaped(text))</text>

    """
  }
}

extension Matrix.Cell {
  /// The lines of a picture, the mark of certainty behind the last one.
  fileprivate var shownLines: [String] {
    guard let last = lines.last else { return [] }
    return lines.dropLast() + [last + certainty.mark]
  }
}

extension Matrix.Tone {
  fileprivate var fill: String {
    switch self {
    case .good: "#d9f0dd"
    case .bad: "#f8d7d3"
    case .neutral: "#fdf0c8"
    case .unknown: "#e3e6ea"
    }
  }

  fileprivate var letters: String {
    switch self {
    case .good: "#12501f"
    case .bad: "#7d1408"
    case .neutral: "#5a4300"
    case .unknown: "#3a4048"
    }
  }
}
