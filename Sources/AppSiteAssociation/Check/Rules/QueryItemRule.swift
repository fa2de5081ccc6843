internal import LinkspanCore

extension AssociationRule {
  static let queryItem = AssociationRule(
    identifier: "aasa.query-item",
    summary: "In a '?' object, names are literal and patterns are what one value can be.", severity: .warning,
    source: "Q5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{⟦"utm_*"⟧:"?*"}}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{"id":⟦"?*&page=1"⟧}}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{"id":"?*","page":"1"}}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"?":{"id":"a&b"}}]}],"defaults":{"percentEncoded":false}}}"#,
    ]
  ) { file, report in
    for object in file.ruleObjects {
      guard let items = object.node["?"]?.object, items.allSatisfy({ $0.value.string != nil }) else {
        continue
      }
      let isDecoded = object.settings.percentEncoded == false
      for item in items {
        let pointer = object.pointer.appending("?").appending(item.name)
        let wildcard = item.name.first { "*?".contains($0) }.map(String.init)
        if let mark = wildcard ?? (item.name.contains("$(") ? "$(" : nil) {
          report.add(
            item.nameRange, pointer, "the name '\(item.name)' is compared literally",
            help: "Only values have patterns, so '\(mark)' is itself in a name. Write a rule for each name.")
        } else if !isDecoded, let mark = item.name.first(where: { "&=#".contains($0) }) {
          report.add(
            item.nameRange, pointer, "no query item has the name '\(item.name)'",
            help:
              "Queries are split at '&' and '=' and end at '#', so '\(mark)' is in no name. Write an item for "
              + "each part.", source: "Q2")
        }
        if !isDecoded, let mark = (item.value.string ?? "").first(where: { "&#".contains($0) }) {
          report.add(
            item.value.range, pointer, "no value of '\(item.name)' holds '\(mark)'",
            help:
              "Queries are split at '&' and end at '#', so this never matches. Write an item for each part.",
            source: "Q2")
        }
      }
    }
  }
}
