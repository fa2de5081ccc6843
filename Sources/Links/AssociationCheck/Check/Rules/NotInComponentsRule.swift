internal import LinkspanCore

extension AssociationRule {
  static let notInComponents = AssociationRule(
    identifier: "aasa.not-in-components",
    summary: "Only \"paths\" supports \"NOT \"; \"components\" uses "
      + "\"exclude\".", severity: .error,
    source: "J14",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"NOT /a/*"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT /a/*","*"]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns {
      if pattern.isLegacyPath {
        let written = pattern.node.string ?? ""
        if pattern.isExclusionWithTwoBlanks {
          report.add(
            pattern.node.range, pattern.pointer, "'\(written)' has more than one space after NOT",
            help: "iOS reads the second space as part of the path, so the rule excludes nothing. Leave one "
              + "space.")
          continue
        }
        guard !written.hasPrefix("NOT "),
          ASCII.lowercased(written).hasPrefix("not ") || written.hasPrefix("NOT/") || written.hasPrefix("!/")
        else { continue }
        report.add(
          pattern.node.range, pattern.pointer, "'\(written)' excludes nothing",
          help: "Write \"NOT \" in upper case with one space; anything else is compared literally.",
          fix: AssociationFix.pathExclusion(pattern.node, in: file))
      } else if pattern.text.hasPrefix("NOT ") {
        report.add(
          pattern.node.range, pattern.pointer, "\"NOT \" does not exclude in \"components\"",
          help: "Here iOS compares it literally, so the rule never matches. "
            + "Write \"\(pattern.text.dropFirst(4))\" and \"exclude\": true.",
          fix: AssociationFix.componentExclusion(pattern, in: file))
      } else if pattern.text.hasPrefix("!/") {
        report.add(
          pattern.node.range, pattern.pointer, "'!' does not exclude",
          help: "iOS compares it literally, so the rule never matches. "
            + "Write \"\(pattern.text.dropFirst())\" and \"exclude\": true.",
          fix: AssociationFix.componentExclusion(pattern, in: file))
      }
    }
  }
}
