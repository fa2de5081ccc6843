internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let applicationIdentifier = AssociationRule(
    identifier: "aasa.application-identifier",
    summary: "An application identifier is a ten-character prefix, a dot and the bundle identifier.",
    severity: .error, source: "J5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["⟦TEAMID⟧.com.example.app"],"components":[{"/":"/a"}]}]}}"#,
      #"{"applinks":{"apps":[],"details":[{"appID":"⟦com⟧.example.app","paths":["/a"]}]}}"#,
      #"{"webcredentials":{"apps":["⟦⟧"]}}"#,
    ],
    good: [#"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#]
  ) { file, report in
    for identifier in file.applicationIdentifiers {
      let (text, range) = (identifier.text, identifier.range)
      for problem in ApplicationIdentifier.problems(in: text) {
        // Inside the quotation marks; an escape in an identifier would move the place, and none belongs there.
        var place = range
        if range.count == text.utf8.count + 2 {
          let start = range.lowerBound + 1
          place = (start + problem.range.lowerBound)..<(start + problem.range.upperBound)
        }
        report.add(
          place, identifier.pointer, problem.message, help: problem.help, severity: problem.severity,
          source: problem.source)
      }
    }
  }
}
