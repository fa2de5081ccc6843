/// Text that others wrote, in a file, a network answer, an argument or a database, on its way to somebody who reads it.
///
/// One table, ``Swift/Unicode/Scalar/isControl``, says which characters are never written as they are. Each writer has its
/// own notation: text, GitHub annotations, Markdown, XML and HTML show `\u{9b}`; ``JSON`` and SARIF escape `\u009b`, which
/// reads back the same. ``WorkflowCommands`` breaks what a build service would obey.
extension String {
  /// A value that is quoted in a line: line ends and tabs are escaped as well, so that what stands behind them cannot pass
  /// for a line of the program.
  package var onOneLine: String { onOneLine(keepsColours: false) }

  /// - Parameter keepsColours: Whether the sequences that ``TextStyle`` writes stay.
  func onOneLine(keepsColours: Bool) -> String {
    escapingControls(keepsLines: false, keepsColours: keepsColours)
  }

  /// A text of several lines: line feeds and tabs stay as they are.
  ///
  /// - Parameter keepsColours: Whether the sequences that ``TextStyle`` writes stay as well. A file that has them can
  ///   colour its own text, and nothing else.
  package func withoutControls(keepsColours: Bool) -> String {
    escapingControls(keepsLines: true, keepsColours: keepsColours)
  }

  private func escapingControls(keepsLines: Bool, keepsColours: Bool) -> String {
    guard utf8.contains(where: Unicode.Scalar.mayBeginControl) else { return self }
    var result = UnicodeScalarView()
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if !scalar.isControl || (keepsLines && (scalar == "\n" || scalar == "\t")) {
        result.append(scalar)
      } else if keepsColours, scalar == "\u{1B}",
        let sequence = TextStyle.sequences.first(where: { rest.starts(with: $0.unicodeScalars) })
      {
        result.append(scalar)
        result.append(contentsOf: sequence.unicodeScalars)
        rest = rest.dropFirst(sequence.unicodeScalars.count)
      } else {
        result.append(contentsOf: scalar.visibleEscape.unicodeScalars)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Whether a reader does something else with it than show it: C0 and C1 controls, DEL, line and paragraph separators, and
  /// what turns the direction of the text around it.
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: turnsDirection
    }
  }

  /// The bidirectional marks, embeddings, overrides and isolates.
  ///
  /// - Source: Unicode Standard Annex 9, section 2 (explicit formatting characters).
  package var turnsDirection: Bool {
    switch value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Whether a byte of UTF-8 begins a control character, and few others: most text has none and is read once.
  static func mayBeginControl(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2
  }

  /// How a person sees it where the format has no escape of its own.
  package var visibleEscape: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
