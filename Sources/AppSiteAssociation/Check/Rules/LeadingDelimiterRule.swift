internal import LinkspanCore

extension AssociationRule {
  static let leadingDelimiter = AssociationRule(
    identifier: "aasa.leading-delimiter",
    summary: "Patterns of query and fragment begin behind the '?' and the '#' of the URL.", severity: .error,
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
          help: "The fragment is what stands behind the '#', so this never matches. "
            + "Write \"\(pattern.text.dropFirst())\".")
      } else if pattern.component == .query, pattern.isWholeQuery, pattern.text.hasPrefix("?"),
        pattern.text.dropFirst().first.map({ $0.isLetter || $0.isNumber }) ?? false,
        pattern.text.contains("=")
      {
        report.add(
          pattern.node.range, pattern.pointer, "the query pattern begins with '?'",
          help:
            "The query is what stands behind the '?', and in a pattern '?' is any one character, so this does "
            + "not match. Write \"\(pattern.text.dropFirst())\".")
      }
    }
  }
}
