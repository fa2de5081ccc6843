extension String {
  /// Text from a file or a list, for people: what would break the line, move the cursor or turn the direction of the
  /// text around is written as an escape, so that it cannot pass for output of the program.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.isTerminalControl: result += scalar.terminalEscape
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// The same for text of several lines: line ends and tabs stay as they are.
  ///
  /// - Parameter keepsColours: Whether the sequences that ``TextStyle`` writes stay as well. A file that has them can
  ///   colour its own text, and nothing else.
  package func withoutControls(keepsColours: Bool) -> String {
    guard utf8.contains(where: Self.mayBeginControl) else { return self }
    var result = UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar.isTerminalControl, scalar != "\n", scalar != "\t" else {
        result.append(scalar)
        continue
      }
      if keepsColours, scalar == "\u{1B}",
        let sequence = TextStyle.sequences.first(where: { rest.starts(with: $0.unicodeScalars) })
      {
        result.append(scalar)
        result.append(contentsOf: sequence.unicodeScalars)
        rest = rest.dropFirst(sequence.unicodeScalars.count)
      } else {
        result.append(contentsOf: scalar.terminalEscape.unicodeScalars)
      }
    }
    return String(result)
  }

  /// Bytes that a control character begins with, and few others: most text has none and is not looked at twice.
  private static func mayBeginControl(_ byte: UInt8) -> Bool {
    byte < 0x20 ? byte != 0x0A && byte != 0x09 : byte == 0x7F || byte == 0xC2 || byte == 0xE2
  }
}

extension Unicode.Scalar {
  /// Whether a terminal does something else with it than show it: controls, line and paragraph ends, and what turns the
  /// direction of text around.
  package var isTerminalControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  fileprivate var terminalEscape: String { self == "\r" ? "\\r" : "\\u{\(String(value, radix: 16))}" }
}
