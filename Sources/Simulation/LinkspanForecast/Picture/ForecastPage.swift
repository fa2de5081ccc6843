internal import CLinkspanResources
package import LinkspanCore

/// A forecast as a report.
package struct ForecastPage {
  private let forecast: Forecast
  private let name: String

  /// - Parameter name: What the person calls the fleet.
  package init(_ forecast: Forecast, name: String) {
    self.forecast = forecast
    self.name = name
  }

  /// The week as a picture of its own.
  package var svg: String {
    let body = ForecastPicture(forecast, seconds: week, width: 720).svg
    guard let end = body.firstIndex(of: ">") else { return body }
    return body[...end]
      + "<style>\(Self.style)</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>"
      + body[body.index(after: end)...] + "\n"
  }

  /// What ``svg`` shows: the highest second of each hour.
  package var hours: [(from: WallTime, requests: Int)] {
    stride(from: 0, to: week.upperBound, by: 3600).map { start in
      let part = start..<min(start + 3600, week.upperBound)
      return (
        forecast.fleet.start.advanced(by: .seconds(start)), Int(forecast.curve.requests[part].max() ?? 0)
      )
    }
  }

  private var week: Range<Int> { 0..<forecast.curve.requests.count }

  /// From a minute before the peak to four minutes after it.
  private var peak: Range<Int> {
    let start = max(0, forecast.peakSecond - 60)
    return start..<min(forecast.curve.requests.count, start + 300)
  }

  private static var style: String {
    let resource = linkspan_forecast_css()
    return String(decoding: UnsafeBufferPointer(start: resource.bytes, count: resource.count), as: UTF8.self)
  }

  /// The page. The same forecast gives the same bytes.
  package var html: String {
    var page = ReportPage(
      "Forecast of \(name.split(separator: "/").last ?? "a fleet")", verdict: verdict, standing, facts: facts,
      evidence: [
        chart("\(forecast.fleet.days) days", week, step: 3600, "The highest second of each hour as a table"),
        chart("Five minutes around the peak", peak, step: 10, "The highest second of each ten as a table"),
        scenarios, remedies, assumptions,
      ], remedies: advice)
    page.style = Self.style
    return page.html
  }

  private var standing: ReportPage.Standing {
    if forecast.curve.failedCount > 0 { return .bad }
    // Without a capacity nobody knows what fails. Ours: a server takes twice its normal load.
    return knowsFailures || forecast.ratio < 2 ? .good : .doubtful
  }

  private var verdict: Markup {
    """
    \(ForecastPicture.grouped(forecast.peak)) requests a second at \(ReportPage.time(forecast.peakAt)), \
    \(Decimals.brief(forecast.ratio)) times the normal \(Decimals.brief(forecast.baseline))/s.
    """
  }

  private var facts: [Markup] {
    let load = forecast.load
    let failed = forecast.curve.failedCount
    let cores = load.cores.map { ", \($0) \($0 == 1 ? "core" : "cores") of this server" } ?? ""
    var facts: [Markup] = [
      """
      In that second: \(ForecastPicture.grouped(load.handshakes)) TLS handshakes and \
      \(ForecastPicture.grouped(load.bytes)) bytes. To answer 99 % within \
      \(Decimals.text(forecast.fleet.server.targetMilliseconds)) ms takes capacity for \
      \(ForecastPicture.grouped(load.capacity)) new connections a second\(cores).
      """
    ]
    if failed > 0 {
      facts.append("With this server, \(ForecastPicture.grouped(failed)) device requests fail.")
    }
    if let lengthening = forecast.lengthening { facts.append("The forecast is of \(lengthening).") }
    if let update = forecast.fleet.update {
      facts.append("The update ships at \(ReportPage.time(update.released)).")
    }
    return facts
  }

  /// Whether it is known what the server takes, and so what fails.
  private var knowsFailures: Bool { forecast.fleet.server.capacity != nil }

  /// - Parameter step: Seconds of a row of the table.
  private func chart(_ title: String, _ range: Range<Int>, step: Int, _ caption: String)
    -> ReportPage.Evidence
  {
    func picture(_ width: Int) -> Markup {
      Markup(stringLiteral: ForecastPicture(forecast, seconds: range, width: width).svg)
    }
    let rows = stride(from: range.lowerBound, to: range.upperBound, by: step).map { start -> [Markup] in
      let part = start..<min(start + step, range.upperBound)
      let time = ReportPage.time(forecast.fleet.start.advanced(by: .seconds(start)))
      let highest = Int(forecast.curve.requests[part].max() ?? 0)
      let failed = forecast.curve.failed[part].reduce(0) { $0 + Int($1) }
      return [time, "\(ForecastPicture.grouped(highest))"]
        + (knowsFailures ? ["\(ForecastPicture.grouped(failed))"] : [])
    }
    return .chart(
      ReportPage.Chart(
        title, wide: picture(720), narrow: picture(350), legend: legend(range),
        data: ReportPage.Table(
          caption, columns: ["From", "Requests a second"] + (knowsFailures ? ["Failed"] : []),
          counts: [1, 2],
          cells: rows)))
  }

  /// What a picture of these seconds has.
  private func legend(_ range: Range<Int>) -> Markup {
    let failed: Markup = knowsFailures ? "<span class=\"failed\">of them failed</span> " : .none
    let ships = forecast.fleet.update.map {
      Int(($0.released.milliseconds - forecast.fleet.start.milliseconds) / 1_000)
    }
    let release: Markup =
      ships.map(range.contains) == true ? "<span class=\"release\">the update ships</span> " : .none
    return """
      <p class="legend soft"><span class="requests">requests a second (the highest of each stretch)</span> \
      \(failed)<span class="normal">normal load</span> \(release)Times below the curve are UTC.</p>

      """
  }

  private var scenarios: ReportPage.Evidence {
    let cells = [0.0, 0.25, 0.5, 0.75, 1].map { ForecastPicture.grouped(forecast.peak(quantile: $0)) }
    return .table(
      ReportPage.Table(
        "Range of the peak in nine scenarios, in requests a second: other seeds, with the first assumption"
          + " varied as far as the fleet says",
        columns: ["Lowest", "25 %", "Median", "75 %", "Highest"], counts: [0, 1, 2, 3, 4], rows: [cells]))
  }

  private var remedies: ReportPage.Evidence {
    let failed = knowsFailures ? ["Failed"] : []
    let rows = forecast.helps ? forecast.remedies : []
    return .table(
      ReportPage.Table(
        "Peak with each remedy, in requests a second",
        columns: ["Peak", "Times normal"] + failed + ["Remedy", "Effect"],
        counts: knowsFailures ? [0, 1, 2] : [0, 1],
        rows: rows.map { remedy in
          [ForecastPicture.grouped(remedy.peak), Decimals.rough(remedy.ratio)]
            + failed.map { _ in ForecastPicture.grouped(remedy.failed) }
            + [Self.words(remedy.name), effect(of: remedy)]
        }))
  }

  private func effect(of remedy: Forecast.Remedy) -> String {
    (remedy.helps ? "helps" : "the peak stays")
      + (remedy.days > forecast.fleet.days ? ", in \(remedy.days) days" : "")
  }

  private static func words(_ remedy: String) -> String {
    switch remedy {
    case "all": "all that help together"
    case "cdn": "every device asks Apple's CDN"
    case "keep-alive": "connections are kept open"
    default: String(remedy.map { $0 == "-" ? " " : $0 })
    }
  }

  private var advice: [Markup] {
    let helping = forecast.remedies.filter(\.helps)
    return helping.isEmpty ? ["\(Forecast.noRemedy)"] : helping.map { "\($0.advice)" }
  }

  private var assumptions: ReportPage.Evidence {
    .table(
      ReportPage.Table(
        "Assumptions", columns: ["Name", "Value", "How sure", "Meaning"],
        rows: forecast.assumptions.map {
          [$0.name, $0.value, "\($0.certainty.rawValue): \($0.source)", $0.meaning]
        }))
  }
}
