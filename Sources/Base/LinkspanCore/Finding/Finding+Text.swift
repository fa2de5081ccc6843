extension Finding {
  /// The finding as a good compiler would print it, with the line it is about and a caret below the place.
  ///
  ///     apple-app-site-association:14:18: error[aasa.unknown-key]: 'exlude' is not a component key.
  ///       14 |       { "/": "/help/*", "exlude": true }
  ///          |                         ^^^^^^^^
  ///       iOS ignores unknown keys, so this path still opens the app. Did you mean 'exclude'?
  package func text(style: TextStyle = .plain) -> String {
    var place = location.file.withoutUserInformation.onOneLine
    if let start = location.start { place += ":\(start.line):\(start.column)" }
    let colour: TextStyle.Colour =
      switch severity {
      case .error: .red
      case .warning: .yellow
      case .note: .cyan
      }
    var text = style.bold(place + ":") + " "
    text += style.paint("\(severity.rawValue)[\(rule)]", colour) + ": " + style.bold(message.onOneLine) + "\n"
    if let start = location.start, let excerpt = location.excerpt {
      text += Self.excerpt(
        excerpt, skipped: location.excerptColumn, start: start, end: location.end, style: style,
        colour: colour)
    }
    for line in wholeHelp?.split(separator: "\n") ?? [] { text += "  \(line)\n" }
    return text
  }

  private static func excerpt(
    _ line: String, skipped: Int, start: SourcePosition, end: SourcePosition?, style: TextStyle,
    colour: TextStyle.Colour
  ) -> String {
    var scalars: [Unicode.Scalar] = []
    // Where each character of the line is shown: an escape takes several places.
    var places: [Int] = []
    let repetitions = line.repetitionsOfHidden
    for (index, scalar) in line.unicodeScalars.enumerated() {
      if repetitions.contains(index) {
        places.append(max(0, scalars.count - 1))
        continue
      }
      places.append(scalars.count)
      if scalar == "\t" {
        scalars.append(" ")
      } else if scalar.isControl {
        scalars += Array(scalar.visibleEscape.unicodeScalars)
      } else {
        scalars.append(scalar)
      }
    }
    func place(_ column: Int) -> Int {
      let index = column - 1 - skipped
      return places.indices.contains(index) ? places[index] : index < 0 ? 0 : scalars.count
    }
    var first = place(start.column)
    var last = end.map { $0.line == start.line ? place($0.column) : scalars.count } ?? first + 1
    // "  14 | " stands before it.
    if let columns = style.columns, case let room = columns - "\(start.line)".count - 5, room > 8,
      scalars.count > room
    {
      let from = max(0, min(first - room / 3, scalars.count - room))
      scalars = Array(scalars[from..<min(scalars.count, from + room)])
      first -= from
      last = min(last - from, scalars.count)
    }
    let length = max(1, min(last, scalars.count) - first)
    var shown = String.UnicodeScalarView()
    shown.append(contentsOf: scalars)
    let number = "\(start.line)"
    let gutter = String(repeating: " ", count: number.count)
    let carets =
      String(repeating: " ", count: first) + style.paint(String(repeating: "^", count: length), colour)
    return "  \(number) | \(String(shown))\n  \(gutter) | \(carets)\n"
  }
}

extension Finding.Location {
  /// ``excerpt`` with one "…" for each hidden part, so that the length of a password does not show.
  package var shownExcerpt: String? {
    excerpt.map { line in
      let repetitions = line.repetitionsOfHidden
      guard !repetitions.isEmpty else { return line }
      var shown = String.UnicodeScalarView()
      for (index, scalar) in line.unicodeScalars.enumerated() where !repetitions.contains(index) {
        shown.append(scalar)
      }
      return String(shown)
    }
  }
}

extension String {
  /// Which scalars are the second and later "…" of what is hidden; an ellipsis that somebody wrote stays.
  fileprivate var repetitionsOfHidden: Set<Int> {
    guard unicodeScalars.contains("…") else { return [] }
    let scalars = Array(unicodeScalars)
    var found: Set<Int> = []
    var place = 0
    while place < scalars.count {
      let end = scalars[place...].firstIndex { $0 != "…" } ?? scalars.count
      let isHidden = end == scalars.count || ["@", "%", "＠"].contains(scalars[end]) || end >= place + 20
      if isHidden, end > place + 1 { found.formUnion((place + 1)..<end) }
      place = end + 1
    }
    return found
  }
}
