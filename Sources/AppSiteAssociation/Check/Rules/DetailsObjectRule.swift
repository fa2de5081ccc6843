internal import LinkspanCore

extension AssociationRule {
  static let detailsObject = AssociationRule(
    identifier: "aasa.details-object", summary: "\"details\" is an array.", severity: .note, source: "J13",
    bad: [#"{"applinks":{"apps":[],"details":⟦{"ABCDE12345.com.example.app":{"paths":["/a"]}}⟧}}"#],
    good: [#"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#]
  ) { file, report in
    guard let (appLinks, pointer) = file.appLinks, let details = appLinks["details"], details.object != nil
    else { return }
    report.add(
      details.range, pointer.appending("details"), "\"details\" is an object keyed by application identifier",
      help:
        "That form is obsolete; devices still take it (observed), and which app comes first is undefined. "
        + "Write an array with an \"appID\" in each entry.")
  }
}
