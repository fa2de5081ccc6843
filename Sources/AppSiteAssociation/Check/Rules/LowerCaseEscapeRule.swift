internal import LinkspanCore

extension AssociationRule {
  static let lowerCaseEscape = AssociationRule(
    identifier: "aasa.lower-case-escape",
    summary: "Percent-encoding is written in upper case, as URLs have it.",
    severity: .warning, source: "K3",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/caf%c3%a9"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/caf%C3%A9"},{"/":"/caf%c3%a9","caseSensitive":false}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      guard pattern.settings.percentEncoded ?? true, pattern.settings.caseSensitive ?? true,
        let escape = PercentEncoding.escapes(in: pattern.text).first(where: { $0 != $0.uppercased() })
      else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "'\(escape)' is compared letter by letter",
        help: "Browsers write '\(escape.uppercased())', and the two do not match (observed). Write it so.")
    }
  }
}
