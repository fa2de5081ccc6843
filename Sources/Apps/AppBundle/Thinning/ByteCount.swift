package import LinkspanCore

/// A number of bytes: exact, or what a rounded text leaves open.
package struct ByteCount: Hashable, Sendable {
  package let lower: Int
  package let upper: Int

  package init(_ exact: Int) { self.init(exact, exact) }

  package init(_ lower: Int, _ upper: Int) {
    precondition(lower <= upper, "an interval begins before it ends")
    self.lower = lower
    self.upper = upper
  }

  package var isExact: Bool { lower == upper }

  /// `n`, or `[lower,upper]`.
  package var json: JSON { isExact ? .int(lower) : .array([.int(lower), .int(upper)]) }

  package static func + (left: Self, right: Self) -> Self {
    ByteCount(left.lower + right.lower, left.upper + right.upper)
  }

  package func overlaps(_ other: Self) -> Bool { lower <= other.upper && other.lower <= upper }
}

/// The sizes of Xcode's report: decimal units, rounded to the nearest.
///
/// - Source: observed in 336 of 336 numbers of reports beside their property lists; below 1,000 bytes, from 999,500
///   to a million and above a thousand megabytes no report was found, and there it follows what smaller numbers do.
package enum ThinningSizeText {
  package static func text(_ bytes: Int) -> String {
    if bytes == 0 { return "Zero KB" }
    if bytes < 1000 { return bytes.counted("byte") }
    let kilobytes = (bytes + 500) / 1000
    if kilobytes < 1000 { return "\(kilobytes) KB" }
    let tenths = (bytes + 50_000) / 100_000
    if tenths < 10_000 { return decimal(tenths, places: 1) + " MB" }
    return decimal((bytes + 5_000_000) / 10_000_000, places: 2) + " GB"
  }

  /// The same in an answer for people: Xcode's "Zero KB" is "0 bytes".
  package static func words(_ bytes: Int) -> String { bytes == 0 ? "0 bytes" : text(bytes) }

  /// `7`, `10.3`, `1.05`: without zeros at the end.
  private static func decimal(_ value: Int, places: Int) -> String {
    var unit = 1
    for _ in 0..<places { unit *= 10 }
    var fraction = String(value % unit)
    fraction = String(repeating: "0", count: places - fraction.count) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return fraction.isEmpty ? "\(value / unit)" : "\(value / unit).\(fraction)"
  }

  /// The bytes that a text may stand for; nil when it is no size.
  package static func bytes(_ text: Substring) -> ByteCount? {
    read(text).map { value, step in
      ByteCount(max(0, value - step / 2), value + max(0, step / 2 - 1))
    }
  }

  /// The bytes that a text says; nil when it is no size.
  package static func value(_ text: Substring) -> Int? { read(text)?.value }

  /// - Returns: The bytes, and what one of the last digit stands for; 0 where they are exact.
  private static func read(_ text: Substring) -> (value: Int, step: Int)? {
    if text == "Zero KB" { return (0, 0) }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2 else { return nil }
    let unit: Int
    var places: Int
    switch words[1] {
    case "bytes", "byte": (unit, places) = (1, 0)
    case "KB": (unit, places) = (1000, 0)
    case "MB": (unit, places) = (1_000_000, 1)
    case "GB": (unit, places) = (1_000_000_000, 2)
    default: return nil
    }
    // The mark depends on the exporter's locale.
    let parts = words[0].split(whereSeparator: { $0 == "." || $0 == "," })
    let isWellFormed = words[0].utf8.allSatisfy { ASCII.isDigit($0) || $0 == 0x2E || $0 == 0x2C }
    guard isWellFormed, (1...2).contains(parts.count), let whole = Int(parts[0]), whole < 1_000_000_000,
      words[0].utf8.count == parts.reduce(parts.count - 1, { $0 + $1.utf8.count })
    else { return nil }
    let fraction = parts.count == 2 ? parts[1] : ""
    guard fraction.utf8.count <= 6 else { return nil }
    places = max(places, fraction.utf8.count)
    var step = unit
    for _ in 0..<places { step /= 10 }
    guard step > 0 else { return nil }
    let digits = fraction + String(repeating: "0", count: places - fraction.utf8.count)
    return (whole * unit + (Int(digits) ?? 0) * step, step)
  }
}
