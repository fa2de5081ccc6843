package import LinkspanCore

/// A rule about statement lists: what it says, and how it looks.
@dynamicMemberLookup
package struct StatementRule: Sendable {
  package let record: CheckRule
  private let inspect: @Sendable (StatementSource, inout CheckRule.Report) -> Void

  init(
    identifier: String, summary: String, severity: Finding.Severity, source: String, bad: [String],
    good: [String], inspect: @escaping @Sendable (StatementSource, inout CheckRule.Report) -> Void
  ) {
    record = CheckRule(
      identifier: identifier, summary: summary, severity: severity, source: source, bad: bad, good: good)
    self.inspect = inspect
  }

  /// A rule that the reading itself finds broken.
  init(
    _ kind: StatementFault.Kind, summary: String, severity: Finding.Severity = .error, source: String,
    bad: [String], good: [String] = [Self.exampleList]
  ) {
    self.init(
      identifier: "assetlinks.\(kind.rawValue)", summary: summary, severity: severity, source: source,
      bad: bad,
      good: good
    ) { file, report in
      for problem in file.list?.problems ?? [] where problem.fault.kind == kind {
        report.add(problem.range, problem.pointer, problem.fault.message, help: problem.fault.help)
      }
    }
  }

  package subscript<Value>(dynamicMember member: KeyPath<CheckRule, Value>) -> Value {
    record[keyPath: member]
  }

  /// What the rule finds in a list; of fixes there are those of its syntax.
  package func findings(in file: StatementSource) -> [Finding] {
    var report = CheckRule.Report(record, in: file.text, isMendable: record.identifier == "json")
    inspect(file, &report)
    return report.findings
  }

  /// A fingerprint for examples.
  static let exampleFingerprint =
    "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5"

  /// A target for examples.
  static let exampleApp =
    #"{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":["\#(exampleFingerprint)"]}"#

  static let exampleList = #"[{"relation":["\#(Relation.handleAllURLs)"],"target":\#(exampleApp)}]"#

  /// Every rule, in the order of the reference page.
  package static let all: [StatementRule] = [
    .syntax, .notAnArray, .emptyList, .statement, .unknownKey, .inventedForm, .duplicateKey, .noRelation,
    .relation,
    .unknownRelation, .noTarget, .namespace, .packageName, .fingerprints, .fingerprint, .duplicateFingerprint,
    .site, .include, .includeFields, .duplicateStatement, .relationExtensions, .dynamicComponent,
  ]
}
