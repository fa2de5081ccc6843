internal import LinkspanCore

extension AssociationRule {
  /// Our choice: close enough to the limit to say so.
  private static let warningBytes = 100_000

  static let size = AssociationRule(
    identifier: "aasa.size", summary: "The uncompressed file has at most 131072 bytes.", severity: .error,
    source: "R4", bad: ["⟦⟧{\"applinks\":{\"details\":[]}}" + String(repeating: " ", count: 131_072)],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    let bytes = file.publishedBytes
    guard bytes > warningBytes else { return }
    let limit = AssociationLocation.maximumFileBytes
    let rest =
      file.isTooLarge
      ? " Its content was not checked."
      : bytes > limit
        ? ""
        : " The file is still "
          + "below the limit."
    report.add(
      0..<0, JSONPointer(), "the file has \(bytes) bytes; the limit is \(limit) bytes",
      help: "Shorten it: replace long lists by wildcards or substitution variables, and remove comments."
        + rest, severity: bytes > limit ? .error : .warning)
    if file.isTooLarge {
      report.leaveUndecided(
        "the content of \(file.text.name): the file has \(bytes) bytes; the limit is "
          + "\(limit) bytes")
    }
  }
}
