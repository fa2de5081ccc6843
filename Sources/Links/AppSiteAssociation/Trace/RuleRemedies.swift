internal import LinkspanCore

/// The single changes to a rule that are tried when it comes closest to covering a URL, each compiled once.
///
/// The two switches are keys of a component, since iOS 13.5 and 14 (6.4): no path of `paths` and no older release
/// has them.
struct RuleRemedies: Sendable {
  private let ignoringCase: CompiledRule?
  private let decoding: CompiledRule?
  /// With `/*` behind its path.
  private let widened: CompiledRule?

  init(_ rule: CompiledRule, on os: OSVersion?) {
    func changed(_ change: (inout RuleSettings) -> Void) -> CompiledRule {
      var settings = rule.settings
      change(&settings)
      return CompiledRule(
        entry: rule.entry, rule: rule.rule, isPath: rule.isPath, settings: settings, variables: rule.variables
      )
    }
    let readsCase = os?.readsCaseSensitive ?? true
    ignoringCase =
      rule.form.isCaseSensitive && !rule.isPath && readsCase ? changed { $0.caseSensitive = false } : nil
    let readsEncoding = os?.readsDefaults ?? true
    decoding =
      rule.form.isPercentEncoded && !rule.isPath && readsEncoding
      ? changed { $0.percentEncoded = false } : nil
    if let path = rule.settings.path, path.utf8.last != UInt8(ascii: "*") {
      widened = changed { $0.path = path + (path.utf8.last == UInt8(ascii: "/") ? "*" : "/*") }
    } else {
      widened = nil
    }
  }

  /// One change under which the component that failed holds, found by trying it; nil when there is none.
  func remedy(for component: URLComponent, in subject: inout Subject) -> String? {
    func holds(_ changed: CompiledRule) -> Bool {
      guard let failure = changed.firstFailure(&subject) else { return true }
      if subject.work.isExhausted { return false }
      return URLComponent.allCases.firstIndex(of: failure)! > URLComponent.allCases.firstIndex(of: component)!
    }
    if let ignoringCase, holds(ignoringCase) {
      return "it differs in upper and lower case only; \"caseSensitive\": false would accept it"
    }
    if let decoding, holds(decoding) {
      return "the pattern is written decoded and the URL is not; \"percentEncoded\": false would accept it"
    }
    if component == .path, let widened, holds(widened) {
      return "\"\(widened.settings.path ?? "")\" would accept it"
    }
    return nil
  }
}
