internal import AppSiteAssociation
internal import LinkspanCore

extension Command {
  static let rules = Command(
    name: "rules", summary: "Every rule of the checker, with examples that break and keep it",
    operands: "[RULE…]",
    discussion: "Prints the rules named, or all. 'source' is the rule of the specification behind each.",
    flags: [Flag("--markdown", "Print the reference page")],
    examples: ["linkspan rules aasa.unreachable"]
  ) { arguments, console throws(CommandError) in
    var rules = AssociationRule.all.map(\.record)
    for name in arguments.operands where !rules.contains(where: { $0.identifier == name }) {
      let near = Arguments.nearest(to: name, among: rules.map(\.identifier))
      throw arguments.usage("there is no rule '\(name)'" + (near.map { ". Did you mean '\($0)'?" } ?? ""))
    }
    if !arguments.operands.isEmpty { rules.removeAll { !arguments.operands.contains($0.identifier) } }
    if arguments.has("--markdown") {
      console.print(RulesPage.markdown(rules), terminator: "")
    } else {
      for rule in rules { arguments.has("--json") ? console.print(rule.json) : console.print(rule.text) }
    }
    return .yes
  }
}

extension CheckRule {
  fileprivate var json: JSON {
    .object([
      ("type", .string("rule")), ("rule", .string(identifier)), ("severity", .string(severity.rawValue)),
      ("summary", .string(summary)), ("source", .string(source)),
      ("bad", .array(bad.map { .string(Self.plain($0)) })),
      ("good", .array(good.map(JSON.string))),
    ])
  }

  fileprivate var text: String {
    let examples = bad.map { "  bad   " + Self.shown($0) } + good.map { "  good  " + Self.shown($0) }
    return "\(identifier)  \(severity.rawValue)  \(source)\n  \(summary)\n" + examples.joined(separator: "\n")
      + "\n"
  }

  /// An example without the marks of its place.
  static func plain(_ example: String) -> String {
    String(String.UnicodeScalarView(example.unicodeScalars.filter { $0 != "⟦" && $0 != "⟧" }))
  }

  static func shown(_ example: String) -> String {
    let text = plain(example)
    return text.count <= 400 ? text : "\(text.prefix(80))… (\(text.utf8.count) bytes)"
  }
}

/// The reference page, made from the rules themselves.
enum RulesPage {
  static func markdown(_ rules: [CheckRule]) -> String {
    var page = """
      # Rules of the checker

      Made by `linkspan rules --markdown`. The source of a rule is its number in the specification of associated
      domains. Severity is the worst a violation means: *error*, an app that should open doesn't, or a page that
      should stay in the browser opens it; *warning*, it depends; *note*, odd and harmless.


      """
    for rule in rules {
      page +=
        "## \(rule.identifier)\n\n\(rule.summary)\n\nSeverity: \(rule.severity.rawValue). Source: \(rule.source).\n\n"
      page +=
        "Breaks it:\n\n```json\n" + rule.bad.map(CheckRule.shown).joined(separator: "\n") + "\n```\n\n"
      page +=
        "Keeps it:\n\n```json\n" + rule.good.map(CheckRule.shown).joined(separator: "\n") + "\n```\n\n"
    }
    return String(page.dropLast())
  }
}
