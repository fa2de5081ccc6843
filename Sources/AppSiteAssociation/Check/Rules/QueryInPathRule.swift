internal import LinkspanCore

extension AssociationRule {
  static let queryInPath = AssociationRule(
    identifier: "aasa.query-in-path", summary: "A path pattern holds no query: '?' is any character there.",
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
      guard let query = Self.query(in: pattern.text) else { continue }
      let way =
        pattern.isLegacyPath
        ? "\"paths\" look at the path only; to look at the query, write \"components\" (iOS 13 and later)."
        : "Write the query under \"?\", as in {\"/\": \"\(query.path)\", \"?\": {\"\(query.name)\": \"?*\"}}."
      report.add(
        pattern.node.range, pattern.pointer, "the path pattern holds a query, '\(query.text)'",
        help:
          "A path ends before '?', so this compares '\(query.name)=' with the path and hardly ever matches. "
          + way)
    }
  }

  /// The part that was meant as a query: from a '?' that a name and '=' follow.
  private static func query(in pattern: String) -> (path: Substring, text: Substring, name: Substring)? {
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
