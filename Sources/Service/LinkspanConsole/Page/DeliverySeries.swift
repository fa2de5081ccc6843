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

  /// Columns at most. Ours: an update of a page brings all of them.
  private static let columnLimit: Int64 = 30
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
      "\(sum == 1 ? "1 delivery" : "\(sum) deliveries") ended, at most \(highest) in a \(step == 1 ? "minute" : "column of \(stepWords)")"
    return """
      <div class="plot"><div class="scale soft" aria-hidden="true">\(scale)</div>\
      <svg class="chart" viewBox="0 0 \(columns.count * Self.columnWidth) 100" preserveAspectRatio="none" role="img" \
      aria-label="\(what)">\(bars(axis.highest))</svg></div>
      <p class="axis soft">\(Self.time(minutes.lowerBound))<span>a column is \(step == 1 ? "a minute" : stepWords)</span>\
      \(Self.time(minutes.upperBound))</p>
      <p class="soft">\(what).</p>
      """
  }

  /// What the colours of the picture mean, which no update changes.
  static let legend: Markup = """
    <p class="legend soft"><span class="accepted">accepted</span> <span class="rejected">rejected</span> \
    <span class="other">expired or cancelled</span></p>
    """

  /// One outline for each kind, the highest behind the others: short, since an open page gets it again with each change.
  private func bars(_ top: Int) -> Markup {
    func tall(_ count: Int) -> Int {
      // What happened is seen, however little of the whole it is.
      count == 0 ? 0 : max(1, count * 100 / max(1, top))
    }
    let accepted = columns.map { tall($0.accepted) }
    let rejected = columns.indices.map { accepted[$0] + tall(columns[$0].rejected) }
    let other = columns.indices.map { rejected[$0] + tall(columns[$0].other) }
    return Markup(
      [
        ("other", other, columns.contains { $0.other > 0 }),
        ("rejected", rejected, columns.contains { $0.rejected > 0 }),
        ("accepted", accepted, columns.contains { $0.accepted > 0 }),
      ].filter(\.2).map { kind, heights, _ in
        "<path class=\"\(kind)\" d=\"\(Self.outline(heights))\"/>" as Markup
      })
  }

  /// Columns of the same height are one step.
  private static func outline(_ heights: [Int]) -> String {
    var path = "M0 100"
    var begin = 0
    for index in heights.indices where index + 1 == heights.count || heights[index + 1] != heights[index] {
      path += "V\(100 - heights[index])h\((index + 1 - begin) * columnWidth)"
      begin = index + 1
    }
    return path + "V100z"
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
