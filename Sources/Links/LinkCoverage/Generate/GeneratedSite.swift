package import AppSiteAssociation
internal import AssociatedDomains
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

    /// Where Android's rules and the request disagree; empty for an app without a package.
    package var differencesForAndroid: [RouteProof.Difference] {
      request.package == nil ? [] : (androidPlan ?? plan).differences
    }

    /// Whether a route has `{name:int}`, which stands for 1 to 18 digits.
    package var hasInteger: Bool {
      let lines = request.lines.routes + request.lines.exclusions + request.lines.rules
      return lines.contains { $0.route?.text.holds(":int}") ?? false }
    }
  }

  /// A route, its obvious pattern, and paths that the pattern matches and the route does not.
  package struct Wide: Sendable {
    package var route: Route
    package var pattern: String
    package var alsoMatches: [String]
    /// Those of them that the generated rules open as well.
    package var stillOpened: [String]
  }

  package private(set) var apps: [App] = []
  /// What the search for the rules took.
  package private(set) var spentSteps = 0
  private let request: GenerateRequest
  /// The substitution variables that the rules use.
  private var variables: [(name: String, values: [String])] = []

  private static let wideExampleCount = 3
  /// What the search for one route's examples may cost; our choice.
  private static let wideSteps = 2_000_000

  /// - Parameter progress: Told how far the search for rules has come.
  package init(_ request: GenerateRequest, progress: (String) -> Void = { _ in }) {
    self.request = request
    var speller = RouteSpeller(variables: VariableNames(request.variables))
    let own = request.variableLists
    var budget = RuleGenerator.budget
    defer { spentSteps = RuleGenerator.budget.steps - budget.steps }
    for (place, app) in request.apps.enumerated() {
      let name = request.apps.count > 1 ? "\(app.id) (\(place + 1) of \(request.apps.count))" : app.id
      func plan(_ generator: RuleGenerator) -> RuleGenerator.Plan {
        // Each application may take what an even part is, and what others left.
        budget.withShare(of: budget.steps / (request.apps.count - place)) { share in
          generator.plan(&share) { progress("\(name): \($0)") }
        }
      }
      let chosen = plan(RuleGenerator(app.lines, variables: own, speller: &speller))
      var android: RuleGenerator.Plan?
      if app.package != nil, chosen.usesVariables {
        var plain = RouteSpeller(variables: nil)
        android = plan(RuleGenerator(app.lines, variables: own, speller: &plain))
      }
      apps.append(App(request: app, plan: chosen, androidPlan: android, wide: []))
    }
    let patterns: [String] = apps.flatMap { $0.plan.rules }.flatMap { $0.patterns }
    let used = Set(patterns.filter { $0.contains("$(") })
    variables =
      speller.variables?.values.filter { variable in
        used.contains { $0.contains("$(\(variable.name))") }
      } ?? []
    // A file that no device takes gets no examples (R4).
    let bytes = associationFile.bytes
    guard bytes.count <= AssociationLocation.maximumFileBytes,
      let file = JSONParser.parse(bytes).root.flatMap({ AssociationFile($0) })
    else { return }
    let matcher = AssociationMatcher(file)
    for place in apps.indices {
      let app = apps[place].request
      for line in app.lines.routes where line.settings == RuleSettings() {
        guard let route = line.route else { continue }
        let wide = budget.withShare(of: Self.wideSteps) { Self.wide(route, of: app.id, beside: matcher, &$0) }
        if let wide { apps[place].wide.append(wide) }
      }
    }
  }

  private static func wide(
    _ route: Route, of app: String, beside matcher: AssociationMatcher, _ budget: inout WorkBudget
  ) -> Wide? {
    guard budget.steps > 0, route.segments.contains(where: { $0.isParameter }) else { return nil }
    let proof = RouteProof(routes: [route], exclusions: [])
    func caught(by pattern: String) -> [String] {
      proof.differences(of: [RuleSettings(path: pattern)], limit: wideExampleCount, &budget).differences
        .filter { !$0.isWanted }.map { $0.rest }
    }
    let pattern = route.pattern { _ in "*" }
    var examples = caught(by: pattern)
    // The page below is what people trip over.
    let first = route.segments.firstIndex(where: { $0.isParameter })
    let deeper = route.pattern { ["a", "b", "c", "d"][$0 % 4] + ($0 == first ? "/more" : "") }
    if !route.hasRest, !examples.contains(deeper), caught(by: deeper).contains(deeper) {
      examples.insert(deeper, at: 0)
    }
    let opened = examples.filter { rest in
      let url = LinkURL("https://example.com\(rest)")
      return matcher.decide(url, app: app, host: .exactly("example.com")).verdict == .match
    }
    return Wide(route: route, pattern: pattern, alsoMatches: examples, stillOpened: opened)
  }

  /// Whether the file says what was asked, and devices take it (R4).
  package var isExact: Bool { apps.allSatisfy { $0.plan.isExact } && fits }

  /// Whether it is small enough for devices, without blanks.
  package var fits: Bool { associationFile.bytes.count <= AssociationLocation.maximumFileBytes }

  /// Whether the statement list, too, says what was asked.
  package var isExactForAndroid: Bool {
    apps.allSatisfy { $0.request.package == nil || ($0.androidPlan ?? $0.plan).isExact }
  }

  /// The association file; apps with the same rules share an entry.
  package var associationFile: JSON {
    var entries: [(ids: [String], components: JSON)] = []
    // By their bytes: two spellings of a letter are two rules.
    var places: [[UInt8]: Int] = [:]
    for app in apps {
      let components = JSON.array(app.plan.rules.map { $0.json })
      if let place = places[components.bytes] {
        entries[place].ids.append(app.request.id)
      } else {
        places[components.bytes] = entries.count
        entries.append(([app.request.id], components))
      }
    }
    let details = entries.map { entry in
      JSON.object([("appIDs", .array(entry.ids.map(JSON.string))), ("components", entry.components)])
    }
    var links: [(String, JSON)] = [("details", .array(details))]
    if !variables.isEmpty {
      links.insert(
        (
          "substitutionVariables",
          .object(variables.map { ($0.name, .array($0.values.map(JSON.string))) })
        ), at: 0)
    }
    var members: [(String, JSON)] = apps.isEmpty ? [] : [("applinks", .object(links))]
    for (service, apps) in request.services {
      members.append((service.rawValue, .object([("apps", .array(apps.map(JSON.string)))])))
    }
    return .object(members)
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
                ("dynamic_app_link_components", .array((app.androidPlan ?? app.plan).rules.map { $0.json }))
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
    let services: [Service] = (apps.isEmpty ? [] : [.applinks]) + request.services.map { $0.service }
    return request.hosts.flatMap { host in
      // App Clips have no wildcard hosts (E4).
      services.filter { $0 != .appclips || !host.hasPrefix("*") }.map { "\($0.rawValue):\(host)" }
    }
  }
}
