internal import LinkspanCore

extension AssociationRule {
  static let literalSyntax = AssociationRule(
    identifier: "aasa.literal-syntax",
    summary: "Patterns support '*', '?' and '$(name)'; other wildcards are literal text.",
    severity: .warning,
    source: "P1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/user/:id"⟧}]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/item/[0-9]+"⟧]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/user/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      guard let foreign = ForeignPattern(pattern.textWithoutNames) else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "'\(foreign.text)' is compared literally",
        help: "Patterns are not regular expressions or routes. Write '*' for any number of characters, "
          + "'?' for exactly one, '?*' for at least one.")
    }
  }
}
