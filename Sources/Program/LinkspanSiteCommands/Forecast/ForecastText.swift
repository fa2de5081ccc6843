internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanForecast

/// A forecast as a person reads it in a terminal.
struct ForecastText {
  private let forecast: Forecast
  private let agents: Forecast.Agents?
  private let style: TextStyle

  init(_ forecast: Forecast, agents: Forecast.Agents?, style: TextStyle) {
    self.forecast = forecast
    self.agents = agents
    self.style = style
  }

  var text: String { headline + server + comparison + remedies + assumptions }

  private var headline: String {
    let peaks = [0.0, 0.25, 0.75, 1].map { String(forecast.peak(quantile: $0)) }
    return """
      \(style.bold("\(forecast.peak) requests a second")) at \(forecast.peakAt.description.dropLast(5))Z, \
      \(Decimals.brief(forecast.ratio)) times the normal \(Decimals.brief(forecast.baseline))/s
        nine scenarios: \(peaks[0]) to \(peaks[3]), half of them \(peaks[1]) to \(peaks[2])
      \(forecast.lengthening.map { "  \($0)\n" } ?? "")
      """
  }

  private var server: String {
    let load = forecast.load
    let fleet = forecast.fleet
    var lines = [
      "  in that second: \(load.handshakes) TLS handshakes, \(load.bytes) bytes",
      "  to answer 99 % within \(Decimals.text(fleet.server.targetMilliseconds)) ms: capacity for "
        + "\(load.capacity) new connections a second"
        + (load.cores.map { ", \($0) \($0 == 1 ? "core" : "cores") of this server" }
          ?? " (for cores, set server.connection_ms)"),
    ]
    if let capacity = fleet.server.capacity {
      let failed = forecast.curve.failedCount
      lines.append(
        "  this server's capacity is \(Decimals.text(capacity)) a second: "
          + (failed == 0
            ? "nothing fails" : "\(failed) device requests fail and are repeated 3 hours later"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var comparison: String {
    guard let agents else { return "" }
    let verdict = agents.distance < agents.limit ? "agree" : "disagree"
    return
      "  busiest second: \(agents.peaks.agents) devices when each is simulated, \(agents.peaks.counts) from counts; "
      + "the two \(verdict)\n"
  }

  private var remedies: String {
    guard !forecast.remedies.isEmpty else { return "" }
    guard forecast.helps else { return "\n\(Forecast.noRemedy)\n" }
    let rows = forecast.remedies.map { remedy in
      "  \(remedy.name.padded(to: 16))\(String(remedy.peak).padded(to: 9))"
        + "\(("\(Decimals.rough(remedy.ratio))×").padded(to: 10))"
        + (forecast.fleet.server.capacity == nil ? "" : "\(remedy.failed) fail".padded(to: 16))
        + Self.remark(remedy, in: forecast.fleet.days)
    }
    return "\n" + style.bold("Peak with each remedy") + "\n"
      + rows.map { Self.trimmed($0) + "\n" }.joined()
  }

  private static func remark(_ remedy: Forecast.Remedy, in days: Int) -> String {
    [remedy.helps ? nil : "the peak stays", remedy.days > days ? "in \(remedy.days) days" : nil]
      .compactMap(\.self).joined(separator: ", ")
  }

  private var assumptions: String {
    "\n" + style.bold("Assumptions") + "\n"
      + forecast.assumptions.map { "  \($0.name) = \($0.value) (\($0.certainty.rawValue): \($0.source))\n" }
      .joined()
      + "Not modelled: devices that are off at that hour, network errors, and caches between you and the devices.\n"
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
