import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let severalEntries = AssociationRule(
    identifier: "aasa.several-entries", summary: "No two entries list the same apps.",
    severity: .note, source: "J11",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]},{"appIDs":⟦["ABCDE12345.com.example.app"]⟧,"components":[{"/":"/b"}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]},{"appIDs":["ABCDE12345.com.example.other"],"components":[{"/":"/b"}]}]}}"#
    ]
  ) { file, report in
    let entries = file.entries.filter { $0.key == nil }
    guard entries.count > 1 else { return }
    var first: [Set<String>: (index: Int, hasComponents: Bool)] = [:]
    for entry in entries {
      let apps = Set(file.applications(of: entry).map { $0.text })
      guard !apps.isEmpty else { continue }
      let hasComponents = entry.node["components"] != nil
      guard let earlier = first[apps] else {
        first[apps] = (entry.index, hasComponents)
        continue
      }
      let key = entry.node["appIDs"] != nil ? "appIDs" : "appID"
      report.add(
        entry.node[key]?.range ?? entry.node.range, entry.pointer.appending(key),
        "entry \(earlier.index) lists the same apps",
        help:
          "The first entry with a matching rule decides (observed), as if both were one list. "
          + (earlier.hasComponents == hasComponents
            ? "Merge the two entries to make the order of the rules obvious."
            : "Without iOS 12 and older, which read \"appID\" and \"paths\", one entry with \"components\" is enough.")
      )
    }
  }
}
