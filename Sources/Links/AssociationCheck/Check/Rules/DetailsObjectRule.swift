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
        "This form is obsolete. Devices still accept it (observed), but the order of the apps is undefined. "
        + "Write an array of entries, each with an \"appID\".")
  }
}
