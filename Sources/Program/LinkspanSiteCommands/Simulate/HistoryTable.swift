internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
import SimulatedDevices

/// Who sees a new rule, and when, as a table for a terminal: a line a device, a column a moment of tapping.
struct HistoryTable {
  private let history: OpeningHistory

  /// Ours: what fits a screen. The JSON and the timeline have all.
  private static let lineLimit = 40
  private static let columnLimit = 8

  init(_ history: OpeningHistory) { self.history = history }

  func text(style: TextStyle) -> String {
    let columns = shownColumns
    let from = history.way.name == "messages" ? "" : " (from \(history.way.title))"
    var rows = [
      ["device"] + columns.map { history.moments[$0].time.sinceStart } + [
        "first opens", "has its file since",
      ]
    ]
    for line in history.lines.prefix(Self.lineLimit) {
      rows.append(
        [line.device.name.onOneLine] + columns.map { line.cells[$0].word }
          + [line.firstOpening?.sinceStart ?? "-", line.fileSince?.sinceStart ?? "-"])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = "who sees what, and when: " + style.bold(history.link.onOneLine) + from + "\n"
    for (number, row) in rows.enumerated() {
      var line = " "
      for (column, cell) in row.enumerated() {
        let isLast = column == row.count - 1
        let padded = isLast ? cell : cell.padded(to: widths[column])
        let color: TextStyle.Colour? =
          number == 0
          ? nil : cell == "app" ? .green : LinkVerdict.Destination(rawValue: cell) != nil ? .cyan : nil
        line += " " + (color.map { style.paint(padded, $0) } ?? padded) + (isLast ? "" : " ")
      }
      text += line + "\n"
    }
    let hiddenLines = history.lines.count - Self.lineLimit
    if hiddenLines > 0 {
      text +=
        "  and \(hiddenLines.counted("more device")): --json and --html have \(hiddenLines == 1 ? "it" : "them")\n"
    }
    let hiddenColumns = history.moments.count - columns.count
    if hiddenColumns > 0 {
      text += "  \(hiddenColumns) more taps are left out: --json and --html have them\n"
    }
    return text
  }

  /// The moments at which a device did something new, the first and the last of them where there are too many.
  private var shownColumns: [Int] {
    let all = Array(history.moments.indices)
    guard all.count > Self.columnLimit else { return all }
    let telling = all.filter { column in
      column == 0 || history.lines.contains { $0.cells[column] != $0.cells[column - 1] }
    }
    guard telling.count > Self.columnLimit else { return telling }
    return Array(telling.prefix(Self.columnLimit - 1)) + [telling[telling.count - 1]]
  }
}
