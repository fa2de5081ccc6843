package import LinkspanConsole
internal import LinkspanCore
internal import LinkspanForecast

/// Forecast: peak load after an update for a fleet file, and the peak with each remedy.
package enum UpdatePage {
  package static let all = [
    ConsolePage("GET", "/forecast") { _, visit in page(visit, text: Fleet().document, .none) },
    ConsolePage("POST", "/forecast") { console, visit in forecast(visit, console) },
  ]

  private static func page(_ visit: Console.Visit, text: String, _ answer: Markup) -> Page {
    Page(
      "Forecast", .forecast,
      """
      <h1>Forecast</h1><p>Peak load after an update for the fleet below, and what would lower it.</p>
      \(answer)
      <form class="fields column" method="post" action="/forecast">\(visit.formField)
      <div><label for="f-fleet">Fleet</label><span class="hint" id="h-fleet">JSON5, as “linkspan init --fleet” writes it</span>
      <textarea id="f-fleet" name="fleet" aria-describedby="h-fleet" rows="18" spellcheck="false">\(field: text)</textarea></div>
      <div><button>Forecast</button></div></form>
      """)
  }

  private static func forecast(_ visit: Console.Visit, _ console: Console) -> Page {
    let text = visit.value("fleet").filter { $0 != "\r" }
    let file = FleetFile(SourceText(name: "fleet.json5", text))
    guard file.findings.isEmpty else {
      let rows = file.findings.map { "<li><pre>\($0.text())</pre></li>" as Markup }
      return page(
        visit, text: text,
        "<div class=\"notice bad\" role=\"alert\"><p>The fleet has errors:</p><ul class=\"plain\">\(rows)</ul></div>"
      )
    }
    let forecast = console.alone { Forecast(file.fleet) }
    let report = ForecastPage(forecast, name: "fleet")
    let assumptions = forecast.assumptions.map { assumption -> Markup in
      "<li><code>\(assumption.name)</code> = \(assumption.value) (\(assumption.certainty.rawValue): \(assumption.source))</li>"
    }
    let answer: Markup = """
      <h2>\(forecast.peak) requests a second</h2>
      <p>At \(Piece.time(forecast.peakAt)), \(Decimals.brief(forecast.ratio)) times the normal \
      \(Decimals.brief(forecast.baseline))/s. Nine scenarios peak between \
      \(forecast.peak(quantile: 0)) and \(forecast.peak(quantile: 1)).</p>
      <div class="wide" tabindex="0" role="region" aria-label="The curve"><img class="picture" alt="The curve of requests over the days; the table below has the numbers" \
      src="data:image/svg+xml;base64,\(Base64.text(of: Array(report.svg.utf8)))"></div>
      \(numbers(report))\(remedies(forecast))
      <details><summary>Assumptions</summary><ul class="plain">\(assumptions)</ul></details>
      """
    return page(visit, text: text, answer)
  }

  private static func numbers(_ report: ForecastPage) -> Markup {
    let rows = report.hours.map { hour -> Markup in
      "<tr><td>\(Piece.time(hour.from))</td><td class=\"count\">\(hour.requests)</td></tr>"
    }
    return """
      <details><summary>The numbers of the curve</summary>\(Piece.table(
        "The highest second of each hour", columns: ["From", .count("Requests a second")], rows: rows))</details>
      """
  }

  private static func remedies(_ forecast: Forecast) -> Markup {
    guard forecast.helps else { return "<p>\(Forecast.noRemedy)</p>" }
    let rows = forecast.remedies.map { remedy -> Markup in
      """
      <tr><td>\(remedy.name)</td><td class="count">\(remedy.peak)</td><td class="count">\(Decimals.rough(remedy.ratio))×</td>\
      <td>\(remedy.advice)\(remedy.helps ? "" : " The peak stays.")</td></tr>
      """
    }
    return Piece.table(
      "The peak with each remedy",
      columns: ["Remedy", .count("Peak, requests/s"), .count("× normal"), "What to do"], rows: rows)
  }
}
