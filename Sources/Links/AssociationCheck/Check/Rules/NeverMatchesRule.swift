import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let neverMatches = AssociationRule(
    identifier: "aasa.never-matches", summary: "A path pattern contains no scheme, host or fragment.",
    severity: .error, source: "P11",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/#/settings"⟧]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"https://example.com/a"⟧]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"www.example.com/a"⟧]}]}}"#,
    ],
    good: [
      ##"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"#":"/settings"}]}]}}"##
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.component == .path {
      let text = ASCII.lowercased(pattern.text)
      if text.hasPrefix("https://") || text.hasPrefix("http://") {
        let url = LinkURL(pattern.text)
        let path = url.text(of: url.path)
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern is a whole URL",
          help:
            "iOS compares it with the URL's path only, which practically never begins with a scheme. Write "
            + "\"\(path.isEmpty ? "/" : path)\"."
        )
      } else if let host = Self.host(in: text) {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern begins with the host '\(host)'",
          help: "iOS compares it with the URL's path only, so it matches only a path that begins with that "
            + "name. "
            + "Remove the host.", severity: .warning)
      } else if text.contains("#"), pattern.settings.percentEncoded ?? true {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern contains '#'",
          help: "A path ends before the '#', so the pattern never matches. "
            + "To match the fragment, use the \"#\" key of \"components\"; \"paths\" cannot match it.")
      }
    }
  }
  /// A first segment that is a host rather than a folder or a file.
  private static func host(in pattern: String) -> Substring? {
    guard !pattern.hasPrefix("/") || pattern.hasPrefix("//") else { return nil }
    guard let first = pattern.split(separator: "/").first else { return nil }
    let labels = first.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, labels.allSatisfy({ !$0.isEmpty }) else { return nil }
    let isHost = labels.first == "www" || ["com", "org", "net", "io", "app", "dev"].contains(labels.last)
    return isHost ? first : nil
  }
}
