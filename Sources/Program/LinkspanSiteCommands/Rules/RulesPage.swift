internal import AppSiteAssociation
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSpecification
internal import RuleCatalogue

/// The reference page, made from the rules themselves.
enum RulesPage {
  static func markdown(_ chapters: [RuleIndex.Chapter], _ numbers: [SpecificationRule]) -> String {
    var page = """
      # Rules of the checker

      Made by `linkspan rules --markdown`. The source of a rule is its [number](#rule-numbers), or the title of a page
      of Apple's documentation. Severity is the worst a violation means: *error*, an app that should open doesn't, a
      page that should stay in the browser opens it, or a push has no effect; *warning*, it depends; *note*, odd and
      harmless.

      """
    for chapter in chapters where !chapter.rules.isEmpty {
      page += "\n## \(chapter.title)\n\n\(chapter.examples)\n"
      for rule in chapter.rules {
        page += "\n### \(rule.identifier)\n\n\(rule.summary)\n\n"
        page += "Severity: \(rule.severity.rawValue). Source: \(rule.source).\n"
        page += examples("Breaks it:", rule.bad, chapter.language)
        page += examples("Keeps it:", rule.good, chapter.language)
      }
    }
    if !numbers.isEmpty {
      page +=
        "\n## Rule numbers\n\nWhat answers cite, with its source and [how sure it is](rule-numbers.md).\n\n"
      for rule in numbers {
        page +=
          "- **\(rule.identifier)**, \(rule.certainty.rawValue): \(literal(rule.sentence)) Source: "
          + "\(literal(rule.source)).\n"
      }
    }
    return page
  }

  /// Text in which stars are no emphasis and angle brackets no markup.
  private static func literal(_ text: String) -> String {
    var result = ""
    for character in text {
      if "*<_".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  private static func examples(_ heading: String, _ examples: [String], _ language: String) -> String {
    if examples.isEmpty { return "" }
    let blocks = examples.map { "```\(language)\n\(CheckRule.shown($0))\n```\n" }
    return "\n\(heading)\n\n" + blocks.joined(separator: "\n")
  }
}

extension CheckRule {
  /// An example without the marks of its place.
  static func plain(_ example: String) -> String {
    String(String.UnicodeScalarView(example.unicodeScalars.filter { $0 != "⟦" && $0 != "⟧" }))
  }

  /// An example for reading: without line ends at its end, with what cannot be seen named, and not too long.
  static func shown(_ example: String) -> String {
    var text = plain(example).replacing("\u{FEFF}", with: "<byte order mark>").replacing("\t", with: "<tab>")
    // Also one that is long by the blanks at its end.
    let isLong = text.utf8.count > 400 && text.count > 400
    while text.last?.isWhitespace == true { text.removeLast() }
    if text.isEmpty { return "(nothing)" }
    return !isLong ? text : "\(text.prefix(80))… (\(plain(example).utf8.count) bytes)"
  }
}
