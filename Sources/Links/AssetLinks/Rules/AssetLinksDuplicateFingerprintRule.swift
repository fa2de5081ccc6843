internal import LinkspanCore

extension StatementRule {
  static let duplicateFingerprint = StatementRule(
    identifier: "assetlinks.duplicate-fingerprint", summary: "No statement has the same fingerprint twice.",
    severity: .note, source: "D4",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":["\#(exampleFingerprint)",⟦"\#(exampleFingerprint)"⟧]}}]"#
    ],
    good: [exampleList]
  ) { file, report in
    for (node, base) in file.objects {
      let key = "sha256_cert_fingerprints"
      var seen: Set<String> = []
      for (index, element) in (node["target"]?[key]?.array ?? []).enumerated() {
        guard let text = element.string, !seen.insert(text.uppercased()).inserted else { continue }
        report.add(
          element.range, base.appending("target").appending(key).appending(index),
          "the fingerprint is listed twice",
          help:
            "Remove one, or replace it with the fingerprint of another certificate: the upload key and Play's signing key "
            + "differ (D10).")
      }
    }
  }
}
