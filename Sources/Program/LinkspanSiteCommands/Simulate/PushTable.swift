internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSimulator
internal import PushDelivery

/// What came of each push on each device, alike ones together.
struct PushTable {
  private let rows: [SimulationResult.PushRow]

  init(_ rows: [SimulationResult.PushRow]) { self.rows = rows }

  func text(style: TextStyle) -> String {
    var text = ""
    var place = rows.startIndex
    while place < rows.endIndex {
      let number = rows[place].number
      let own = rows[place...].prefix { $0.number == number }
      place = own.endIndex
      text += style.bold(rows[own.startIndex].name) + " to \(rows[own.startIndex].app)\n"
      var groups: [[SimulationResult.PushRow]] = []
      for row in own {
        if let same = groups.firstIndex(where: { Self.isSame($0[0], row) }) {
          groups[same].append(row)
        } else {
          groups.append([row])
        }
      }
      for group in groups { text += Self.line(group, style) }
    }
    return text.isEmpty ? "" : text + "\n"
  }

  private static func isSame(_ left: SimulationResult.PushRow, _ right: SimulationResult.PushRow) -> Bool {
    left.fate == right.fate && left.record.reason == right.record.reason
      && left.record.wasShown == right.record.wasShown
  }

  private static func line(_ group: [SimulationResult.PushRow], _ style: TextStyle) -> String {
    let row = group[0]
    let devices =
      group.count > 4
      ? "\(group.count) devices" : group.map(\.device).joined(separator: ", ")
    let fate = style.paint(row.fate, row.fate == "woke" ? .green : .cyan)
    var text = "  \(fate) on \(devices)" + (row.record.wasShown ? ", shown" : "")
    guard let reason = row.record.reason else { return text + "  [\(row.record.provenance.text)]\n" }
    text += ": \(reason.rawValue)\n    \(reason.facts.sentence) [\(row.record.provenance.text)]\n"
    return text + "    change: \(reason.facts.change)\n"
  }
}
