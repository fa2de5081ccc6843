package import LinkspanCore

extension Forecast {
  /// The document that `forecast --json` prints.
  ///
  /// - Parameter agents: The comparison, where one was asked for.
  package func json(with agents: Agents? = nil) -> JSON {
    let load = load
    let quantiles: [(String, JSON)] = [0.0, 0.25, 0.5, 0.75, 1].map { quantile in
      ("p\(Int(quantile * 100))", .int(peak(quantile: quantile)))
    }
    let capacity: [(String, JSON)] = [
      ("target_p99_ms", .decimal(fleet.server.targetMilliseconds)),
      ("connections_per_s", .int(load.capacity)), ("cores", JSON(load.cores)),
      ("connection_ms", fleet.server.connectionMilliseconds.map(JSON.decimal) ?? .null),
    ]
    let members: [(String, JSON)] = [
      ("type", .string("forecast")),
      ("baseline_rps", .decimal(baseline)),
      ("peak_rps", .int(peak)),
      ("peak_at", .string(peakAt.description)),
      ("ratio", .decimal(ratio)),
      ("quantiles", .object(quantiles)),
      ("handshakes_per_s", .int(load.handshakes)),
      ("bytes_per_s", .int(load.bytes)),
      ("failed", .int(curve.failedCount)),
      ("capacity", .object(capacity)),
      ("remedies", .array(remedies.map(\.json))),
      ("agents", agents?.json ?? .null),
      ("assumptions", .array(assumptions.map(\.json))),
      ("devices", .int(fleet.devices)), ("direct_devices", .int(fleet.directDevices)),
      ("start", .string(fleet.start.description)), ("days", .int(fleet.days)),
      ("seed", .seed(seed)),
    ]
    return .object(members)
  }

  /// What the peak rests on, the weightiest first.
  package var assumptions: [FleetParameter] {
    let order = [
      "update.burst_share", "routes.below_ios_14", "update.nightly_share", "update.automatic_share",
      "site.requests_per_s",
    ]
    return order.compactMap { name in FleetParameter.all(of: fleet).first { $0.name == name } }
  }

  /// One line a second: `time,requests,devices,failed,connections`. The first line names the columns.
  package static let csvHeader = "time,requests,devices,failed,connections\n"

  package func writeCSV(to write: (String) -> Void) {
    write(Self.csvHeader)
    for second in curve.requests.indices {
      let time = fleet.start.advanced(by: .seconds(second))
      write(
        "\(time),\(curve.requests[second]),\(curve.devices[second]),\(curve.failed[second]),"
          + "\(Decimals.text(curve.connections(in: second, kept: fleet.site.keptShare)))\n")
    }
  }
}

extension Forecast.Agents {
  fileprivate var json: JSON {
    .object([
      ("counts_peak_per_s", .int(peaks.counts)), ("agents_peak_per_s", .int(peaks.agents)),
      ("distance", .decimal(distance)), ("limit", .decimal(limit)), ("agree", .bool(distance < limit)),
    ])
  }
}

extension Forecast.Remedy {
  var json: JSON {
    .object([
      ("name", .string(name)), ("peak_rps", .int(peak)), ("ratio", .decimal(ratio)), ("days", .int(days)),
      ("failed", .int(failed)),
      ("handshakes_per_s", .int(handshakes)), ("bytes_per_s", .int(bytes)), ("cores", JSON(cores)),
      ("helps", .bool(helps)), ("advice", .string(advice)), ("source", JSON(source)),
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
