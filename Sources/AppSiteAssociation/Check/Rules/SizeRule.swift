internal import LinkspanCore

extension AssociationRule {
  /// Ours: close enough to the limit to say so.
  private static let warningBytes = 100_000

  static let size = AssociationRule(
    identifier: "aasa.size", summary: "The file has at most 131072 bytes, uncompressed.", severity: .error,
    source: "R4", bad: ["⟦⟧{\"applinks\":{\"details\":[]}}" + String(repeating: " ", count: 131_072)],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    let bytes = file.publishedBytes
    guard bytes > warningBytes else { return }
    let limit = AssociationLocation.maximumFileBytes
    let rest = file.isTooLarge ? " Its content was not checked." : bytes > limit ? "" : " It still fits."
    report.add(
      0..<0, JSONPointer(), "the file has \(bytes) bytes; at most \(limit) are allowed",
      help: "Shorten it: wildcards and substitution variables stand for long lists, comments count as well."
        + rest, severity: bytes > limit ? .error : .warning)
    if file.isTooLarge {
      report.leaveUndecided("what \(file.text.name) says: it has \(bytes) bytes; at most \(limit) are read")
    }
  }
}
