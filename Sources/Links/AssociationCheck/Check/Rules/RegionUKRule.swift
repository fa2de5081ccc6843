internal import LinkspanCore

extension AssociationRule {
  static let regionUK = AssociationRule(
    identifier: "aasa.region-uk", summary: "'$(region)' is not used for 'UK': the region code is 'GB'.",
    severity: .note, source: "S5",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/$(region)/a"⟧,"comment":"US, UK, DE"}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/UK/b","exclude":true},{"/":⟦"/$(region)/*"⟧}]}]}}"#,
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(region)/a"}]}]}}"#,
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/$(site)/a"}]}],"substitutionVariables":{"site":["GB","UK"]}}}"#,
    ]
  ) { file, reading, report in
    guard reading.readsVariables, file.variables[ExactText("region")] == nil else { return }
    let patterns = file.patterns
    let comments = file.ruleObjects.compactMap { $0.node["comment"]?.string }
    let speaksOfUK = (patterns.map { $0.text } + comments).contains { text in
      text.split { !$0.isLetter && !$0.isNumber }.contains("UK")
    }
    guard speaksOfUK else { return }
    for pattern in patterns where pattern.text.contains("$(region)") {
      report.add(
        pattern.node.range, pattern.pointer, "'$(region)' does not match 'UK', which this file mentions",
        help:
          "Apple's documentation mentions UK, but its matcher uses ISO codes: GB matches, UK does not (observed). For "
          + "URLs with UK, define your own variable with both values.")
    }
  }
}
