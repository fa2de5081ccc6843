internal import LinkspanCore

extension StatementRule {
  static let packageName = StatementRule(
    .packageName, summary: "A package name contains only letters, digits, '_' and '.'.",
    source: "D4",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":⟦"com.example-app"⟧,"sha256_cert_fingerprints":["\#(exampleFingerprint)"]}}]"#
    ])
}
