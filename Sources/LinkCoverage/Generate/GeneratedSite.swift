package import AppSiteAssociation
package import LinkspanCore

/// The files that open a request's routes: association file, statement list, entitlement lines.
package struct GeneratedSite: Sendable {
  package struct App: Sendable {
    package var request: GenerateRequest.App
    package var plan: RuleGenerator.Plan
    /// What the pattern a person would write for a route catches besides: one `*` for each parameter.
    package var wide: [Wide]
  }

  /// A route, its obvious pattern, and paths that the pattern matches and the route does not.
  package struct Wide: Sendable {
    package var route: Route
    package var pattern: String
    package var alsoMatches: [String]
  }

  package let apps: [App]
  private let request: GenerateRequest

  private static let wideExampleCount = 3

  package init(_ request: GenerateRequest) {
    self.request = request
    apps = request.apps.map { app in
      App(
        request: app, plan: RuleGenerator(routes: app.routes, exclusions: app.exclusions).plan(),
        wide: app.routes.compactMap(Self.wide))
    }
  }

  private static func wide(_ route: Route) -> Wide? {
    guard route.segments.contains(where: \.isParameter) else { return nil }
    let pattern = route.pattern { _ in "*" }
    let outcome = RouteProof(routes: [route], exclusions: []).differences(
      of: [RuleSettings(path: pattern)], limit: wideExampleCount)
    var examples = outcome.differences.filter { !$0.isWanted }.map(\.rest)
    // The page below is what people trip over.
    let first = route.segments.firstIndex(where: \.isParameter)
    let deeper = route.pattern { ["a", "b", "c", "d"][$0 % 4] + ($0 == first ? "/more" : "") }
    if !route.hasRest, !examples.contains(deeper) { examples.insert(deeper, at: 0) }
    return Wide(route: route, pattern: pattern, alsoMatches: examples)
  }

  package var isExact: Bool { apps.allSatisfy(\.plan.isExact) }

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
    var services: [(String, JSON)] = [("applinks", .object([("details", .array(details))]))]
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
              .object([("dynamic_app_link_components", .array(app.plan.rules.map(\.json)))])
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
