internal import LinkspanCore

extension AssociationRule {
  static let neverMatches = AssociationRule(
    identifier: "aasa.never-matches", summary: "A path pattern is a path: no scheme, no host, no fragment.",
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
            "It is compared with the path alone, so it never matches. Write \"\(path.isEmpty ? "/" : path)\"."
        )
      } else if let host = Self.host(in: text) {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern begins with the host '\(host)'",
          help: "It is compared with the path alone, so it matches only below a folder of that name. "
            + "Write what stands behind the host.", severity: .warning)
      } else if text.contains("#"), pattern.settings.percentEncoded ?? true {
        report.add(
          pattern.node.range, pattern.pointer, "the path pattern holds '#'",
          help: "A path ends before '#', so it never matches. "
            + "Compare the fragment with a \"#\" key of \"components\"; \"paths\" cannot.")
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
