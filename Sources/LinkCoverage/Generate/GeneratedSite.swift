internal import AppSiteAssociation
package import LinkLanguages
package import LinkspanCore

/// The files that open a request's routes: association file, statement list, entitlement lines.
package struct GeneratedSite: Sendable {
  package struct App: Sendable {
    package var request: GenerateRequest.App
    package var plan: RuleGenerator.Plan
    /// The rules for Android where they are others: its components have no substitution variables (D8).
    package var androidPlan: RuleGenerator.Plan?
    /// What the pattern a person would write for a route catches besides: one `*` for each parameter.
    package var wide: [Wide]
  }

  /// A route, its obvious pattern, and paths that the pattern matches and the route does not.
  package struct Wide: Sendable {
    package var route: Route
    package var pattern: String
    package var alsoMatches: [String]
    /// Those of them that the generated rules open as well.
    package var stillOpened: [String]
  }

  package let apps: [App]
  private let request: GenerateRequest
  /// The substitution variables that the rules use.
  private let variables: [(name: String, values: [String])]

  private static let wideExampleCount = 3

  package init(_ request: GenerateRequest) {
    self.request = request
    var speller = RouteSpeller(variables: VariableNames())
    apps = request.apps.map { app in
      let generator = RuleGenerator(routes: app.routes, exclusions: app.exclusions, speller: &speller)
      let plan = generator.plan()
      let android =
        app.package == nil || !plan.usesVariables
        ? nil : RuleGenerator(routes: app.routes, exclusions: app.exclusions, usesVariables: false).plan()
      return App(
        request: app, plan: plan, androidPlan: android,
        wide: app.routes.compactMap { Self.wide($0, beside: plan, generator.variables) })
    }
    let paths = apps.flatMap { $0.plan.rules.compactMap(\.path) }
    variables =
      speller.variables?.values.filter { variable in paths.contains { $0.contains("$(\(variable.name))") } }
      ?? []
  }

  private static func wide(
    _ route: Route, beside plan: RuleGenerator.Plan, _ variables: [String: [String]]
  ) -> Wide? {
    guard route.segments.contains(where: \.isParameter) else { return nil }
    let proof = RouteProof(routes: [route], exclusions: [])
    func caught(by pattern: String) -> [String] {
      proof.differences(of: [RuleSettings(path: pattern)], limit: wideExampleCount).differences
        .filter { !$0.isWanted }.map(\.rest)
    }
    let pattern = route.pattern { _ in "*" }
    var examples = caught(by: pattern)
    // The page below is what people trip over.
    let first = route.segments.firstIndex(where: \.isParameter)
    let deeper = route.pattern { ["a", "b", "c", "d"][$0 % 4] + ($0 == first ? "/more" : "") }
    if !route.hasRest, !examples.contains(deeper), caught(by: deeper).contains(deeper) {
      examples.insert(deeper, at: 0)
    }
    // One rule for one path opens nothing beyond the plan's rules when these open the path.
    let opened = examples.filter { path in
      RouteProof.compare(
        plan.rules, [RuleSettings(path: path)] + plan.rules, variables: variables, within: 0) == .alike
    }
    return Wide(route: route, pattern: pattern, alsoMatches: examples, stillOpened: opened)
  }

  package var isExact: Bool { apps.allSatisfy(\.plan.isExact) }

  /// Whether the statement list, too, says what was asked.
  package var isExactForAndroid: Bool {
    apps.allSatisfy { $0.request.package == nil || ($0.androidPlan ?? $0.plan).isExact }
  }

  /// The association file; apps with the same rules share an entry.
  package var associationFile: JSON {
    var entries: [(ids: [String], rules: [RuleSettings])] = []
    for app in apps {
      if let place = entries.firstIndex(where: { $0.rules == app.plan.rules }) {
        entries[place].ids.append(app.request.id)
      } else {
        entries.append(([app.request.id], app.plan.rules))
      }
    }
    let details = entries.map { entry in
      JSON.object([
        ("appIDs", .array(entry.ids.map(JSON.string))), ("components", .array(entry.rules.map(\.json))),
      ])
    }
    var links: [(String, JSON)] = [("details", .array(details))]
    if !variables.isEmpty {
      links.insert(
        (
          "substitutionVariables",
          .object(variables.map { ($0.name, .array($0.values.map(JSON.string))) })
        ), at: 0)
    }
    var services: [(String, JSON)] = [("applinks", .object(links))]
    if !request.webCredentials.isEmpty {
      services.append(
        ("webcredentials", .object([("apps", .array(request.webCredentials.map(JSON.string)))])))
    }
    return .object(services)
  }

  /// Android's statement list with dynamic components (D8), for apps that have a package; nil without one.
  package var statements: JSON? {
    let relation = "delegate_permission/common.handle_all_urls"
    let statements = apps.compactMap { app -> JSON? in
      guard let package = app.request.package else { return nil }
      return .object([
        ("relation", .array([.string(relation)])),
        (
          "target",
          .object([
            ("namespace", .string("android_app")), ("package_name", .string(package)),
            ("sha256_cert_fingerprints", .array(app.request.fingerprints.map(JSON.string))),
          ])
        ),
        (
          "relation_extensions",
          .object([
            (
              relation,
              .object([
                ("dynamic_app_link_components", .array((app.androidPlan ?? app.plan).rules.map(\.json)))
              ])
            )
          ])
        ),
      ])
    }
    return statements.isEmpty ? nil : .array(statements)
  }

  /// The lines of `com.apple.developer.associated-domains`.
  package var entitlementLines: [String] {
    request.hosts.flatMap { host in
      ["applinks:\(host)"] + (request.webCredentials.isEmpty ? [] : ["webcredentials:\(host)"])
    }
  }
}
