package import AppSiteAssociation
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

  private static let appKeys = ["id", "routes", "exclude", "package", "fingerprints", "comment"]

  /// - Throws: The first mistake, at its place.
  package init(_ text: SourceText) throws(Problem) {
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
    guard let apps = root["apps"] else { throw reader.problem(root, "'apps' is missing") }
    guard let nodes = apps.array else { throw reader.problem(apps, "'apps': expected a list of objects") }
    for node in nodes where node.string == nil { self.apps.append(try Self.app(node, reader)) }
    if self.apps.isEmpty { throw reader.problem(apps, "'apps' has no object with 'id' and 'routes'") }
    hosts = try reader.strings(root, "hosts").map(\.text)
    if let host = root["host"]?.string { hosts.insert(host, at: 0) }
    webCredentials = try reader.strings(root, "webcredentials").map(\.text)
  }

  private static func app(_ node: JSONNode, _ reader: Reader) throws(Problem) -> App {
    guard let members = node.object else {
      throw reader.problem(node, "expected an object with 'id' and 'routes'")
    }
    for member in members where !appKeys.contains(member.name) {
      throw reader.problem(
        member.value, "'\(member.name)' is not a key of an app; expected \(appKeys.joined(separator: ", "))")
    }
    guard let id = node["id"]?.string, !id.isEmpty else {
      throw reader.problem(
        node, "'id' is missing: the application identifier, such as ABCDE12345.com.example.app")
    }
    guard node["routes"] != nil else {
      throw reader.problem(node, "'routes' is missing: such as [\"/buy/:id\"]")
    }
    return App(
      id: id, routes: try routes(node, "routes", reader), exclusions: try routes(node, "exclude", reader),
      package: node["package"]?.string, fingerprints: try reader.strings(node, "fingerprints").map(\.text))
  }

  private static func routes(
    _ node: JSONNode, _ key: String, _ reader: Reader
  ) throws(Problem) -> [Route] {
    var routes: [Route] = []
    for (text, place) in try reader.strings(node, key) {
      do throws(Route.Problem) {
        let route = try Route(text)
        if !routes.contains(route) { routes.append(route) }
      } catch {
        throw reader.problem(place, error.description)
      }
    }
    return routes
  }

  private struct Reader {
    let text: SourceText

    func problem(_ node: JSONNode, _ message: String) -> Problem {
      Problem(
        finding: Finding(
          rule: "generate", severity: .error, at: .init(text, node.range), message: message))
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
