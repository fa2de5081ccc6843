import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let missingSlash = AssociationRule(
    identifier: "aasa.missing-slash", summary: "A path pattern begins with '/', '*', '?' or a variable.",
    severity: .note, source: "P5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"buy/*"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.component == .path {
      guard let first = pattern.text.first, !"/*?$".contains(first), !pattern.text.holds("://"),
        // The rules about expressions and about blanks speak of these.
        first != "^", !first.isWhitespace, !pattern.looksLikeExclusion
      else { continue }
      report.add(
        pattern.node.range, pattern.pointer, "the path pattern does not begin with '/'",
        help:
          "Apple's matcher adds the '/' (observed for \"components\"). Write \"/\(pattern.text)\" to make that explicit.",
        fix: AssociationFix.leadingSlash(pattern.node, in: file))
    }
  }
}
