internal import LinkspanCore

extension StatementRule {
  static let packageName = StatementRule(
    .packageName, summary: "The package name of an app has letters, digits, '_' and '.' only.",
    source: "D4",
    bad: [
      #"[{"relation":["\#(Relation.handleAllURLs)"],"target":{"namespace":"android_app","package_name":⟦"com.example-app"⟧,"sha256_cert_fingerprints":["\#(exampleFingerprint)"]}}]"#
    ])
}
