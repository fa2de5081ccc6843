internal import AppSiteAssociation
package import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSpecification
internal import RuleCatalogue

extension Command {
  package static let rules = Command(
    name: "rules",
    summary: "Every rule of the checker with examples, and every rule that answers cite by number",
    operands: "[RULE…]",
    discussion: """
      Prints the rules named, or an index and all of them. A rule is one of the checker's, such as 'aasa.unreachable', or a number that an
      answer cites, such as 'E13', '6.2' or 'section 10 row 6'; a number is printed with its
      sentence, its source and how sure it is.
      """,
    flags: [Flag("--markdown", "Print the reference page")],
    examples: ["linkspan rules aasa.unreachable", "linkspan rules E13"],
    operandChoices: { RuleIndex.all.map(\.identifier) }
  ) { arguments, console throws(LinkspanError) in
    if arguments.has("--markdown"), arguments.has("--json") {
      throw arguments.usage("'--markdown' and '--json' ask for two formats")
    }
    let (chapters, numbers) = try chosen(arguments)
    if arguments.has("--markdown") {
      console.printRaw(RulesPage.markdown(chapters, numbers))
    } else {
      if arguments.operands.isEmpty, !arguments.has("--json") { console.print(index(chapters, numbers)) }
      for rule in chapters.flatMap(\.rules) {
        arguments.has("--json") ? console.print(rule.json) : console.print(rule.text)
      }
      for rule in numbers {
        arguments.has("--json") ? console.print(rule.json) : console.print(rule.text)
      }
    }
    return .yes
  }

  /// What follows, a line for each rule.
  private static func index(_ chapters: [RuleIndex.Chapter], _ numbers: [SpecificationRule]) -> String {
    var lines = ["Index; 'linkspan rules RULE' prints one.", ""]
    for chapter in chapters {
      lines.append(chapter.title)
      lines += chapter.rules.map { "  \($0.identifier)" }
    }
    return
      (lines + [
        "Numbers that answers cite",
        "  " + (numbers.first?.identifier ?? "") + " to " + (numbers.last?.identifier ?? ""), "",
      ])
      .joined(separator: "\n")
  }

  /// The rules that were named, or all.
  private static func chosen(
    _ arguments: Arguments
  ) throws(LinkspanError) -> (chapters: [RuleIndex.Chapter], numbers: [SpecificationRule]) {
    guard !arguments.operands.isEmpty else { return (RuleIndex.chapters, SpecificationRule.all) }
    // A section's number is several words.
    if let section = SpecificationRule.named(arguments.operands.joined(separator: " ")) {
      return ([], [section])
    }
    let identifiers = RuleIndex.all.map(\.identifier)
    var numbers: [SpecificationRule] = []
    for name in arguments.operands where !identifiers.contains(name) {
      guard let number = SpecificationRule.named(name) else {
        let near = Arguments.nearest(to: name, among: identifiers)
        throw arguments.usage("there is no rule '\(name)'" + (near.map { ". Did you mean '\($0)'?" } ?? ""))
      }
      numbers.append(number)
    }
    var chapters = RuleIndex.chapters
    for index in chapters.indices {
      chapters[index].rules.removeAll { !arguments.operands.contains($0.identifier) }
    }
    return (chapters, numbers)
  }
}

extension SpecificationRule {
  fileprivate var json: JSON {
    .object([
      ("type", .string("rule-number")), ("rule", .string(identifier)), ("summary", .string(sentence)),
      ("source", .string(source)), ("certainty", .string(certainty.rawValue)),
    ])
  }

  fileprivate var text: String {
    "\(identifier)  \(certainty.rawValue)\n"
      + [sentence, "Source: \(source)."].map {
        WrappedText.lines($0, first: "  ", rest: "  ", width: 80)
      }.joined()
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
