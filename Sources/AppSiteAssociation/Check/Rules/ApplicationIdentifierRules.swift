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
        let inside = (range.lowerBound + 1)...(max(range.lowerBound + 1, range.upperBound - 1))
        if range.count == text.utf8.count + 2 {
          place =
            (inside.lowerBound + problem.range.lowerBound)..<(inside.lowerBound + problem.range.upperBound)
        }
        report.add(
          place, pointer, problem.message, help: problem.help, severity: problem.severity,
          source: problem.source)
      }
    }
    func check(_ list: JSONNode?, _ pointer: JSONPointer) {
      for (index, node) in (list?.array ?? []).enumerated() {
        if let text = node.string { check(text, node.range, pointer.appending(index)) }
      }
    }
    for service in Service.allCases where service != .applinks {
      let pointer = JSONPointer().appending(service.rawValue).appending("apps")
      check(file.root?[service.rawValue]?["apps"], pointer)
    }
    for entry in file.entries {
      if let key = entry.key { check(key.name, key.nameRange, entry.pointer) }
      if let node = entry.node["appID"], let text = node.string {
        check(text, node.range, entry.pointer.appending("appID"))
      }
      check(entry.node["appIDs"], entry.pointer.appending("appIDs"))
    }
  }

  static let noApplication = AssociationRule(
    identifier: "aasa.no-application", summary: "Every entry names an application.", severity: .error,
    source: "J7",
    bad: [
      #"{"applinks":{"details":[⟦{"components":[{"/":"/a"}]}⟧]}}"#,
      #"{"applinks":{"details":[{"appIDs":⟦[]⟧,"components":[{"/":"/a"}]}]}}"#,
    ],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#]
  ) { file, report in
    for entry in file.entries where entry.key == nil {
      if let node = entry.node["appIDs"], node.array?.isEmpty == true {
        let hidden = entry.node["appID"] != nil ? " It hides \"appID\" as well (J6)." : ""
        report.add(
          node.range, entry.pointer.appending("appIDs"), "\"appIDs\" is empty, so the entry is for no app",
          help: "Name the application identifiers.\(hidden)")
      } else if entry.node["appIDs"] == nil, entry.node["appID"] == nil {
        report.add(
          entry.node.range, entry.pointer,
          "the entry has neither \"appIDs\" nor \"appID\", so it is for no app",
          help: "Add \"appIDs\": [\"PREFIX.bundle.identifier\"].")
      }
    }
  }

  static let hiddenAppID = AssociationRule(
    identifier: "aasa.hidden-app-id",
    summary:
      "What \"appID\" names is among \"appIDs\" when an entry has both: iOS 13 and later read only the latter.",
    severity: .warning, source: "J6",
    bad: [
      #"{"applinks":{"details":[{"appID":⟦"ABCDE12345.com.example.old"⟧,"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","appIDs":["ABCDE12345.com.example.app"],"paths":["/a"],"components":[{"/":"/a"}]}]}}"#
    ]
  ) { file, report in
    for entry in file.entries {
      guard let node = entry.node["appID"], let text = node.string, let list = entry.node["appIDs"]?.array,
        !list.isEmpty, !list.contains(where: { $0.string == text })
      else { continue }
      report.add(
        node.range, entry.pointer.appending("appID"), "\(text) is not among \"appIDs\"",
        help: "iOS 13 and later ignore \"appID\" where \"appIDs\" stands (observed). Add it to the list.")
    }
  }
}
