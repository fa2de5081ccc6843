import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  static let onlyExclusions = AssociationRule(
    identifier: "aasa.only-exclusions", summary: "An app with exclusions also has a rule that matches.",
    severity: .warning, source: "M4",
    bad: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":⟦["NOT /a/*"]⟧}]}}"#
    ],
    good: [
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT /a/*","*"]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"ABCDE12345.com.example.app","paths":["NOT *"]}]}}"#,
    ]
  ) { file, reading, report in
    guard let association = file.association else { return }
    let matcher = AssociationMatcher(association, os: reading.os)
    // An exclusion of everything is meant; a page that is kept out is kept out of something.
    let silent = Set(matcher.applications.filter(matcher.onlyExcludesSomething))
    for entry in file.entries {
      guard let app = file.applications(of: entry).first(where: { silent.contains($0.text) }) else {
        continue
      }
      let key = entry.node["components"] != nil ? "components" : "paths"
      guard let node = entry.node[key], node.array?.isEmpty == false else { continue }
      report.add(
        node.range, entry.pointer.appending(key),
        "every rule of '\(app.text)' is an exclusion, so this file lets no URL open the app",
        help:
          "URLs that match no rule stay in the browser, unless the app has a wildcard entry for the host as well (E9). "
          + "After the exclusions, add a rule for the URLs that open the app, "
          + "such as \(key == "paths" ? "\"*\"" : "{\"/\": \"*\"}").")
    }
  }
}
