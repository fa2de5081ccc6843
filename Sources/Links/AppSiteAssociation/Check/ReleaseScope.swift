package import LinkspanCore

/// The releases that a check is limited to: findings that affect none of them are dropped.
package struct ReleaseScope: Sendable {
  package let releases: [OSVersion]

  /// What only a check that names releases can find, for the reference.
  package static let rules = [
    CheckRule(
      identifier: "aasa.release-takes-nothing",
      summary: "Every release given with '--os' supports the links of the "
        + "file.", severity: .error, source: "6.2",
      bad: [
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
      ],
      good: [
        #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#
      ])
  ]

  package init(_ releases: [OSVersion]) { self.releases = releases }

  /// The finding as it counts for these releases: the same, a note, or nil where it is certain that none of
  /// them reads what it is about.
  package func applied(to finding: Finding) -> Finding? {
    guard !releases.isEmpty else { return finding }
    switch finding.rule {
    case "aasa.apps-key", "aasa.paths-under-app-ids":
      // Written for releases before 13 (6.2, 6.3, documented).
      return releases.contains { !$0.readsComponents } ? finding : nil
    case "aasa.mixed-formats":
      // From 13 on the components hide the paths (J8, documented); Apple calls it unpredictable all the same.
      if releases.contains(where: { !$0.readsComponents }) { return finding }
      var note = finding
      note.severity = .note
      return note
    case "aasa.newer-than-paths":
      // What releases before 14 ignore of a file that is for them (6.2, documented).
      return releases.contains { !$0.readsDefaults } ? finding : nil
    case "aasa.encoded-pattern" where finding.source == "K3" || finding.source == "K5":
      // A pattern with letters that no URL carries fails on every release.
      return finding
    case "aasa.excluding-defaults", "aasa.encoded-pattern":
      // About keys that are read since 14 (6.4, documented).
      return releases.contains { $0.readsDefaults } ? finding : nil
    case "aasa.shadowed-variable", "aasa.unused-variable", "aasa.variable-name", "aasa.region-uk":
      return releases.contains { $0.readsSubstitutionVariables } ? finding : nil
    case "joined.old-release":
      return releases.contains { !$0.readsComponents } ? finding : nil
    default: return finding
    }
  }

  /// What the releases asked about cannot take from a file that newer ones do.
  package func findings(in file: AssociationSource) -> [Finding] {
    guard let association = file.content.file else { return [] }
    return releases.compactMap { os in
      guard let reason = os.whyNothing(in: association) else { return nil }
      return Finding(
        rule: "aasa.release-takes-nothing", severity: .error, at: .init(file: file.text.name),
        message: "\(os.name) uses no link of this file: \(reason)",
        help: os.hasUniversalLinks
          ? "Before iOS 13 an entry needs \"appID\" and \"paths\", and \"applinks\" needs \"apps\": []. Add "
            + "both, or remove the release from '--os'."
          : "Universal links require iOS 9, tvOS 10, macOS 10.15, watchOS 7 or visionOS 1.",
        source: os.hasUniversalLinks ? "6.2" : "2")
    }
  }
}
