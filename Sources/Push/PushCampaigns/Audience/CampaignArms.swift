internal import LinkspanCore

/// Who gets which variant of a campaign, and who gets nothing, decided by chance that can be repeated: by a number that a
/// keyed hash draws for each person.
package struct CampaignArms: Hashable, Sendable {
  /// What one person gets.
  package enum Arm: Hashable, Sendable {
    /// Nothing: to compare the others with.
    case holdout
    /// The variant at this index.
    case variant(Int)
    /// The campaign's own payload.
    case own
  }

  /// A whole, in the unit of shares.
  package static let whole: Int64 = 1_000_000

  /// Of everybody, in millionths.
  package let holdout: Int64
  /// Of those whom the holdout leaves, in millionths.
  package let shares: [Int64]

  package init(holdout: Int64 = 0, shares: [Int64] = []) {
    self.holdout = holdout
    self.shares = shares
  }

  /// - Parameter draw: A number that is evenly distributed and the same for every device of a person: the upper half
  ///   decides about the holdout, the lower one about the variant, so that neither leans on the other.
  package func arm(_ draw: UInt64) -> Arm {
    if Self.millionths(draw >> 32) < holdout { return .holdout }
    let place = Self.millionths(draw & 0xFFFF_FFFF)
    var end: Int64 = 0
    for (index, share) in shares.enumerated() {
      end += share
      if place < end { return .variant(index) }
    }
    return .own
  }

  private static func millionths(_ number: UInt64) -> Int64 { Int64((number * UInt64(whole)) >> 32) }

  /// Reads a share such as `0.25`, to the nearest millionth: programs write a third as `0.3333333333333333`,
  /// and a small number as `1e-05`.
  ///
  /// - Parameter text: A number in JSON's grammar.
  /// - Returns: In millionths; nil for what is no share from 0 to 1.
  package static func share(_ text: String) -> Int64? {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(maxSplits: 1, omittingEmptySubsequences: false) {
      $0 == "e" || $0 == "E"
    }
    let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard mantissa.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }),
      mantissa[0] == "0" || !mantissa[0].hasPrefix("0"),
      let exponent = parts.count == 1 ? 0 : Int(parts[1]), exponentRange.contains(exponent)
    else { return nil }
    let digits = Array(mantissa.joined(separator: "").utf8)
    if digits.allSatisfy({ $0 == UInt8(ascii: "0") }) { return 0 }
    guard !isNegative else { return nil }
    // How many of the digits say millionths; zeros follow the last one.
    let places = mantissa[0].utf8.count + exponent + 6
    var share: Int64 = 0
    for place in 0..<max(0, places) {
      share = share * 10 + (place < digits.count ? Int64(digits[place] - UInt8(ascii: "0")) : 0)
      guard share <= whole else { return nil }
    }
    if digits.indices.contains(places), digits[places] >= UInt8(ascii: "5") { share += 1 }
    return share <= whole ? share : nil
  }

  /// Of ten, in a share. Ours: no body has so many digits.
  private static let exponentRange = -1_000_000...1_000_000

  /// Shares that make a whole, in the same ratio: thirds do not add up to it in decimal digits.
  ///
  /// - Returns: nil where they are more than a hundredth away from it.
  package static func completed(_ shares: [Int64]) -> [Int64]? {
    let sum = shares.reduce(0, +)
    guard sum > 0, abs(sum - whole) <= whole / 100 else { return nil }
    var completed = shares.map { $0 * whole / sum }
    completed[completed.count - 1] += whole - completed.reduce(0, +)
    return completed
  }

  /// Shares that leave something of a whole, or nothing. What rounding has added is taken from the last one.
  ///
  /// - Returns: nil where they are more than a whole.
  package static func limited(_ shares: [Int64]) -> [Int64]? {
    let excess = shares.reduce(0, +) - whole
    guard excess > 0 else { return shares }
    guard excess <= Int64(shares.count), let last = shares.last, last >= excess else { return nil }
    return shares.dropLast() + [last - excess]
  }

  /// A share as a decimal number.
  package static func text(_ share: Int64) -> String {
    guard share < whole else { return "1" }
    var digits = String(String(whole + share).dropFirst())
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return "0." + digits
  }
}
