internal import LinkspanCore

extension AssociationRule {
  static let optionalQueryItem = AssociationRule(
    identifier: "aasa.optional-query-item",
    summary: "The pattern of a query item demands something: '*' also holds for an item that is absent.",
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
          query.range, pointer, "the \"?\" object is empty, so any query will do",
          help: "Name the items that must be there, as in {\"id\": \"?*\"}, or remove it.", source: "Q2")
      }
      for item in items {
        guard let text = item.value.string, !text.isEmpty, text.allSatisfy({ $0 == "*" }) else { continue }
        report.add(
          item.value.range, pointer.appending(item.name),
          "the query item '\(item.name)' need not be there",
          help: "An item that is absent counts as the empty text, and '*' holds for that (observed). "
            + "To demand a value, write \"?*\".")
      }
    }
  }
}
