internal import LinkspanCore

extension AssociationRule {
  static let duplicateApplication = AssociationRule(
    identifier: "aasa.duplicate-application", summary: "No list contains an app twice.", severity: .note,
    source: "J5",
    bad: [
      #"{"webcredentials":{"apps":["ABCDE12345.com.example.app",⟦"ABCDE12345.com.example.app"⟧]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app",⟦"ABCDE12345.com.example.app"⟧],"components":[{"/":"/a"}]}]}}"#,
    ],
    good: [#"{"webcredentials":{"apps":["ABCDE12345.com.example.app","ABCDE12345.com.example.other"]}}"#]
  ) { file, report in
    for (list, pointer) in file.applicationLists {
      var seen: Set<String> = []
      for (index, node) in (list?.array ?? []).enumerated() {
        guard let text = node.string, !seen.insert(text).inserted else { continue }
        report.add(
          node.range, pointer.appending(index), "'\(text)' is in this list twice",
          help: "Remove one of the two, or replace it with the app that was intended.")
      }
    }
  }
}
