package import AppSiteAssociation
package import LinkspanCore

/// What Apple's `swcutil match` answers: one rule, or several in their order, against one URL.
///
/// - Source: section 11.1. The document, the application and the host are ignored.
package struct SwcutilMatch: Sendable {
  /// The place of the first rule that covers the URL; nil when none does.
  package let index: Int?
  /// false when comparing the URL took more than the bound on work; there is no ``index`` then.
  package let isDecided: Bool
  /// The answer as Apple's tool prints it; the rule takes several lines.
  package let text: String

  /// - Parameter pattern: A rule, or an array of rules; an element that is no object covers nothing.
  /// - Returns: nil when it is neither.
  package init?(_ pattern: JSONNode, url: LinkURL) {
    let rules: [JSONNode]
    switch pattern.value {
    case .object: rules = [pattern]
    case .array(let elements): rules = elements
    default: return nil
    }
    var work = WorkBudget.answer
    let first = rules.indices.first { index in
      rules[index].object != nil && RuleSettings(rules[index]).hold(for: url, &work)
    }
    index = first
    isDecided = !work.isExhausted
    text =
      first.map { "Matched by pattern at index \($0): \(RuleText.text(of: rules[$0]))" }
      ?? (work.isExhausted
        ? "Not decided: comparing it takes more than the bound on work." : "Did not match.")
  }
}
