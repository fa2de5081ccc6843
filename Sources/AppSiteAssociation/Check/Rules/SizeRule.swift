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
    report.add(
      0..<0, JSONPointer(), "the file has \(bytes) bytes; \(limit) are allowed",
      help: "Shorten it: wildcards and substitution variables stand for long lists, comments count as well."
        + (bytes > limit ? "" : " It still fits."), severity: bytes > limit ? .error : .warning)
  }
}
