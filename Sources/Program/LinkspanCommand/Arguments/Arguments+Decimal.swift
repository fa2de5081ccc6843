package import LinkspanCore

extension Arguments {
  /// A number of a range, with or without a point.
  package func decimal(_ name: String, in range: ClosedRange<Double>) throws(LinkspanError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      let ends = [range.lowerBound, range.upperBound].map { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" }
      throw usage("'\(name)': expected a number from \(ends[0]) to \(ends[1]), got '\(text)'")
    }
    return number
  }
}
