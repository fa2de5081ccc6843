/// How long answers took, in nanoseconds.
package struct Latencies {
  private var values: [Int64] = []

  package init() {}

  package var count: Int { values.count }

  package mutating func add(_ nanoseconds: Int64) { values.append(nanoseconds) }

  /// What the given share of the answers did not pass, in nanoseconds; nil without any.
  package func quantile(_ share: Double) -> Int64? {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return nil }
    return sorted[max(0, min(sorted.count - 1, Int((Double(sorted.count) * share).rounded(.up)) - 1))]
  }

  /// Members of a JSON object, in milliseconds: the value that a share of the answers did not pass.
  package func json(_ prefix: String = "") -> String {
    let sorted = values.sorted()
    func member(_ name: String, _ index: Int) -> String {
      let value = sorted.isEmpty ? "null" : Decimal.text(Double(sorted[index]) / 1e6)
      return "\"\(prefix)\(name)_ms\":\(value)"
    }
    func at(_ percent: Int) -> Int { max(0, (sorted.count * percent + 99) / 100 - 1) }
    return [member("p50", at(50)), member("p99", at(99)), member("max", sorted.count - 1)]
      .joined(separator: ",")
  }
}

package enum Decimal {
  /// With three digits behind the point.
  package static func text(_ value: Double) -> String {
    let thousandths = Int64((value * 1_000).rounded())
    let fraction = String(thousandths % 1_000)
    return "\(thousandths / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
