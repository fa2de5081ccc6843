internal import LinkspanCore

extension InfoPlist {
  /// Types that differ only in case: Handoff advertises a hash of the type in lower case, so that the receiving device
  /// cannot tell them apart. A type that is there twice, letter for letter, does no harm.
  static func activityFindings(
    _ types: [PlacedValue<String>], in document: PropertyListDocument
  ) -> [Finding] {
    var first: [String: String] = [:]
    var findings: [Finding] = []
    for type in types {
      let folded = type.value.lowercased()
      guard let other = first[folded] else {
        first[folded] = type.value
        continue
      }
      guard other != type.value else { continue }
      findings.append(
        Finding(
          rule: "info-plist.activity-case-collision", severity: .warning,
          at: document.location(of: type),
          message: "'\(type.value)' and '\(other)' differ only in case.",
          help:
            "Handoff hashes activity types in lower case, so both are the same on the air. Rename one of them.",
          source: "HO1"))
    }
    return findings
  }
}
