import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let pathSegments = AssociationRule(
    identifier: "aasa.path-segments", summary: "No segment of a path pattern is empty, '.' or '..'.",
    severity: .warning, source: "P9",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a//b"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a/../b"⟧}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/%2E%2e/*"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/b"},{"/":"/buy/"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.component == .path {
      guard !pattern.text.holds("://") else { continue }
      var segments = pattern.text.split(separator: "/", omittingEmptySubsequences: false)[...]
      // Runs of slashes at either end count as one (P5, P6).
      while segments.first == "" { segments.removeFirst() }
      while segments.last == "" { segments.removeLast() }
      if segments.contains("") {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern contains '//'",
          help:
            "Slashes inside a path are compared one by one (observed), so only a URL with '//' in that position "
            + "matches. Write a single '/'.")
      } else if let dots = segments.first(where: {
        Self.isDots($0, isEncoded: pattern.settings.percentEncoded ?? true)
      }) {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern has the segment '\(dots)'",
          help:
            "Browsers resolve such segments, so no URL contains one. Write the resolved path.",
          source: "P10")
      }
    }
  }

  /// Whether a browser takes a segment for `.` or `..`, which it does of `%2E`, too.
  private static func isDots(_ segment: Substring, isEncoded: Bool) -> Bool {
    if segment == "." || segment == ".." { return true }
    return isEncoded && encodedDots.contains(ASCII.lowercased(String(segment)))
  }

  private static let encodedDots = ["%2e", "%2e%2e", ".%2e", "%2e."]
}
