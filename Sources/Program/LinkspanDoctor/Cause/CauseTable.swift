internal import LinkspanCore

/// Every cause of a link that opens no app, for the document.
enum CauseTable {
  private static let ofLinks = Cause.allCases.filter { $0.facts.kind != .push }

  /// What the verdict is where the cause alone is found.
  private static func verdict(_ cause: Cause) -> String {
    switch cause.facts.kind {
    case .reaching: "unknown; browser where Apple's CDN has no file"
    case .way where cause == .redirectChain: "unknown where sources disagree, else browser"
    case .way where cause == .unsettledWay: "unknown"
    default: "browser"
    }
  }

  static var markdown: String {
    let rows = ofLinks.map { cause in
      "| `\(cause.rawValue)` | \(cause.facts.kind.rawValue) | \(cause.facts.owner.rawValue) | \(verdict(cause)) | "
        + "\(cause.facts.title) |"
    }
    return
      (["| identifier | class | owner | verdict | what it says |", "| --- | --- | --- | --- | --- |"] + rows)
      .joined(separator: "\n")
  }

  static var json: JSON {
    .object([
      ("type", .string("causes")),
      (
        "causes",
        .array(
          ofLinks.map { cause in
            .object([
              ("id", .string(cause.rawValue)), ("class", .string(cause.facts.kind.rawValue)),
              ("owner", .string(cause.facts.owner.rawValue)), ("verdict", .string(verdict(cause))),
              ("title", .string(cause.facts.title)),
            ])
          })
      ),
    ])
  }
}
