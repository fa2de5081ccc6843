internal import LinkspanCore

extension StatementRule {
  static let fingerprint = StatementRule(
    .fingerprint, summary: "A fingerprint is 32 bytes in upper-case hex with colons.",
    source: "D4",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":[⟦"\#(exampleFingerprint.lowercased())"⟧]}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":[⟦"\#(exampleFingerprint.prefix(59))"⟧]}}]"#,
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":[⟦"YOUR_SHA256_FINGERPRINT_HERE"⟧]}}]"#,
    ])
}
