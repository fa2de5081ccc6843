/// A page of numbers in the text format of Prometheus, version 0.0.4.
package struct MetricsPage: Sendable {
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Begins a family of samples: its name, what kind it is, and what it counts.
  package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    bytes += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n".utf8
  }

  /// A family of one sample.
  package mutating func family(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    family(name, kind, help)
    sample(name, [], value)
  }

  /// Adds one sample of the family begun last.
  package mutating func sample(_ name: String, _ labels: [(String, String)], _ value: Int) {
    sample(name, labels, String(value))
  }

  /// - Parameter value: A number as Go reads it.
  package mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    bytes += name.utf8
    if !labels.isEmpty {
      let text = labels.map { "\($0.0)=\"\(Self.escaped($0.1, quotes: true))\"" }.joined(separator: ",")
      bytes += "{\(text)}".utf8
    }
    bytes += " \(value)\n".utf8
  }

  /// A histogram without labels.
  ///
  /// - Parameters:
  ///   - bounds: The upper ends of its buckets, growing, as text in the family's unit.
  ///   - counts: One for each bound and one for everything above.
  ///   - sum: Of everything observed, in the family's unit.
  package mutating func histogram(
    _ name: String, _ help: String, bounds: [String], counts: [Int], sum: String
  ) {
    family(name, .histogram, help)
    histogramSamples(name, [], bounds: bounds, counts: counts, sum: sum)
  }

  /// Adds one histogram of the family begun last.
  package mutating func histogramSamples(
    _ name: String, _ labels: [(String, String)], bounds: [String], counts: [Int], sum: String
  ) {
    precondition(counts.count == bounds.count + 1, "a bucket for each bound, and one above")
    var total = 0
    for (bound, count) in zip(bounds + ["+Inf"], counts) {
      total += count
      sample(name + "_bucket", labels + [("le", bound)], total)
    }
    sample(name + "_sum", labels, sum)
    sample(name + "_count", labels, total)
  }

  /// Milliseconds as a decimal number of seconds.
  package static func seconds(_ milliseconds: Int64) -> String {
    let rest = milliseconds % 1_000
    guard rest > 0 else { return "\(milliseconds / 1_000)" }
    return "\(milliseconds / 1_000).\(String("00\(rest)".suffix(3)))"
  }

  /// A backslash, a line end and, in the value of a label, a quotation mark are written with a backslash.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
