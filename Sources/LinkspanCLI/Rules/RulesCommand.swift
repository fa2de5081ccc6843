internal import LinkspanCore

extension Command {
  static let rules = Command(
    name: "rules", summary: "Every rule of the checker, with examples that break and keep it",
    operands: "[RULE…]",
    discussion: "Prints the rules named, or all. 'source' is the rule of the specification behind each.",
    flags: [Flag("--markdown", "Print the reference page")],
    examples: ["linkspan rules aasa.unreachable"],
    operandChoices: { RuleIndex.all.map(\.identifier) }
  ) { arguments, console throws(CommandError) in
    if arguments.has("--markdown"), arguments.has("--json") {
      throw arguments.usage("'--markdown' and '--json' ask for two formats")
    }
    let identifiers = RuleIndex.all.map(\.identifier)
    for name in arguments.operands where !identifiers.contains(name) {
      let near = Arguments.nearest(to: name, among: identifiers)
      throw arguments.usage("there is no rule '\(name)'" + (near.map { ". Did you mean '\($0)'?" } ?? ""))
    }
    var chapters = RuleIndex.chapters
    if !arguments.operands.isEmpty {
      for index in chapters.indices {
        chapters[index].rules.removeAll { !arguments.operands.contains($0.identifier) }
      }
    }
    if arguments.has("--markdown") {
      console.printRaw(RulesPage.markdown(chapters))
    } else {
      for rule in chapters.flatMap(\.rules) {
        arguments.has("--json") ? console.print(rule.json) : console.print(rule.text)
      }
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
    func lines(_ examples: [String], _ word: String) -> [String] {
      examples.map { "  \(word)  " + Self.shown($0).split(separator: "\n").joined(separator: "\n        ") }
    }
    return "\(identifier)  \(severity.rawValue)  \(source)\n  \(summary)\n"
      + (lines(bad, "bad ") + lines(good, "good")).joined(separator: "\n") + "\n"
  }
}
