internal import LinkspanCore

extension AssociationRule {
  static let doubleStar = AssociationRule(
    identifier: "aasa.double-star",
    summary: "A pattern uses '*', not '**': '*' also matches "
      + "'/'.", severity: .note,
    source: "P1",
    bad: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":⟦"/a/**"⟧}]}]}}"#
    ],
    good: [
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*"}]}]}}"#
    ]
  ) { file, report in
    for pattern in file.patterns where pattern.textWithoutNames.holds("**") {
      report.add(
        pattern.node.range, pattern.pointer, "'**' means the same as '*'",
        help: "'*' matches any characters, including '/'. Write a single '*'. Note that a pattern that ends "
          + "in '/*' "
          + "also matches the path without the '/*'; one that ends in '/**' does "
          + "not.",
        fix: pattern.variableNames.contains { $0.contains("**") }
          ? [] : AssociationFix.singleStars(pattern.node, in: file))
    }
  }
}
