package import AppSiteAssociation
package import LinkLanguages
package import LinkspanCore

/// What a file claims that the app's router cannot show, and the reverse, app by app.
package struct RouteCoverage: Sendable {
  package struct Gap: Sendable {
    package var app: String
    package var url: String
    /// The rule that decides the URL; nil when none does.
    package var rule: Int?
    /// The route for the URL; nil when none is there.
    package var route: String?
  }

  /// The file opens the app, which has no route.
  package private(set) var notShown: [Gap] = []
  /// A route is there, and the file does not open the app.
  package private(set) var notClaimed: [Gap] = []
  package private(set) var isDecided = true
  /// Routes whose URLs are left out, each with its reason.
  package let undecided: [String]

  private static let differenceLimit = 50

  /// - Parameter apps: The applications that have the routes; empty for every one in the file.
  package init(
    _ file: AssociationFile, routes: [Route], host: String, apps: [String] = [], os: OSVersion? = nil
  ) {
    let matcher = AssociationMatcher(file, os: os)
    undecided = routes.compactMap { route in route.unknown.map { "\(route.text): \($0)" } }
    let proof = RouteProof(routes: routes, exclusions: [])
    var budget = WorkBudget(steps: WorkLimits.comparison)
    for app in matcher.applications where apps.isEmpty || apps.contains(app) {
      let outcome = budget.withShare(of: RouteProof.budget.steps) {
        proof.differences(of: app, in: matcher, limit: Self.differenceLimit, &$0)
      }
      isDecided = isDecided && outcome.isDecided
      for difference in Self.inOrder(outcome.differences, of: routes) {
        let gap = Gap(
          app: app, url: "https://\(host)\(difference.rest)", rule: difference.rule,
          route: difference.route?.text)
        if difference.isWanted { notClaimed.append(gap) } else { notShown.append(gap) }
      }
    }
  }

  /// In the order in which the routes are declared; what has no route in the order of the rules.
  private static func inOrder(
    _ differences: [RouteProof.Difference], of routes: [Route]
  ) -> [RouteProof.Difference] {
    func key(_ difference: RouteProof.Difference) -> (Int, Int) {
      let place = difference.route.flatMap { routes.firstIndex(of: $0) } ?? routes.count
      return (place, difference.rule ?? -1)
    }
    return differences.enumerated().map { (key: key($0.element), offset: $0.offset, element: $0.element) }
      .sorted { ($0.key.0, $0.key.1, $0.offset) < ($1.key.0, $1.key.1, $1.offset) }.map { $0.element }
  }

  package var isComplete: Bool { notShown.isEmpty && notClaimed.isEmpty && isDecided && undecided.isEmpty }

  package var json: JSON {
    func list(_ gaps: [Gap]) -> JSON {
      .array(
        gaps.map { gap in
          .object([
            ("app", .string(gap.app)), ("url", .string(gap.url)), ("rule", .init(gap.rule)),
            ("route", .init(gap.route)),
          ])
        })
    }
    return .object([
      ("not_shown", list(notShown)), ("not_claimed", list(notClaimed)),
      ("decided", .bool(isDecided && undecided.isEmpty)),
      ("not_decided", .array(undecided.map(JSON.string))),
    ])
  }
}
