internal import LinkspanCore

extension AssociationRule {
  static let optionalQueryItem = AssociationRule(
    identifier: "aasa.optional-query-item",
    summary: "A query item's pattern requires a value: '*' also matches a missing item.",
    severity: .note, source: "Q3",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","?":{"id":⟦"*"⟧}}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","?":⟦{}⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a","?":{"id":"?*"}}]}]}}"#
    ]
  ) { file, report in
    for object in file.ruleObjects {
      guard let query = object.node["?"], let items = query.object else { continue }
      let pointer = object.pointer.appending("?")
      if items.isEmpty {
        report.add(
          query.range, pointer, "the \"?\" object is empty, so the rule matches any query",
          help: "List the required query items, as in {\"id\": \"?*\"}, or remove the key.", source: "Q2")
      }
      for item in items {
        guard let text = item.value.string, !text.isEmpty, text.allSatisfy({ $0 == "*" }) else { continue }
        report.add(
          item.value.range, pointer.appending(item.name),
          "the query item '\(item.name)' is optional",
          help: "A missing item counts as an empty value, and '*' matches an empty value (observed). "
            + "To require a value, write \"?*\".")
      }
    }
  }
}
