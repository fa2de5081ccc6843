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
    let outlooks = [0.0, 0.25, 0.75, 1].map { String(forecast.peak(quantile: $0)) }
    return """
      \(style.bold("\(forecast.peak) requests a second")) at \(forecast.peakAt.description.dropLast(5))Z, \
      \(Decimals.rough(forecast.ratio)) times the calm of \(Decimals.rough(forecast.baseline))
        nine outlooks: \(outlooks[0]) at the calmest, \(outlooks[3]) at the worst, half of them from \(outlooks[1]) \
      to \(outlooks[2])

      """
  }

  private var server: String {
    let load = forecast.load
    let fleet = forecast.fleet
    var lines = [
      "  that second: \(load.handshakes) TLS handshakes, \(load.bytes) bytes",
      "  to answer 99 of 100 within \(Decimals.text(fleet.server.targetMilliseconds)) ms: room for "
        + "\(load.capacity) new connections a second"
        + (load.cores.map { ", \($0) \($0 == 1 ? "core" : "cores") of this server" }
          ?? " (for cores, set server.connection_ms)"),
    ]
    if let capacity = fleet.server.capacity {
      let failed = forecast.curve.failedCount
      lines.append(
        "  this server takes \(Decimals.text(capacity)) a second: "
          + (failed == 0
            ? "nothing fails" : "\(failed) requests of devices fail, and come back 3 hours later"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var comparison: String {
    guard let agents else { return "" }
    let verdict = agents.distance < agents.limit ? "agree" : "do not agree"
    return
      "  device by device: the busiest second has \(agents.peaks.agents) devices, by counts \(agents.peaks.counts); "
      + "the two \(verdict)\n"
  }

  private var remedies: String {
    guard !forecast.remedies.isEmpty else { return "" }
    let rows = forecast.remedies.map { remedy in
      "  \(remedy.name.padded(to: 16))\(String(remedy.peak).padded(to: 9))"
        + "\(("\(Decimals.rough(remedy.ratio))×").padded(to: 10))"
        + (forecast.fleet.server.capacity == nil ? "" : "\(remedy.failed) fail".padded(to: 16))
    }
    return "\n" + style.bold("What each remedy would make of it") + "\n"
      + rows.map { Self.trimmed($0) + "\n" }.joined()
  }

  private var assumptions: String {
    "\n" + style.bold("What it rests on") + "\n"
      + forecast.assumptions.map { "  \($0.name) = \($0.value) (\($0.certainty.rawValue): \($0.source))\n" }
      .joined()
      + "Not in it: devices that are switched off at the hour, errors of the network, and caches between you and devices.\n"
  }

  private static func trimmed(_ line: String) -> String {
    var line = line
    while line.hasSuffix(" ") { line.removeLast() }
    return line
  }
}
