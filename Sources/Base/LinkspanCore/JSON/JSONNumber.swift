/// The grammar of numbers, and what a nearly right one was meant to be.
struct JSONNumber {
  /// In RFC 8259's grammar.
  let text: String
  let isValid: Bool

  /// nil when the word is not even nearly a number (`12abc`, `1.2.3`).
  static func read(_ word: String, dialect: JSONParser.Dialect) -> JSONNumber? {
    if isStrict(word.utf8) { return JSONNumber(text: word, isValid: true) }
    var rest = word[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    if rest.hasPrefix("0x") || rest.hasPrefix("0X"), let value = Int64(rest.dropFirst(2), radix: 16) {
      return JSONNumber(text: (isNegative ? "-" : "") + String(value), isValid: dialect == .json5)
    }
    let hadLeadingZero = rest.hasPrefix("0") && rest.dropFirst().first?.isNumber == true
    while rest.hasPrefix("0"), rest.dropFirst().first?.isNumber == true { rest.removeFirst() }
    var mended = String(rest)
    if mended.hasPrefix(".") { mended = "0" + mended }
    if mended.hasSuffix(".") { mended += "0" }
    if isNegative { mended = "-" + mended }
    guard isStrict(mended.utf8) else { return nil }
    return JSONNumber(text: mended, isValid: dialect == .json5 && !hadLeadingZero)
  }

  /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
  private static func isStrict(_ text: String.UTF8View) -> Bool {
    var rest = text[...]
    func digits(_ rest: inout Substring.UTF8View) -> Int {
      let count = rest.prefix(while: ASCII.isDigit).count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let startsWithZero = rest.first == UInt8(ascii: "0")
    let whole = digits(&rest)
    if whole == 0 || (startsWithZero && whole > 1) { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      if digits(&rest) == 0 { return false }
    }
    if let exponent = rest.first, exponent | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        rest = rest.dropFirst()
      }
      if digits(&rest) == 0 { return false }
    }
    return rest.isEmpty
  }
}
