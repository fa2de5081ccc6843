internal import LinkspanCore

extension StatementRule {
  static let fingerprints = StatementRule(
    .fingerprints, summary: "An app target has an array of fingerprints.",
    source: "D4",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":⟦{"namespace":"android_app","package_name":"com.example.app"}⟧}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":⟦"\#(exampleFingerprint)"⟧}}]"#,
    ])
}
