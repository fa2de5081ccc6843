package import LinkspanCore

extension Arguments {
  /// The form of the answer: what `--format` names; without it JSON where `--json` asks for that, else text.
  ///
  /// - Throws: When there is no such format, or `--json` asks for another one.
  package func format<Format>(_: Format.Type) throws(LinkspanError) -> Format
  where Format: RawRepresentable<String> & CaseIterable {
    let name = value("--format") ?? (has("--json") ? "json" : "text")
    guard let format = Format(rawValue: name) else {
      let names = Format.allCases.map { $0.rawValue }
      throw usage(
        "unknown format '\(name)'; expected \(names.dropLast().joined(separator: ", ")) or \(names.last!)")
    }
    if has("--json"), name != "json" { throw usage("'--json' and '--format \(name)' ask for two formats") }
    return format
  }
}
