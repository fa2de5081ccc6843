extension String {
  /// Text from a file or a list, for people: what would break the line, move the cursor or turn the direction of the
  /// text around is written as an escape, so that it cannot pass for output of the program.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where Self.isControl(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
