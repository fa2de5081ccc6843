internal import DeviceRegistry
internal import LinkspanCore

/// Deliveries over time as a picture with axes and the table behind it, from the counts that the store keeps for each minute:
/// exact, however many there are.
struct DeliverySeries {
  private struct Column {
    var accepted = 0
    var rejected = 0
    var other = 0

    var all: Int { accepted + rejected + other }
  }

  /// Columns at most. Ours.
  private static let columnLimit: Int64 = 60
  private static let columnWidth = 10

  private let minutes: Range<Int64>
  /// Minutes of a column.
  private let step: Int64
  private var columns: [Column]

  /// - Parameter minutes: Since 1970.
  init(_ counts: [MinuteCount], minutes: Range<Int64>) {
    self.minutes = minutes
    let length = max(1, Int64(minutes.count))
    step = (length + Self.columnLimit - 1) / Self.columnLimit
    columns = Array(repeating: Column(), count: Int((length + step - 1) / step))
    for count in counts where minutes.contains(count.minute) {
      let place = Int((count.minute - minutes.lowerBound) / step)
      switch count.state {
      case .accepted: columns[place].accepted += Int(count.number)
      case .rejected: columns[place].rejected += Int(count.number)
      default: columns[place].other += Int(count.number)
      }
    }
  }

  private var sum: Int { columns.reduce(0) { $0 + $1.all } }
  private var highest: Int { columns.reduce(0) { max($0, $1.all) } }
  private var stepWords: String { step == 1 ? "minute" : "\(step) minutes" }

  /// The picture, which an update of a page replaces as a whole.
  var picture: Markup {
    let axis = ChartAxis(max(1, highest))
    let scale = stride(from: axis.highest, through: 0, by: -axis.step).map { "<span>\($0)</span>" as Markup }
    let what =
      "\(sum) deliveries ended, at most \(highest) in a \(step == 1 ? "minute" : "column of \(stepWords)")"
    return """
      <div class="plot"><div class="scale soft" aria-hidden="true">\(scale)</div>\
      <svg class="chart" viewBox="0 0 \(columns.count * Self.columnWidth) 100" preserveAspectRatio="none" role="img" \
      aria-label="\(what)">\(bars(axis.highest))</svg></div>
      <p class="axis soft">\(Self.time(minutes.lowerBound))<span>a column is \(step == 1 ? "a minute" : stepWords)</span>\
      \(Self.time(minutes.upperBound))</p>
      <p class="legend soft"><span class="accepted">accepted</span> <span class="rejected">rejected</span> \
      <span class="other">expired or cancelled</span></p><p class="soft">\(what).</p>
      """
  }

  /// One path for each kind, stacked: short, since an open page gets it again with each change.
  private func bars(_ top: Int) -> Markup {
    func height(_ count: Int) -> Int { count * 100 / max(1, top) }
    var paths = ["accepted": "", "rejected": "", "other": ""]
    for (index, column) in columns.enumerated() {
      var base = 100
      for (kind, count) in [
        ("accepted", column.accepted), ("rejected", column.rejected), ("other", column.other),
      ]
      where count > 0 {
        // What happened is seen, however little of the whole it is.
        let tall = max(1, height(count))
        paths[kind, default: ""] += "M\(index * Self.columnWidth) \(base)v-\(tall)h8v\(tall)z"
        base -= tall
      }
    }
    return Markup(
      ["accepted", "rejected", "other"].compactMap { kind -> Markup? in
        guard let path = paths[kind], !path.isEmpty else { return nil }
        return "<path class=\"\(kind)\" d=\"\(path)\"/>"
      })
  }

  private static func time(_ minute: Int64) -> Markup { Piece.time(WallTime(milliseconds: minute * 60_000)) }

  /// What the picture shows, without the columns in which nothing ended.
  var table: Markup {
    let rows = columns.enumerated().filter { $0.element.all > 0 }.map { index, column -> Markup in
      let minute = minutes.lowerBound + Int64(index) * step
      return """
        <tr data-key="minute \(String(minute))"><td>\(Self.time(minute))</td><td class="count">\(column.accepted)</td>\
        <td class="count">\(column.rejected)</td><td class="count">\(column.other)</td></tr>
        """
    }
    if rows.isEmpty { return .none }
    return """
      <details><summary>The numbers of the picture</summary>\(Piece.table(
        "For each \(stepWords) in which pushes ended",
        columns: ["From", .count("Accepted"), .count("Rejected"), .count("Expired or cancelled")], rows: rows))</details>
      """
  }
}
