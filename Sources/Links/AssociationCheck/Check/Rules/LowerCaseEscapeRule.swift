import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let lowerCaseEscape = AssociationRule(
    identifier: "aasa.lower-case-escape",
    summary: "Percent-escapes are upper-case, as in URLs.",
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
        let escape = PercentEncoding.escapes(in: pattern.textWithoutNames).first(where: {
          $0 != $0.uppercased()
        })
      else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "the escape '\(escape)' is in lower case",
        help: "Browsers write '\(escape.uppercased())', and the comparison is case-sensitive (observed). "
          + "Write '\(escape.uppercased())'.")
    }
  }
}
