internal import LinkspanCore

extension AssociationRule {
  static let applicationIdentifier = AssociationRule(
    identifier: "aasa.application-identifier",
    summary: "An application identifier is the ten-character prefix, a dot and the bundle identifier.",
    severity: .error, source: "J5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["⟦TEAMID⟧.com.example.app"],"components":[{"/":"/a"}]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"⟦com⟧.example.app","paths":["/a"]}]}}"#,
      #"{"webcredentials":{"apps":["⟦⟧"]}}"#,
    ],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#]
  ) { file, report in
    func check(_ text: String, _ range: Range<Int>, _ pointer: JSONPointer) {
      for problem in ApplicationIdentifier.problems(in: text) {
        // Inside the quotation marks; an escape in an identifier would move the place, and none belongs there.
        var place = range
        if range.count == text.utf8.count + 2 {
          let start = range.lowerBound + 1
          place = (start + problem.range.lowerBound)..<(start + problem.range.upperBound)
        }
        report.add(
          place, pointer, problem.message, help: problem.help, severity: problem.severity,
          source: problem.source)
      }
    }
    for (list, pointer) in file.applicationLists {
      for (index, node) in (list?.array ?? []).enumerated() {
        if let text = node.string { check(text, node.range, pointer.appending(index)) }
      }
    }
    for entry in file.entries {
      if let key = entry.key { check(key.name, key.nameRange, entry.pointer) }
      if let node = entry.node["appID"], let text = node.string {
        check(text, node.range, entry.pointer.appending("appID"))
      }
    }
  }
}
