import LinkspanCore

extension Provenance {
  /// What every event of a kind rests on where whoever records it knows nothing better; nil for what a story
  /// does to its world and for what chance does, which rest on the story.
  static func usual(_ kind: String) -> Provenance? { byKind[kind] }

  private static let byKind: [String: Provenance] = [
    "install": Provenance(["V1"], .documented), "update": Provenance(["V1", "V3"], .documented),
    "launch": Provenance(["V9"], .documented), "reboot": Provenance(["V1"], .observed),
    "choose": Provenance(["section 10 row 6"], .documented),
    "crawl": Provenance(["C2", "C5", "C6"], .observed),
    "app-state": Provenance(["push 7.4", "push 7.6"], .documented),
    "device-state": Provenance(["push 7.13"], .documented),
    // That everything known is forgotten, and that an answer for an app that has gone is not kept: ours.
    "delete": Provenance(["section 5"], .inferred), "drop-answer": Provenance(["section 5"], .inferred),
  ]
}
