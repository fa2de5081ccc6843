internal import LinkspanCore

extension AssociationRule {
  static let sampleRules = AssociationRule(
    identifier: "aasa.sample-rules",
    summary: "The rules are not copied from Apple's example.",
    severity: .warning, source: "6.4",
    bad: [
      ##"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[⟦{"#":"no_universal_links","exclude":true}⟧,{"/":"/buy/*"},{"/":"/help/website/*","exclude":true},{"/":"/help/*","?":{"articleNumber":"????"}}]}]}}"##,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/wwdc/news/"⟧,"/videos/wwdc/2015/*"]}]}}"#,
    ],
    good: [
      ##"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"#":"no_universal_links","exclude":true},{"/":"/shop/*"}]}]}}"##
    ]
  ) { file, report in
    for entry in file.entries {
      let samples = (file.components(of: entry) + file.paths(of: entry)).filter { isSample($0.node) }
      // One of them alone may well be meant.
      guard samples.count > 1, let first = samples.first else { continue }
      report.add(
        first.node.range, first.pointer,
        "\(samples.count) rules of this entry are copied from Apple's "
          + "example",
        help: "This site probably has no such pages. Write rules for its own pages.")
    }
  }

  /// Whether a rule is one that Apple's documents show and that hardly anybody needs as it is.
  private static func isSample(_ node: JSONNode) -> Bool {
    if let path = node.string {
      return ["/wwdc/news/", "/wwdc/news/*"].contains(path) || path.holds("/videos/wwdc/")
    }
    return node["#"]?.string == "no_universal_links" || node["/"]?.string == "/help/website/*"
      || node["?"]?["articleNumber"]?.string == "????"
  }
}
