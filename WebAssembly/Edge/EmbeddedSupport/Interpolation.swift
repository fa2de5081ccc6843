// Texts with values in them, of which a program has thousands: one function for all of a kind.

extension DefaultStringInterpolation {
  /// Adds a number.
  @inline(never) public mutating func appendInterpolation(_ number: Int) { appendLiteral(number.description) }

  /// Adds a part of a text.
  @inline(never) public mutating func appendInterpolation(_ text: Substring) { appendLiteral(String(text)) }
}
