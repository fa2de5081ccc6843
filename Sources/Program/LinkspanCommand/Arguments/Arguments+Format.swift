package import LinkspanCore

extension Arguments {
  /// The form of the answer: what `--format` names; without it JSON where `--json` asks for that, else text.
  ///
  /// - Throws: When `--json` asks for another one.
  package func format<Format>(_: Format.Type) throws(LinkspanError) -> Format
  where Format: RawRepresentable<String> {
    guard let format = choice("--format", Format.self) else {
      guard let usual = Format(rawValue: has("--json") ? "json" : "text") else {
        preconditionFailure("\(Format.self) has no text or no JSON")
      }
      return usual
    }
    if has("--json"), format.rawValue != "json" {
      throw usage("'--json' and '--format \(format.rawValue)' ask for two formats")
    }
    return format
  }
}
