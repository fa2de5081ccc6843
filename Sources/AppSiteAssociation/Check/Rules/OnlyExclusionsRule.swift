internal import LinkspanCore

extension AssociationRule {
  static let onlyExclusions = AssociationRule(
    identifier: "aasa.only-exclusions", summary: "An app with exclusions also has a rule that opens it.",
    severity: .warning, source: "M4",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":⟦["NOT /a/*"]⟧}]}}"#
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT /a/*","*"]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT *"]}]}}"#,
    ]
  ) { file, report in
    guard let association = file.association else { return }
    let matcher = AssociationMatcher(association)
    // An exclusion of everything is meant; a page that is kept out is kept out of something.
    let silent = Set(matcher.applications.filter(matcher.onlyExcludesSomething))
    for entry in file.entries {
      guard let app = file.applications(of: entry).first(where: { silent.contains($0.text) }) else {
        continue
      }
      let key = entry.node["components"] != nil ? "components" : "paths"
      guard let node = entry.node[key], node.array?.isEmpty == false else { continue }
      report.add(
        node.range, entry.pointer.appending(key), "every rule of '\(app.text)' excludes, so no URL opens it",
        help:
          "What no rule names stays in the browser. Add a rule for what is to open, behind the exclusions, "
          + "such as \(key == "paths" ? "\"*\"" : "{\"/\": \"*\"}").")
    }
  }
}
