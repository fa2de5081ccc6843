/// Text that must reach no reader as it is: the table that tests put into files, names and arguments.
package enum StrangeText {
  /// Stands behind every line break, so that a line which begins with it was begun by the text.
  package static let mark = "MARK"

  /// Controls but the null byte, which no name and no argument can hold; DEL, C1, separators and what turns the direction.
  package static let controls: [Unicode.Scalar] =
    [
      Array(0x01...0x1F), [0x7F, 0x80, 0x84, 0x85, 0x8D, 0x90, 0x9B, 0x9C, 0x9D, 0x9F],
      [0x061C, 0x200E, 0x200F], Array(0x202A...0x202E), Array(0x2066...0x2069), [0x2028, 0x2029],
    ].flatMap { $0 }.compactMap { Unicode.Scalar(UInt32($0)) }

  /// Line breaks before text, and commands that build services obey.
  package static let lines = [
    "\n\(mark)", "\r\n\(mark)", "\r\(mark)", "\n::error title=a::\(mark)", "\n  ::add-mask::\(mark)",
    "\n\t::stop-commands::x", "##[error]\(mark)", "\n##[group]\(mark)", "##vso[task.complete]\(mark)",
    "\u{2028}::warning::\(mark)", "\u{0B}::notice::\(mark)", "\u{A0}::debug::\(mark)", "]]>\(mark)",
    "-->\(mark)",
    "`|x\(mark)", "\u{1B}]0;\(mark)\u{7}", "\u{1B}[31m\(mark)", "%0A::error::\(mark)", "\"'\\\(mark)",
  ]

  /// Everything at once: one run of a program shows it all.
  package static let all = "x" + controls.map { String($0) + "y" }.joined() + lines.joined(separator: "z")

  /// One for each character and line, each a text of its own.
  package static let each = controls.map { "x\($0)y" } + lines + ["::error::\(mark)", "##[error]\(mark)"]

  /// The characters of a text that a reader would obey, line feeds and tabs apart.
  package static func raw(in text: String) -> [Unicode.Scalar] {
    let forbidden = Set(controls).subtracting(["\n", "\t"])
    return text.unicodeScalars.filter { forbidden.contains($0) || (0x80..<0xA0).contains($0.value) }
  }

  /// The lines of a text that a build service would obey, or that begin with the mark.
  package static func begun(in text: String) -> [String] {
    text.split { $0.isNewline || $0 == "\r" }.map(String.init).filter { line in
      let rest = line.unicodeScalars.drop { $0.properties.isWhitespace }
      return rest.starts(with: "::".unicodeScalars) || rest.starts(with: mark.unicodeScalars)
        || ["##[", "##vso[", "##teamcity["].contains { line.contains($0) }
    }
  }
}
