import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let newerThanPaths = AssociationRule(
    identifier: "aasa.newer-than-paths",
    summary: "Entries with \"paths\" use no key that iOS 12 and older do not support.",
    severity: .warning, source: "6.2",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":[⟦"/$(lang)/a"⟧]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}],⟦"defaults"⟧:{"caseSensitive":false}}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]},{"appIDs":["ABCDE12345.com.example.other"],"components":[{"/":"/b",⟦"caseSensitive"⟧:false}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(lang)/a","caseSensitive":false}]}]}}"#,
    ]
  ) { file, reading, report in
    // The file itself says that it is for old releases: they are the ones that need "apps" beside "paths".
    let legacy = file.entries.filter { $0.node["paths"] != nil && ($0.key != nil || $0.node["appID"] != nil) }
    guard let (appLinks, base) = file.appLinks, appLinks["apps"]?.array != nil, !legacy.isEmpty else {
      return
    }
    for pattern in file.patterns
    where pattern.isLegacyPath && pattern.text.holds("$(") && !reading.readsVariables {
      report.add(
        pattern.node.range, pattern.pointer, "the path contains a variable",
        help: "iOS 13.4 and older compare '$(' literally, and \"paths\" is for those releases. Write one "
          + "path for each value.")
      break
    }
    for (node, pointer) in reading.reads({ $0.readsDefaults })
      ? [] : [(appLinks, base)] + legacy.map({ ($0.node, $0.pointer) })
    {
      guard let member = node.object?.first(where: { $0.name == "defaults" }),
        member.value.object?.isEmpty == false
      else { continue }
      report.add(
        member.nameRange, pointer.appending("defaults"), "\"defaults\" is used together with \"paths\"",
        help:
          "iOS 13 and older ignore \"defaults\", so the same path has another meaning there than on iOS 14 and later."
      )
    }
    for entry in file.entries {
      for rule in file.components(of: entry) {
        guard
          let member = rule.node.object?.first(where: {
            $0.value.bool == false
              && ($0.name == "caseSensitive" && !reading.reads { $0.readsCaseSensitive }
                || $0.name == "percentEncoded" && !reading.reads { $0.readsDefaults })
          })
        else { continue }
        let since = member.name == "caseSensitive" ? "13.4" : "13"
        report.add(
          member.nameRange, rule.pointer.appending(member.name),
          "iOS \(since) and older ignore \"\(member.name)\", and this file also serves old releases",
          help: "Releases that support \"components\" but not this key (iOS 13) compare the text as written.",
          severity: .note, source: "6.4")
        return
      }
    }
  }
}
