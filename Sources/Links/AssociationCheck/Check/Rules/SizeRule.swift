import AppSiteAssociation
internal import LinkspanCore

/// Made of bytes: every start of `check` makes it, and one blank at a time would take a millisecond.
private let blanks = String(decoding: [UInt8](repeating: 0x20, count: 131_072), as: UTF8.self)

extension AssociationRule {
  /// Our choice: close enough to the limit to say so.
  private static let warningBytes = 100_000

  static let size = AssociationRule(
    identifier: "aasa.size", summary: "The uncompressed file has at most 131072 bytes.", severity: .error,
    source: "R4", bad: ["⟦⟧{\"applinks\":{\"details\":[]}}" + blanks],
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
