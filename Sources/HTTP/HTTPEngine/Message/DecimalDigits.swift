extension [UInt8] {
  /// Appends a number that is not negative in decimal digits.
  mutating func appendDecimal(_ number: Int) {
    precondition(number >= 0, "a length is not negative")
    let start = count
    var rest = number
    repeat {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
