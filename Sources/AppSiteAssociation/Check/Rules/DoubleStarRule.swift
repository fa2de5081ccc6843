internal import LinkspanCore

extension AssociationRule {
  static let doubleStar = AssociationRule(
    identifier: "aasa.double-star", summary: "One star is enough: it crosses '/'.", severity: .note,
    source: "P1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a/**"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.text.contains("**") {
      report.add(
        pattern.node.range, pattern.pointer, "'**' means the same as '*'",
        help: "A star stands for any characters, '/' included; write one. Only a single '/*' at the end "
          + "also matches the path without it.", fix: AssociationFix.singleStars(pattern.node, in: file))
    }
  }
}
