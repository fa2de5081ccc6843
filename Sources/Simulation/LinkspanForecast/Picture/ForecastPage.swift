internal import CLinkspanResources
internal import LinkspanCore

/// A forecast as one page of HTML that needs nothing else: no script, no network, no other file.
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

  private var week: Range<Int> { 0..<forecast.curve.requests.count }

  /// From a minute before the peak to four minutes after it.
  private var peak: Range<Int> {
    let start = max(0, forecast.peakSecond - 60)
    return start..<min(forecast.curve.requests.count, start + 300)
  }

  private static var bytes: [UInt8] {
    let resource = linkspan_forecast_css()
    return Array(UnsafeBufferPointer(start: resource.bytes, count: resource.count))
  }

  private static var style: String { String(decoding: bytes, as: UTF8.self) }

  /// The page. The same forecast gives the same bytes.
  package var html: String {
    let hash = Base64.text(of: SHA256.digest(of: Self.bytes))
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(hash)'; \
      base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(Markup.escaped(name)): forecast</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      <h1>\(Markup.escaped(name))</h1>
      \(headline)
      <h2>\(forecast.fleet.days) days</h2>
      \(pictures(week))<h2>Five minutes around the peak</h2>
      \(pictures(peak))\(legend)\(scenarios)\(remedies)\(assumptions)</main>
      </body>
      </html>

      """
  }

  private var headline: String {
    let load = forecast.load
    let failed = forecast.curve.failedCount
    let cores = load.cores.map { ", \($0) \($0 == 1 ? "core" : "cores") of this server" } ?? ""
    return """
      <p class="big">\(ForecastPicture.grouped(forecast.peak)) requests a second at \
      \(moment) UTC, \(Decimals.brief(forecast.ratio)) times the normal \
      \(Decimals.brief(forecast.baseline))/s.</p>
      <p>In that second: \(ForecastPicture.grouped(load.handshakes)) TLS handshakes and \
      \(ForecastPicture.grouped(load.bytes)) bytes. To answer 99 % within \
      \(Decimals.text(forecast.fleet.server.targetMilliseconds)) ms takes capacity for \
      \(ForecastPicture.grouped(load.capacity)) new connections a second\(cores).\
      \(failed > 0 ? " With this server, \(ForecastPicture.grouped(failed)) device requests fail." : "")</p>
      """
  }

  /// `2026-03-04 00:00:00`.
  private var moment: String {
    String(forecast.peakAt.description.dropLast(5).map { $0 == "T" ? " " : $0 })
  }

  /// Whether it is known what the server takes, and so what fails.
  private var knowsFailures: Bool { forecast.fleet.server.capacity != nil }

  private func pictures(_ range: Range<Int>) -> String {
    "<div class=\"wide\">\(ForecastPicture(forecast, seconds: range, width: 720).svg)</div>\n"
      + "<div class=\"narrow\">\(ForecastPicture(forecast, seconds: range, width: 350).svg)</div>\n"
  }

  private var legend: String {
    """
    <p class="legend"><span class="requests">requests a second (the highest of each stretch)</span> \
    \(knowsFailures ? "<span class=\"failed\">of them failed</span> " : "")\
    <span class="normal">normal load</span></p>

    """
  }

  private var scenarios: String {
    let cells = [0.0, 0.25, 0.5, 0.75, 1].map { ForecastPicture.grouped(forecast.peak(quantile: $0)) }
    return table(
      "Range of the peak", ["lowest", "25 %", "median", "75 %", "highest"], [cells],
      numbers: [0, 1, 2, 3, 4])
      + "<p>Nine scenarios: other seeds, with the first assumption varied as far as the fleet says.</p>\n"
  }

  private var remedies: String {
    let failed = knowsFailures ? ["Failed"] : []
    return table(
      "Peak with each remedy", ["Peak", "Times normal"] + failed + ["Remedy"],
      forecast.remedies.map { remedy in
        [ForecastPicture.grouped(remedy.peak), Decimals.rough(remedy.ratio)]
          + failed.map { _ in ForecastPicture.grouped(remedy.failed) } + [remedy.advice]
      }, numbers: knowsFailures ? [0, 1, 2] : [0, 1])
  }

  private var assumptions: String {
    table(
      "Assumptions", ["Name", "Value", "How sure", "Meaning"],
      forecast.assumptions.map { [$0.name, $0.value, "\($0.certainty.rawValue): \($0.source)", $0.meaning] },
      numbers: [])
  }

  private func table(_ title: String, _ head: [String], _ rows: [[String]], numbers: Set<Int>) -> String {
    func row(_ cells: [String], _ tag: String) -> String {
      let parts = cells.enumerated().map { index, cell in
        "<\(tag)\(numbers.contains(index) ? " class=\"number\"" : "") data-name=\"\(Markup.escaped(head[index]))\">"
          + "\(Markup.escaped(cell))</\(tag)>"
      }
      return "<tr>\(parts.joined())</tr>\n"
    }
    return "<h2>\(Markup.escaped(title))</h2>\n<table>\n<thead>\n\(row(head, "th"))</thead>\n<tbody>\n"
      + rows.map { row($0, "td") }.joined() + "</tbody>\n</table>\n"
  }
}
