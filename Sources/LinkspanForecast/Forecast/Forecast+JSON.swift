package import LinkspanCore

extension Forecast {
  /// The document that `forecast --json` prints.
  package var json: JSON {
    let load = load
    return .object([
      ("type", .string("forecast")),
      ("baseline_rps", .decimal(baseline)),
      ("peak_rps", .int(peak)),
      ("peak_at", .string(peakAt.description)),
      ("ratio", .decimal(ratio)),
      (
        "quantiles",
        .object([0.0, 0.25, 0.5, 0.75, 1].map { ("p\(Int($0 * 100))", .int(peak(quantile: $0))) })
      ),
      ("handshakes_per_s", .int(load.handshakes)),
      ("bytes_per_s", .int(load.bytes)),
      ("failed", .int(curve.failedCount)),
      (
        "capacity",
        .object([
          ("target_p99_ms", .decimal(fleet.server.targetMilliseconds)),
          ("connections_per_s", .int(load.capacity)), ("cores", JSON(load.cores)),
          (
            "connection_ms", fleet.server.connectionMilliseconds.map(JSON.decimal) ?? .null
          ),
        ])
      ),
      ("remedies", .array(remedies.map(\.json))),
      ("assumptions", .array(assumptions.map(\.json))),
      ("devices", .int(fleet.devices)), ("direct_devices", .int(fleet.directDevices)),
      ("start", .string(fleet.start.description)), ("days", .int(fleet.days)),
      ("seed", .string(String(seed))),
    ])
  }

  /// What the peak rests on, the weightiest first.
  package var assumptions: [FleetParameter] {
    let order = [
      "update.burst_share", "routes.below_ios_14", "update.nightly_share", "update.automatic_share",
      "site.requests_per_s",
    ]
    return order.compactMap { name in FleetParameter.all(of: fleet).first { $0.name == name } }
  }

  /// One line a second: `time,requests,devices,failed`. The first line names the columns.
  package func writeCSV(to write: (String) -> Void) {
    write("time,requests,devices,failed\n")
    for second in curve.requests.indices {
      let time = fleet.start.advanced(by: .seconds(second))
      write(
        "\(time),\(curve.requests[second]),\(curve.devices[second]),\(curve.failed[second])\n")
    }
  }
}

extension Forecast.Remedy {
  var json: JSON {
    .object([
      ("name", .string(name)), ("peak_rps", .int(peak)), ("ratio", .decimal(ratio)), ("failed", .int(failed)),
      ("handshakes_per_s", .int(handshakes)), ("bytes_per_s", .int(bytes)), ("cores", JSON(cores)),
      ("advice", .string(advice)), ("source", JSON(source)),
    ])
  }
}

extension FleetParameter {
  var json: JSON {
    .object([
      ("name", .string(name)), ("value", .string(value)), ("certainty", .string(certainty.rawValue)),
      ("source", .string(source)), ("meaning", .string(meaning)),
    ])
  }
}

extension JSON {
  /// With at most three digits after the point.
  package static func decimal(_ value: Double) -> JSON { .number(Decimals.text(value)) }
}

/// Numbers as people write them.
package enum Decimals {
  /// With at most three digits after the point, none of them a trailing zero.
  package static func text(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0" }
    let thousandths = Int((abs(value) * 1000).rounded())
    let sign = value < 0 && thousandths > 0 ? "-" : ""
    var fraction = String(thousandths % 1000)
    fraction = String(repeating: "0", count: 3 - fraction.count) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return sign + String(thousandths / 1000) + (fraction.isEmpty ? "" : "." + fraction)
  }

  /// A share without rounding to thousandths: `0.0047`.
  package static func share(_ value: Double) -> String {
    let scaled = Int((value * 1_000_000).rounded())
    var fraction = String(scaled % 1_000_000)
    fraction = String(repeating: "0", count: 6 - fraction.count) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return String(scaled / 1_000_000) + (fraction.isEmpty ? "" : "." + fraction)
  }
}
