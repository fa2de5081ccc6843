package import LinkLanguages
internal import LinkspanCore

/// One line of what a file is meant to say: a route or a rule's own patterns, and whether its URLs open the app.
package struct WantedRule: Hashable, Sendable {
  /// nil where the path is that of ``settings``.
  package let route: Route?
  /// The conditions besides the route; `exclude` is true for URLs that are kept out.
  package var settings: RuleSettings

  package init(_ route: Route, isExclusion: Bool = false, query: QueryPattern? = nil, fragment: String? = nil)
  {
    self.route = route
    settings = RuleSettings()
    settings.query = query
    settings.fragment = fragment
    settings.exclude = isExclusion ? true : nil
  }

  /// - Parameter settings: As an element of `components` has them.
  package init(_ settings: RuleSettings) {
    route = nil
    self.settings = settings
  }

  package var isExclusion: Bool { settings.exclude ?? false }

  /// A route as it was written, else the line as an object.
  package var text: String {
    var conditions = settings
    conditions.exclude = nil
    guard let route else { return conditions.json.text }
    guard case .object(let members) = conditions.json, !members.isEmpty else { return route.text }
    return JSON.object([("route", .string(route.text))] + members).text
  }

  /// Whether some URL satisfies its patterns; false for a variable that is not defined (S6).
  package func canHold(variables: SubstitutionVariables) -> Bool {
    !CompiledRule(
      entry: 0, rule: nil, isPath: false, settings: settings, variables: variables
    ).coversNothing
  }
}
