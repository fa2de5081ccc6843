import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let queryInPath = AssociationRule(
    identifier: "aasa.query-in-path",
    summary: "A path pattern contains no query: in a pattern, '?' matches "
      + "any one character.",
    severity: .warning, source: "P11",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/buy?id=*"⟧}]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/buy?id=*"⟧]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/buy","?":{"id":"?*"}},{"/":"/item/????"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.component == .path {
      guard let query = Self.query(in: pattern.textWithoutNames) else { continue }
      let way =
        pattern.isLegacyPath
        ? "\"paths\" matches the path only; to match the query, use \"components\" (iOS 13 and later)."
        : "Match the query with the \"?\" key, as in {\"/\": \"\(query.path)\", \"?\": {\"\(query.name)\": \"?*\"}}."
      report.add(
        pattern.node.range, pattern.pointer, "the path pattern contains a query, '\(query.text)'",
        help:
          "A path ends before the '?', so iOS compares '\(query.name)=' with the path, which almost never matches. "
          + way)
    }
  }

  /// The part that was meant as a query: from a '?' that a name and '=' follow.
  package static func query(in pattern: String) -> (path: Substring, text: Substring, name: Substring)? {
    var rest = pattern[...]
    while let mark = rest.firstIndex(of: "?") {
      rest = rest[rest.index(after: mark)...]
      let name = rest.prefix { $0.isLetter || $0.isNumber || "_-.[]".contains($0) }
      if !name.isEmpty, rest.dropFirst(name.count).first == "=" {
        return (pattern[..<mark], pattern[mark...], name)
      }
    }
    return nil
  }
}
