internal import AssetLinks
internal import AssociatedDomains
package import LinkLanguages
package import LinkspanCore

/// What `generate` is asked for: apps with their routes and exclusions, and where the site is.
package struct GenerateRequest: Sendable {
  package struct App: Sendable {
    /// The application identifier.
    package var id: String
    package var routes: [Route]
    package var exclusions: [Route]
    /// Android's application, where there is one.
    package var package: String?
    package var fingerprints: [String]
  }

  /// What keeps a request from being understood.
  package struct Problem: Error, Sendable {
    package let finding: Finding
  }

  package private(set) var apps: [App] = []
  package private(set) var hosts: [String] = []
  package private(set) var webCredentials: [String] = []
  /// What can be written and will hardly work, such as an identifier that no app has.
  package private(set) var warnings: [Finding] = []

  private static let remedy =
    "Join routes, such as with a last '*', or generate the file of each host by itself."
  private static let appKeys = ["id", "routes", "exclude", "package", "fingerprints", "comment"]

  /// - Throws: The first mistake, at its place.
  package init(_ text: SourceText) throws(Problem) {
    guard text.bytes.count <= WorkLimits.requestBytes else {
      throw Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(file: text.name),
          message: "the request has \(text.bytes.count) bytes; the limit is \(WorkLimits.requestBytes)",
          help: "Devices take an association file of at most 131072 bytes. \(Self.remedy)"))
    }
    let document = JSONParser.parse(text.bytes, dialect: .json5)
    if let error = document.errors.first {
      throw Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(text, error.range), message: error.message))
    }
    guard let root = document.root, root.object != nil else {
      throw Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(file: text.name),
          message: "expected an object with 'apps'"))
    }
    let reader = Reader(text: text)
    var repeated: JSONMember?
    DuplicateKeys.each(in: root) { member, _, _ in repeated = repeated ?? member }
    if let repeated {
      throw Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(text, repeated.nameRange),
          message: "'\(repeated.name)' occurs twice", help: "Keep one of the two."))
    }
    guard let apps = root["apps"] else { throw reader.problem(root, "'apps' is missing") }
    guard let nodes = apps.array else { throw reader.problem(apps, "'apps': expected a list of objects") }
    for node in nodes where node.string == nil { try join(try app(node, reader), node, reader) }
    let routeCount = self.apps.reduce(0) { $0 + $1.routes.count + $1.exclusions.count }
    guard routeCount <= WorkLimits.routes else {
      throw reader.problem(
        apps, "the request has \(routeCount) routes and exclusions; the limit is \(WorkLimits.routes)",
        help: Self.remedy)
    }
    if self.apps.isEmpty { throw reader.problem(apps, "'apps' has no object with 'id' and 'routes'") }
    let single = try reader.string(root, "host").map { [$0] } ?? []
    for (text, place) in single + (try reader.strings(root, "hosts")) {
      try Self.checkHost(text, place, reader)
      hosts.append(text)
    }
    for (text, place) in try reader.strings(root, "webcredentials") {
      try checkIdentifier(text, place, reader)
      webCredentials.append(text)
    }
  }

  /// Objects of one identifier are one application: in the file the first entry with a decision would win (J11).
  private mutating func join(_ app: App, _ node: JSONNode, _ reader: Reader) throws(Problem) {
    guard let place = apps.firstIndex(where: { $0.id == app.id }) else { return apps.append(app) }
    apps[place].routes = Self.each(apps[place].routes + app.routes)
    apps[place].exclusions = Self.each(apps[place].exclusions + app.exclusions)
    if let package = app.package {
      guard apps[place].package ?? package == package else {
        throw reader.problem(
          node["package"] ?? node,
          "'\(app.id)' has two packages: '\(apps[place].package ?? "")' and '\(package)'",
          help: "Objects with the same 'id' are joined. Give one of the packages to another application.")
      }
      apps[place].package = package
    }
    apps[place].fingerprints += app.fingerprints.filter { !apps[place].fingerprints.contains($0) }
  }

  /// As an entry of the entitlement, so that `check` has nothing to say of the line (E1–E4, E11).
  private static func checkHost(_ host: String, _ node: JSONNode, _ reader: Reader) throws(Problem) {
    do throws(AssociatedDomainProblem) {
      _ = try AssociatedDomain("\(Service.applinks.rawValue):\(host)")
    } catch {
      guard error.severity == .error else { return }
      throw reader.problem(node, error.message, help: error.help)
    }
  }

  /// A text of another form identifies nothing; of the right form, with a prefix that no team has, it is a warning.
  private mutating func checkIdentifier(_ id: String, _ node: JSONNode, _ reader: Reader) throws(Problem) {
    do throws(ApplicationIdentifierProblem) {
      _ = try ApplicationIdentifier(id)
    } catch {
      let problem = reader.problem(node, error.message, help: error.help)
      switch error.kind {
      case .prefixLength, .prefixCharacters, .missingPrefix, .placeholder, .buildSetting:
        var finding = problem.finding
        finding.severity = .warning
        warnings.append(finding)
      default: throw problem
      }
    }
  }

  private mutating func app(_ node: JSONNode, _ reader: Reader) throws(Problem) -> App {
    guard let members = node.object else {
      throw reader.problem(node, "expected an object with 'id' and 'routes'")
    }
    for member in members where !Self.appKeys.contains(member.name) {
      throw reader.problem(
        member.value,
        "'\(member.name)' is not a key of an app; expected \(Self.appKeys.joined(separator: ", "))")
    }
    guard let place = node["id"], let id = place.string, !id.isEmpty else {
      throw reader.problem(
        node, "'id' is missing: the application identifier, such as ABCDE12345.com.example.app")
    }
    try checkIdentifier(id, place, reader)
    guard node["routes"] != nil else {
      throw reader.problem(node, "'routes' is missing: such as [\"/buy/:id\"]")
    }
    let package = try reader.string(node, "package")
    let fingerprints = try reader.strings(node, "fingerprints")
    do throws(StatementFault) {
      if let package { try AndroidApp.check(packageName: package.text) }
    } catch {
      throw reader.problem(package?.node ?? node, error.message, help: error.help)
    }
    for (text, place) in fingerprints {
      do throws(StatementFault) {
        _ = try CertificateFingerprint(text)
      } catch {
        throw reader.problem(place, error.message, help: error.help)
      }
    }
    return App(
      id: id, routes: try Self.routes(node, "routes", reader),
      exclusions: try Self.routes(node, "exclude", reader), package: package?.text,
      fingerprints: fingerprints.map(\.text))
  }

  private static func routes(
    _ node: JSONNode, _ key: String, _ reader: Reader
  ) throws(Problem) -> [Route] {
    var routes: [Route] = []
    for (text, place) in try reader.strings(node, key) {
      let route: Route
      do throws(Route.Problem) {
        route = try Route(text)
      } catch {
        throw reader.problem(place, error.description)
      }
      if let reason = route.unknown {
        throw reader.problem(
          place, "'\(text)': \(reason)",
          help: "No pattern can be proven to say it. Write the parameter without it, or with a simpler one.")
      }
      routes.append(route)
    }
    return each(routes)
  }

  /// Each once, where it is first.
  private static func each(_ routes: [Route]) -> [Route] {
    var seen: Set<Route> = []
    return routes.filter { seen.insert($0).inserted }
  }

  private struct Reader {
    let text: SourceText

    func problem(_ node: JSONNode, _ message: String, help: String? = nil) -> Problem {
      Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(text, node.range), message: message, help: help))
    }

    func string(_ node: JSONNode, _ key: String) throws(Problem) -> (text: String, node: JSONNode)? {
      guard let value = node[key] else { return nil }
      guard let text = value.string else { throw problem(value, "'\(key)': expected a string") }
      return (text, value)
    }

    func strings(_ node: JSONNode, _ key: String) throws(Problem) -> [(text: String, node: JSONNode)] {
      guard let list = node[key] else { return [] }
      guard let elements = list.array else { throw problem(list, "'\(key)': expected a list of strings") }
      var strings: [(text: String, node: JSONNode)] = []
      for element in elements {
        guard let text = element.string else { throw problem(element, "'\(key)': expected a string") }
        strings.append((text, element))
      }
      return strings
    }
  }
}
