package import LinkspanCore

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

  /// With one digit after the point at most, as people compare numbers; below 0.1 with two significant
  /// digits, and 0 below 1e-9.
  package static func rough(_ value: Double) -> String {
    let size = abs(value)
    guard size < 0.1, size >= 1e-9 else { return text((value * 10).rounded() / 10) }
    var (digits, factor) = (2, 100.0)
    while size * factor < 10 {
      digits += 1
      factor *= 10
    }
    var fraction = String(Int((size * factor).rounded()))
    fraction = String(repeating: "0", count: max(0, digits - fraction.count)) + fraction
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return (value < 0 ? "-" : "") + "0." + fraction
  }

  /// From 10 as a whole number, below it as ``rough(_:)``: for headlines.
  package static func brief(_ value: Double) -> String {
    abs(value) < 10 || abs(value) > 1e15 ? rough(value) : String(Int(value.rounded()))
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
