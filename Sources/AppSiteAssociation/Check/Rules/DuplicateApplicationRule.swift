internal import LinkspanCore

extension AssociationRule {
  static let duplicateApplication = AssociationRule(
    identifier: "aasa.duplicate-application", summary: "No list names an app twice.", severity: .note,
    source: "J5",
    bad: [
      #"{"webcredentials":{"apps":["ABCDE12345.com.example.app",⟦"ABCDE12345.com.example.app"⟧]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app",⟦"ABCDE12345.com.example.app"⟧],"components":[{"/":"/a"}]}]}}"#,
    ],
    good: [#"{"webcredentials":{"apps":["ABCDE12345.com.example.app","ABCDE12345.com.example.other"]}}"#]
  ) { file, report in
    func check(_ list: JSONNode?, _ pointer: JSONPointer) {
      var seen: Set<String> = []
      for (index, node) in (list?.array ?? []).enumerated() {
        guard let text = node.string, !seen.insert(text).inserted else { continue }
        report.add(
          node.range, pointer.appending(index), "'\(text)' stands in this list twice",
          help: "Once is enough. Look whether another app was meant.")
      }
    }
    for service in Service.allCases where service != .applinks {
      let pointer = JSONPointer().appending(service.rawValue).appending("apps")
      check(file.root?[service.rawValue]?["apps"], pointer)
    }
    for entry in file.entries { check(entry.node["appIDs"], entry.pointer.appending("appIDs")) }
  }
}
