internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanForecast
internal import LoadGenerator

/// What a rehearsal found, as text and as JSON.
struct RehearsalReport {
  private let report: Rehearsal.Report
  private let plan: Rehearsal.Plan

  init(_ report: Rehearsal.Report, plan: Rehearsal.Plan) {
    self.report = report
    self.plan = plan
  }

  private func milliseconds(_ share: Double) -> Double? {
    report.latencies.quantile(share).map { Double($0) / 1e6 }
  }

  /// Processor time of the rehearsal for one connection, in milliseconds.
  private var ownCost: Double { Double(report.processorTime) / 1e6 / Double(max(1, report.offered)) }

  /// Ours: a delay that a person notices in the latencies.
  private static let notedLateness: Int64 = 50_000_000

  var json: JSON {
    let quantiles = [("p50_ms", 0.5), ("p90_ms", 0.9), ("p99_ms", 0.99), ("p999_ms", 0.999)]
    let failures = report.failures.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
    return .object(
      [
        ("type", .string("rehearsal")), ("offered", .int(report.offered)), ("held", .int(report.held)),
        ("failed", .object(failures.map { ($0.key, .int($0.value)) })),
      ] + quantiles.map { ($0.0, milliseconds($0.1).map(JSON.decimal) ?? .null) } + [
        ("broke_at_s", JSON(report.brokeAt)), ("peak_offered_per_s", .int(report.peakOffered)),
        ("retry_after_s", plan.retrySeconds.map(JSON.decimal) ?? .null),
        ("interrupted", .bool(report.isInterrupted)), ("late_ms", .decimal(Double(report.lateness) / 1e6)),
        ("own_connection_ms", .decimal(ownCost)),
        (
          "seconds",
          .array(
            report.seconds.map {
              .object([
                ("offered", .int($0.offered)), ("again", .int($0.again)), ("held", .int($0.answered)),
                ("failed", .int($0.failed)),
              ])
            })
        ),
      ])
  }

  func text(_ style: TextStyle) -> String {
    var lines = [
      style.bold("\(report.held) of \(report.offered) answered")
        + (report.isInterrupted ? ", interrupted" : "")
        + ", at most \(report.peakOffered) new connections a second"
    ]
    let names = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)]
    lines.append(
      "  "
        + names.map { "\($0.0) \(milliseconds($0.1).map(Decimals.text) ?? "–") ms" }.joined(separator: ", ")
        + ", from the scheduled start")
    for (name, count) in report.failures.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }) {
      lines.append("  \(count) failed: \(name)")
    }
    lines.append(
      report.brokeAt.map { "  more than 1 % failed in second \($0)" }
        ?? "  at most 1 % failed in every second")
    if report.lateness >= Self.notedLateness {
      lines.append(
        "  this machine was too slow: a connection started \(report.lateness / 1_000_000) ms late, and the times above "
          + "include that; the rehearsal itself takes \(Decimals.text(ownCost)) ms of a core per connection"
      )
    }
    lines.append("\n  second     sent        retries  answered    failed")
    for (index, second) in report.seconds.enumerated() where second.offered > 0 {
      let cells = [index, second.offered, second.again, second.answered, second.failed]
      let widths = [8, 9, 15, 10, 10]
      lines.append(
        zip(cells, widths).map { number, width in
          String(repeating: " ", count: max(0, width - String(number).count)) + String(number)
        }.joined())
    }
    if let retry = plan.retrySeconds, report.seconds.contains(where: { $0.again > 0 }) {
      lines.append("  devices that failed tried again after \(Decimals.text(retry)) s instead of 3 hours")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
