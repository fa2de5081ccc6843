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
    func check(_ node: JSONNode?, _ pointer: JSONPointer) {
      for member in node?["?"]?.object ?? [] where member.value.string == nil {
        report.add(
          member.value.range, pointer.appending("?").appending(member.name),
          "the pattern of query item '\(member.name)' is \(member.value.typeName)",
          help:
            "Apple's matcher then ignores the whole \"?\" object (observed), so the rule matches any query. "
            + "Write a string, such as \"?*\" for a value that must be there.")
      }
    }
    check(file.appLinks?.node["defaults"], JSONPointer().appending("applinks").appending("defaults"))
    for entry in file.entries {
      check(entry.node["defaults"], entry.pointer.appending("defaults"))
      for rule in file.components(of: entry) { check(rule.node, rule.pointer) }
    }
  }
}
