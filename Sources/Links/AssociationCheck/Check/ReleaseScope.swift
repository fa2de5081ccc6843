package import AppSiteAssociation
package import LinkspanCore

/// The releases that a check is about, for findings that no rule about an association file made.
package struct ReleaseScope: Sendable {
  package let releases: ReleaseSet

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

  package init(_ releases: ReleaseSet) { self.releases = releases }

  /// The finding with the releases that it holds for, or nil where it holds for none of them.
  package func applied(to finding: Finding) -> Finding? {
    if finding.releases != nil { return finding }
    let periods =
      finding.rule == "joined.old-release"
      ? releases.periods.filter { !$0.first.readsComponents } : releases.periods
    return releases.held(periods).map { finding.held(on: $0) }
  }

  /// What the releases asked about cannot take from a file that newer ones do.
  package func findings(in file: AssociationSource) -> [Finding] {
    guard let association = file.content.file else { return [] }
    return releases.readings(of: [association]).compactMap { range in
      let os = range.first
      guard let reason = os.whyNothing(in: association) else { return nil }
      return Finding(
        rule: "aasa.release-takes-nothing", severity: .error, at: .init(file: file.text.name),
        message: "\(range.name) uses no link of this file: \(reason)",
        help: os.hasUniversalLinks
          ? "Before iOS 13 an entry needs \"appID\" and \"paths\", and \"applinks\" needs \"apps\": []. Add "
            + "both, or remove the release from '--os'."
          : "Universal links require iOS 9, tvOS 10, macOS 10.15, watchOS 7 or visionOS 1.",
        source: os.hasUniversalLinks ? "6.2" : "2"
      ).held(on: releases.held([range]))
    }
  }
}
