import AppSiteAssociation
internal import LinkspanCore

extension AssociationRule {
  /// Each kind of mistake is reported as `json.` and its name, so that it can be looked up and counted.
  static let syntax = AssociationRule(
    identifier: "json",
    summary: "An association file is valid JSON (RFC 8259); devices ignore any other "
      + "file.",
    severity: .error, source: "R5",
    bad: [
      #"{"applinks":{"details":[]⟦,⟧}}"#, #"{⟦// links⟧"# + "\n" + #""applinks":{"details":[]}}"#,
      #"{⟦“applinks”⟧:{"details":[]}}"#, "⟦<!doctype html>⟧\n<title>Home</title>",
      #"{"applinks":{"details":[]}⟦⟧"#,
    ],
    good: [#"{"applinks":{"details":[]}}"#]
  ) { file, report in
    // What is no JSON because it is a signature is for 'aasa.signed' to say.
    // A file that is too large was not read, as 'aasa.size' says.
    guard file.content.isText, !file.isTooLarge else { return }
    for error in file.content.document.errors {
      report.add(
        error.range, JSONPointer(), error.message, help: error.help, rule: "json.\(error.kind.rawValue)",
        source: error.kind == .html ? "R8" : "R5", fix: error.edits)
    }
  }
}
