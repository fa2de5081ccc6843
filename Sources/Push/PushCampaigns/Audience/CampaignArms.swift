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

  /// Reads a share such as `0.25`, to the nearest millionth: programs write a third as `0.3333333333333333`.
  ///
  /// - Parameter text: A number in JSON's grammar.
  /// - Returns: In millionths; nil for what is no share from 0 to 1.
  package static func share(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts[0] == "0" || parts[0] == "1", let whole = Int64(parts[0])
    else {
      return nil
    }
    var fraction: Int64 = 0
    if parts.count == 2 {
      let digits = parts[1]
      guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit), let number = Int64(digits.prefix(6))
      else { return nil }
      fraction = (digits.prefix(6).utf8.count..<6).reduce(number) { sum, _ in sum * 10 }
      if let next = digits.utf8.dropFirst(6).first, next >= UInt8(ascii: "5") { fraction += 1 }
    }
    let share = whole * Self.whole + fraction
    return share <= Self.whole ? share : nil
  }

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
