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
      guard let found = LiteralSyntax.find(in: pattern.textWithoutNames) else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "'\(found)' is compared literally",
        help: "Patterns are not regular expressions or routes. Write '*' for any number of characters, "
          + "'?' for exactly one, '?*' for at least one.")
    }
  }
}

/// Wildcards of other languages that people write into patterns.
private enum LiteralSyntax {
  static func find(in pattern: String) -> String? {
    for marker in ["(.*)", ".*", "[^", "[0-9]", "[a-z", "\\d", "\\w", "{{", "^/"]
    where pattern.holds(marker) {
      return marker
    }
    // No URL holds one: browsers make a '/' of it.
    if pattern.holds("\\") { return "\\" }
    for segment in pattern.split(separator: "/") {
      if segment.hasPrefix(":"), segment.count > 1 { return String(segment) }
      if segment.hasPrefix("{"), segment.hasSuffix("}") { return String(segment) }
      if segment.hasPrefix("<"), segment.hasSuffix(">") { return String(segment) }
    }
    return nil
  }
}
