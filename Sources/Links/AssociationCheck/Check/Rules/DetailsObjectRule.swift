package import LinkspanCore

extension AssociationRule {
  static let detailsObject = AssociationRule(
    identifier: "aasa.details-object", summary: "\"details\" is an array.", severity: .note, source: "J13",
    bad: [
      #"{"applinks":{"apps":[],"details":⟦{"ABCDE12345.com.example.app":{"paths":["/a"]}}⟧}}"#,
      #"{"applinks":{"apps":[],"details":⟦{"appID":"ABCDE12345.com.example.app","paths":["/a"]}⟧}}"#,
      #"{"applinks":{"apps":[],"details":{"ABCDE12345.com.example.app":⟦["/a"]⟧}}}"#,
    ],
    good: [#"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["/a"]}]}}"#]
  ) { file, report in
    guard let (appLinks, base) = file.appLinks, let details = appLinks["details"],
      let members = details.object, !members.isEmpty
    else { return }
    let pointer = base.appending("details")
    if details.isEntry {
      report.add(
        details.range, pointer, "\"details\" is one entry, not an array of entries",
        help:
          "Devices would read its keys as application identifiers, so it names no app. Put '[' before it and ']' after it.",
        severity: .error, fix: AssociationFix.listOfOne(details, of: "object"))
      return
    }
    for member in members where member.value.object == nil {
      report.add(
        member.value.range, pointer.appending(member.name),
        "this is \(member.value.typeName); expected an object",
        help: "Write {\"paths\": […]}. The effect is not documented; devices probably ignore the value.",
        severity: .error)
    }
    guard members.contains(where: { $0.value.object != nil }) else { return }
    report.add(
      details.range, pointer, "\"details\" is an object keyed by application identifier",
      help:
        "This form is obsolete. Devices still accept it (observed), but the order of the apps is undefined. "
        + "Write an array of entries, each with an \"appID\".")
  }
}

extension JSONNode {
  /// Whether it is an entry, or was meant as one: no application identifier is one of these keys.
  package var isEntry: Bool {
    object?.contains { ["appID", "appIDs", "paths", "components"].contains($0.name) } == true
  }
}
