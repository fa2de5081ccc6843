internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore

/// Releases and what they say of one URL, for people and for programs.
enum ReleaseTable {
  /// One line a reading, each ending in a line feed but the last.
  static func text(_ readings: [ReleaseReading], indent: String) -> String {
    let width = readings.map { $0.period.name.count }.max() ?? 0
    return readings.map { reading in
      let name = reading.period.name.padded(to: width)
      return "\(indent)\(name)  \(word(reading.verdict)): \(reading.reason)"
    }.joined(separator: "\n")
  }

  static func json(_ readings: [ReleaseReading]) -> JSON {
    .array(
      readings.map { reading in
        .object([
          ("from", .string(reading.period.first.description)),
          ("to", .init(reading.period.last?.description)),
          ("decision", .string(reading.verdict.rawValue)), ("reason", .string(reading.reason)),
        ])
      })
  }

  private static func word(_ verdict: Decision.Verdict) -> String {
    switch verdict {
    case .match: "match"
    case .excluded: "excluded"
    case .noMatch: "no match"
    }
  }
}
