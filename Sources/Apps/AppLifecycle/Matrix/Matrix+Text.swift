package import LinkspanCore

extension Matrix {
  static let legend = "(o) observed, (i) inferred; everything else is documented by Apple"

  /// The table for a terminal: a block for each row where the columns do not fit.
  ///
  package func text(style: TextStyle) -> String {
    var grid = [[""] + columns]
    for row in rows { grid.append([row.title] + row.cells.map(\.text)) }
    let widths = grid[0].indices.map { column in grid.map { $0[column].count }.max() ?? 0 }
    var text = style.bold(title) + "\n"
    if let limit = style.columns, widths.reduce(0, +) + 2 * widths.count > limit {
      text += blocks(style)
    } else {
      for (number, line) in grid.enumerated() {
        var shown = ""
        for (column, cell) in line.enumerated() {
          let padded = cell + String(repeating: " ", count: widths[column] - cell.count)
          shown +=
            number > 0 && column > 0 ? paint(padded, rows[number - 1].cells[column - 1], style) : padded
          if column < line.count - 1 { shown += "  " }
        }
        while shown.last == " " { shown.removeLast() }
        text += shown + "\n"
      }
    }
    for note in notes { text += "\(note)\n" }
    return text + Self.legend + "\n"
  }

  private func blocks(_ style: TextStyle) -> String {
    let width = columns.map(\.count).max() ?? 0
    var text = ""
    for row in rows {
      text += "\n\(style.bold(row.title))\n"
      for (column, cell) in zip(columns, row.cells) {
        text +=
          "  " + column + String(repeating: " ", count: width - column.count) + "  "
          + paint(cell.text, cell, style) + "\n"
      }
    }
    return text + "\n"
  }

  private func paint(_ text: String, _ cell: Cell, _ style: TextStyle) -> String {
    switch cell.tone {
    case .good: style.paint(text, .green)
    case .bad: style.paint(text, .red)
    case .neutral: text
    case .unknown: style.paint(text, .cyan)
    }
  }
}
