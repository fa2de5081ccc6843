import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let queryItem = AssociationRule(
    identifier: "aasa.query-item",
    summary: "In a '?' object, names are literal, and each pattern matches a single "
      + "value.", severity: .warning,
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
            help: "Only values support patterns, so '\(mark)' is literal in a name. Write one rule for each "
              + "name.")
        } else if !isDecoded, let mark = item.name.first(where: { "&=#".contains($0) }) {
          report.add(
            item.nameRange, pointer, "no query item can be named '\(item.name)'",
            help:
              "Queries are split at '&' and '=' and end at '#', so no name contains '\(mark)'. Write one item for "
              + "each part.", source: "Q2")
        }
        if !isDecoded, let mark = (item.value.string ?? "").first(where: { "&#".contains($0) }) {
          report.add(
            item.value.range, pointer, "no value of '\(item.name)' can contain '\(mark)'",
            help:
              "Queries are split at '&' and end at '#', so the pattern never matches. Write one item for each part.",
            source: "Q2")
        }
      }
    }
  }
}
