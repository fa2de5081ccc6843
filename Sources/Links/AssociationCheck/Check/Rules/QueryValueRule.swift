internal import LinkspanCore

extension AssociationRule {
  static let queryValue = AssociationRule(
    identifier: "aasa.query-value", summary: "Every value of a '?' object is a string.", severity: .error,
    source: "Q6",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{"id":"?*","flag":⟦true⟧}}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{"id":"?*"}}]}]}}"#
    ]
  ) { file, report in
    for object in file.ruleObjects {
      for member in object.node["?"]?.object ?? [] where member.value.string == nil {
        report.add(
          member.value.range, object.pointer.appending("?").appending(member.name),
          "the pattern of query item '\(member.name)' is \(member.value.typeName)",
          help:
            "Apple's matcher then ignores the whole \"?\" object (observed), so the rule matches any query. "
            + "Write a string, such as \"?*\" for a required value.")
      }
    }
  }
}
