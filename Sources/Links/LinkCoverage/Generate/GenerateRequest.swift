internal import AppSiteAssociation
internal import AssetLinks
package import AssociatedDomains
package import LinkspanCore

/// What `generate` is asked for: apps with their routes and exclusions, and where the site is.
package struct GenerateRequest: Sendable {
  package struct App: Sendable {
    /// The application identifier.
    package var id: String
    package var lines: RuleGenerator.Lines
    /// Android's application, where there is one.
    package var package: String?
    package var fingerprints: [String]
  }

  /// What keeps a request from being understood.
  package struct Problem: Error, Sendable {
    /// At least one; several where each can be found without the others.
    package let findings: [Finding]

    package var finding: Finding { findings[0] }

    init(finding: Finding) { findings = [finding] }

    /// nil for none.
    init?(joining findings: [Finding]) {
      guard !findings.isEmpty else { return nil }
      self.findings = findings
    }
  }

  package private(set) var apps: [App] = []
  package private(set) var hosts: [String] = []
  /// The applications of each service without URLs, as far as some are named.
  package private(set) var services: [(service: Service, apps: [String])] = []
  /// The lists that `$(name)` stands for in the lines.
  package private(set) var variables: [(name: String, values: [String])] = []
  /// What can be written and will hardly work, such as an identifier that no app has.
  package private(set) var warnings: [Finding] = []

  private static let remedy =
    "Join routes, such as with a last '*', or generate the file of each host by itself."
  private static let appKeys = ["id", "routes", "exclude", "rules", "package", "fingerprints", "comment"]

  /// - Throws: The mistakes, each at its place.
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
    let reader = RequestReader(text: text)
    var repeated: JSONMember?
    DuplicateKeys.each(in: root) { member, _, _ in repeated = repeated ?? member }
    if let repeated {
      throw Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(text, repeated.nameRange),
          message: "'\(repeated.name)' occurs twice", help: "Keep one of the two."))
    }
    var mistakes: [Finding] = []
    Self.collect(&mistakes) { () throws(Problem) in try readServices(root, reader) }
    Self.collect(&mistakes) { () throws(Problem) in variables = try reader.variables(root) }
    Self.collect(&mistakes) { () throws(Problem) in try readApps(root, reader) }
    Self.collect(&mistakes) { () throws(Problem) in try readHosts(root, reader) }
    if let problem = Problem(joining: mistakes) { throw problem }
  }

  /// Runs a part of the reading, whose mistakes keep no other part from being read.
  static func collect(_ mistakes: inout [Finding], _ read: () throws(Problem) -> Void) {
    do throws(Problem) {
      try read()
    } catch {
      mistakes += error.findings
    }
  }

  private mutating func readHosts(_ root: JSONNode, _ reader: RequestReader) throws(Problem) {
    let single = try reader.string(root, "host").map { [$0] } ?? []
    var mistakes: [Finding] = []
    for (text, place) in single + (try reader.strings(root, "hosts")) {
      Self.collect(&mistakes) { () throws(Problem) in
        try checkHost(text, place, reader)
        hosts.append(text)
      }
      guard text.hasPrefix("*"), services.contains(where: { $0.service == .appclips }) else { continue }
      warnings.append(
        Finding(
          rule: "generate", severity: .warning, at: .init(reader.text, place.range),
          message: "'\(text)' gets no line for 'appclips', which has no wildcards (E4).",
          help: "Name each host of the clip under 'hosts' as well."))
    }
    if let problem = Problem(joining: mistakes) { throw problem }
  }

  private mutating func readServices(_ root: JSONNode, _ reader: RequestReader) throws(Problem) {
    for service in Service.allCases where service != .applinks {
      var apps: [String] = []
      for (text, place) in try reader.strings(root, service.rawValue) {
        try checkIdentifier(text, place, reader)
        apps.append(text)
      }
      if !apps.isEmpty { services.append((service, apps)) }
    }
  }

  private mutating func readApps(_ root: JSONNode, _ reader: RequestReader) throws(Problem) {
    guard let apps = root["apps"] else {
      if !services.isEmpty { return }
      throw reader.problem(root, "'apps' is missing")
    }
    guard let nodes = apps.array else { throw reader.problem(apps, "'apps': expected a list of objects") }
    let lists = variableLists
    var mistakes: [Finding] = []
    for node in nodes where node.string == nil {
      Self.collect(&mistakes) { () throws(Problem) in
        try join(try app(node, reader, lists), node, reader)
      }
    }
    if let problem = Problem(joining: mistakes) { throw problem }
    let routeCount = self.apps.reduce(0) { $0 + $1.lines.count }
    guard routeCount <= WorkLimits.routes else {
      throw reader.problem(
        apps, "the request has \(routeCount) routes and exclusions; the limit is \(WorkLimits.routes)",
        help: Self.remedy)
    }
    if self.apps.isEmpty, services.isEmpty {
      throw reader.problem(apps, "'apps' has no object with 'id' and 'routes'")
    }
  }

  var variableLists: SubstitutionVariables {
    SubstitutionVariables(
      Dictionary(variables.map { (ExactText($0.name), $0.values) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Objects of one identifier are one application: in the file the first entry with a decision would win (J11).
  private mutating func join(_ app: App, _ node: JSONNode, _ reader: RequestReader) throws(Problem) {
    guard let place = apps.firstIndex(where: { $0.id == app.id }) else { return apps.append(app) }
    guard apps[place].lines.rules.isEmpty == app.lines.rules.isEmpty else {
      throw reader.problem(
        node, "'\(app.id)' has 'rules' in one object and 'routes' in another",
        help:
          "Objects with the same 'id' are joined. Write its routes as rules, in the order in which they decide."
      )
    }
    apps[place].lines.routes = RequestReader.each(apps[place].lines.routes + app.lines.routes)
    apps[place].lines.exclusions = RequestReader.each(apps[place].lines.exclusions + app.lines.exclusions)
    apps[place].lines.rules = RequestReader.each(apps[place].lines.rules + app.lines.rules)
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

  /// As an entry of the entitlement: what `check` calls an error in the line is refused, and what it warns of is a warning
  /// (E1–E4, E6, E7, E11, T9).
  private mutating func checkHost(
    _ host: String, _ node: JSONNode, _ reader: RequestReader
  ) throws(Problem) {
    for service in Service.allCases where host.hasPrefix(service.rawValue + ":") {
      let name = host.dropFirst(service.rawValue.count + 1)
      throw reader.problem(
        node, "'\(host.withoutUserInformation)' is an entry of the entitlement, not a host",
        help: "Write the host alone: '\(String(name).withoutUserInformation)'.")
    }
    var problems: [AssociatedDomainProblem] = []
    do throws(AssociatedDomainProblem) {
      problems = try AssociatedDomain("\(Service.applinks.rawValue):\(host)").remarks
    } catch {
      problems = [error]
    }
    for problem in problems where problem.severity != .note {
      let told = reader.problem(
        node, Self.withoutService(problem.message), help: Self.withoutService(problem.help))
      // Every command refuses an address for a host, although nothing says what devices do with one in an entry.
      guard problem.severity != .error, problem.kind != .ipAddress else { throw told }
      var finding = told.finding
      finding.severity = .warning
      warnings.append(finding)
    }
  }

  /// A text about an entry, for somebody who wrote only its host.
  private static func withoutService(_ text: String) -> String {
    let beginning = "'\(Service.applinks.rawValue):"
    var shown = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "'") {
      shown += rest[...mark]
      rest = rest[mark...]
      rest = rest.dropFirst(rest.hasPrefix(beginning) ? beginning.count : 1)
    }
    return shown + rest
  }

  /// What `check` calls an error in an identifier is refused, and what it calls less is a warning (J5).
  private mutating func checkIdentifier(_ id: String, _ node: JSONNode, _ reader: RequestReader)
    throws(Problem)
  {
    do throws(ApplicationIdentifierProblem) {
      _ = try ApplicationIdentifier(id)
    } catch {
      let problem = reader.problem(node, error.message, help: error.help)
      guard error.severity != .error else { throw problem }
      var finding = problem.finding
      finding.severity = .warning
      warnings.append(finding)
    }
  }

  private mutating func app(
    _ node: JSONNode, _ reader: RequestReader, _ variables: SubstitutionVariables
  ) throws(Problem) -> App {
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
    if let rules = node["rules"] {
      if let other = node["routes"] ?? node["exclude"] {
        throw reader.problem(
          other, "an app has 'rules', or 'routes' and 'exclude', not both",
          help: "Of 'rules' the first that holds decides; an exclusion of 'exclude' wins over every route.")
      }
      if rules.array?.isEmpty == true { throw reader.problem(rules, "'rules' has no rule") }
    } else if node["routes"] == nil {
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
    var lines = RuleGenerator.Lines(routes: [], exclusions: [], rules: [])
    var mistakes: [Finding] = []
    Self.collect(&mistakes) { () throws(Problem) in lines.routes = try reader.lines(node, "routes", variables)
    }
    Self.collect(&mistakes) { () throws(Problem) in
      lines.exclusions = try reader.lines(node, "exclude", variables, isExclusion: true)
    }
    Self.collect(&mistakes) { () throws(Problem) in lines.rules = try reader.lines(node, "rules", variables) }
    if let problem = Problem(joining: mistakes) { throw problem }
    if let routes = node["routes"], lines.routes.isEmpty {
      var finding = reader.problem(
        routes, "'\(id)' has no route, so the file opens no page in it (J9).",
        help: "Write a route, such as \"/*\", or remove the app."
      ).finding
      finding.severity = .warning
      warnings.append(finding)
    }
    return App(id: id, lines: lines, package: package?.text, fingerprints: fingerprints.map { $0.text })
  }
}
