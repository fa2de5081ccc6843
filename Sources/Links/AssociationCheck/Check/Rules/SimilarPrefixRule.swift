internal import AssociatedDomains
internal import LinkspanCore

extension AssociationRule {
  static let similarPrefix = AssociationRule(
    identifier: "aasa.similar-prefix",
    summary: "No two prefixes of application identifiers differ in a single character.",
    severity: .warning, source: "J5",
    bad: [
      #"{"webcredentials":{"apps":["ABCDE12345.com.example.app",⟦"ABCDE12346.com.example.other"⟧]}}"#
    ],
    good: [
      #"{"webcredentials":{"apps":["ABCDE12345.com.example.app","QWERT67890.com.example.other"]}}"#
    ]
  ) { file, report in
    var seen: Set<String> = []
    // By the prefix with each of its characters left out in turn.
    var prefixOfRest: [[UInt8]: String] = [:]
    for identifier in file.applicationIdentifiers {
      let prefix = String(identifier.text.prefix { $0 != "." })
      let bytes = Array(prefix.utf8)
      guard bytes.count == ApplicationIdentifier.prefixLength, seen.insert(prefix).inserted else { continue }
      var similar: String?
      for place in bytes.indices {
        var rest = bytes
        rest[place] = 0
        if let other = prefixOfRest[rest] { similar = similar ?? other } else { prefixOfRest[rest] = prefix }
      }
      guard let similar else { continue }
      report.add(
        identifier.range, identifier.pointer,
        "the prefix '\(prefix)' differs from '\(similar)' in one character",
        help:
          "Prefixes are random, so one of the two is probably a typo. Compare both with the Team ID "
          + "of the developer account.")
    }
  }
}
