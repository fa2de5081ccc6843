import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let leadingDelimiter = AssociationRule(
    identifier: "aasa.leading-delimiter",
    summary: "Query and fragment patterns do not begin with the '?' or '#' of the URL.", severity: .error,
    source: "Q1",
    bad: [
      ##"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"#":⟦"#settings"⟧}]}]}}"##,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":⟦"?id=*"⟧}]}]}}"#,
    ],
    good: [
      ##"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":"id=*","#":"settings"},{"?":"?*"}]}]}}"##
    ]
  ) { file, report in
    for pattern in file.patterns {
      if pattern.component == .fragment, pattern.text.hasPrefix("#") {
        report.add(
          pattern.node.range, pattern.pointer, "the fragment pattern begins with '#'",
          help: "The fragment does not include the '#', so the pattern never matches. "
            + "Write \"\(pattern.text.dropFirst())\".")
      } else if pattern.component == .query, pattern.isWholeQuery, pattern.text.hasPrefix("?"),
        pattern.text.dropFirst().first.map({ $0.isLetter || $0.isNumber }) ?? false,
        pattern.text.contains("=")
      {
        report.add(
          pattern.node.range, pattern.pointer, "the query pattern begins with '?'",
          help:
            "The query does not include the '?', and in a pattern '?' matches any one character, so the pattern does "
            + "not match. Write \"\(pattern.text.dropFirst())\".")
      }
    }
  }
}
