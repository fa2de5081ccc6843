internal import LinkspanCore

/// One stretch of a forecast as a picture: requests a second, what failed of them, and the normal load for comparison.
struct ForecastPicture {
  private let forecast: Forecast
  private let seconds: Range<Int>
  private let width: Int
  private let height = 240
  private let left = 52
  private let bottom = 34
  private let top = 14

  /// - Parameters:
  ///   - seconds: The stretch, within the forecast.
  ///   - width: In the picture's own units; letters have 12 of them.
  init(_ forecast: Forecast, seconds: Range<Int>, width: Int) {
    self.forecast = forecast
    self.seconds = seconds
    self.width = width
  }

  private var plotWidth: Int { width - left - 10 }
  private var plotHeight: Int { height - top - bottom }

  /// The whole element, with the name that a screen reader speaks.
  var svg: String {
    let highest = max(1, seconds.reduce(0) { max($0, Int(forecast.curve.requests[$1])) })
    let axis = ChartAxis(highest)
    let scale = axis.highest
    let requests = path(forecast.curve.requests, scale)
    let failed = path(forecast.curve.failed, scale)
    let normal = y(forecast.baseline, scale)
    let failing = forecast.curve.failed[seconds].contains { $0 > 0 }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img" \
      aria-label="Requests a second, at most \(highest); normal load is \(Decimals.text(forecast.baseline)).">
      \(grid(axis))<path class="requests" d="\(requests)"/>
      \(failing ? "<path class=\"failed\" d=\"\(failed)\"/>\n" : "")\
      <path class="normal" d="M\(left) \(normal)H\(left + plotWidth)"/>
      \(release())\(times())</svg>
      """
  }

  private func y(_ value: Double, _ scale: Int) -> String {
    Decimals.text(Double(top) + Double(plotHeight) * (1 - min(1, value / Double(scale))))
  }

  /// The highest second of each unit of width.
  private func path(_ counts: [Int32], _ scale: Int) -> String {
    var text = "M\(left) \(top + plotHeight)"
    for column in 0..<plotWidth {
      let start = seconds.lowerBound + seconds.count * column / plotWidth
      let end = max(start + 1, seconds.lowerBound + seconds.count * (column + 1) / plotWidth)
      let value = counts[start..<min(end, seconds.upperBound)].max() ?? 0
      text += "L\(left + column) \(y(Double(value), scale))"
    }
    return text + "L\(left + plotWidth - 1) \(top + plotHeight)Z"
  }

  private func grid(_ axis: ChartAxis) -> String {
    stride(from: 0, through: axis.highest, by: axis.step).map { value in
      let line = y(Double(value), axis.highest)
      return """
        <path class="grid" d="M\(left) \(line)H\(left + plotWidth)"/>\
        <text x="\(left - 6)" y="\(line)" dy="4" text-anchor="end">\(Self.grouped(value))</text>

        """
    }.joined()
  }

  /// A line where the update ships, when that is within the stretch.
  private func release() -> String {
    guard let update = forecast.fleet.update else { return "" }
    let second = Int((update.released.milliseconds - forecast.fleet.start.milliseconds) / 1000)
    guard seconds.contains(second) else { return "" }
    let x = left + plotWidth * (second - seconds.lowerBound) / seconds.count
    let isLeft = x < left + plotWidth / 2
    return """
      <path class="release" d="M\(x) \(top)V\(top + plotHeight)"/>\
      <text class="release" x="\(isLeft ? x + 5 : x - 5)" y="\(top + 11)" \
      text-anchor="\(isLeft ? "start" : "end")">update ships</text>

      """
  }

  private func times() -> String {
    marks.map { second in
      let x = left + plotWidth * (second - seconds.lowerBound) / seconds.count
      let anchor = x < left + 30 ? "start" : x > left + plotWidth - 30 ? "end" : "middle"
      return "<text x=\"\(x)\" y=\"\(height - 12)\" text-anchor=\"\(anchor)\">\(label(second))</text>\n"
    }.joined()
  }

  private static let day = 86_400

  private var spansDays: Bool { seconds.count > 2 * Self.day }

  /// The seconds that are named below the picture: midnights in UTC, or equal parts of less than two days.
  private var marks: [Int] {
    guard spansDays else {
      let count = width > 500 ? 5 : 2
      return (0...count).map { seconds.lowerBound + seconds.count * $0 / count }
    }
    let ofDay = (Int(forecast.fleet.start.milliseconds / 1000) + seconds.lowerBound) % Self.day
    let first = seconds.lowerBound + (ofDay == 0 ? 0 : Self.day - ofDay)
    let most = width > 500 ? 8 : 4
    let days = (seconds.upperBound - first) / Self.day + 1
    return Array(stride(from: first, through: seconds.upperBound, by: Self.day * ((days + most - 1) / most)))
  }

  /// `03-04` over days, `03-04 00:00` over hours, `00:00:05` over minutes.
  private func label(_ second: Int) -> String {
    let text = forecast.fleet.start.advanced(by: .seconds(second)).description
    let characters = Array(text)
    if spansDays { return String(characters[5..<10]) }
    return seconds.count > 7200
      ? String(characters[5..<10]) + " " + String(characters[11..<16])
      : String(characters[11..<19])
  }

  /// `12 000`, with a narrow blank.
  static func grouped(_ number: Int) -> String {
    var digits = Array(String(number))
    var place = digits.count - 3
    while place > 0 {
      digits.insert("\u{202F}", at: place)
      place -= 3
    }
    return String(digits)
  }
}
