import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let mixedFormats = AssociationRule(
    identifier: "aasa.mixed-formats", summary: "An entry has \"components\" or \"paths\", not both.",
    severity: .warning, source: "J8",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app",⟦"paths"⟧:["/a"],"components":[{"/":"/b"}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    ]
  ) { file, reading, report in
    for entry in file.entries {
      guard entry.node["components"]?.array != nil,
        let member = entry.node.object?.first(where: { $0.name == "paths" })
      else { continue }
      let paths = file.paths(of: entry).compactMap { $0.node.string }
      let components = file.components(of: entry).map { RuleSettings($0.node).json.text }
      func shown(_ list: [String]) -> String {
        list.isEmpty ? "nothing" : list.prefix(3).joined(separator: ", ") + (list.count > 3 ? ", …" : "")
      }
      let old =
        entry.key != nil || entry.node["appID"] != nil
        ? "iOS 12 and older read the paths (\(shown(paths)))"
        : "iOS 12 and older read only \"appID\", so no release uses the paths"
      report.add(
        member.nameRange, entry.pointer.appending("paths"), "the entry mixes \"paths\" and \"components\"",
        help:
          "Apple calls the result unpredictable. According to its documentation \(old), and iOS 13 and later read the "
          + "components (\(shown(components))).",
        // From 13 on the components hide the paths (J8, documented); Apple calls it unpredictable all the same.
        severity: reading.reads { $0.readsComponents } ? .note : .warning)
    }
  }
}
