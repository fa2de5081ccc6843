internal import LinkLanguages
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles

/// The routes of an app's router, from a file.
enum RouteList {
  /// - Throws: What cannot be read, at its place.
  static func read(_ path: String) throws(LinkspanError) -> [Route] {
    let text = try FileReader.read(path)
    let document = JSONParser.parse(text.bytes, dialect: .json5)
    func problem(_ range: Range<Int>, _ message: String) -> LinkspanError {
      let place = text.position(at: range.lowerBound)
      return LinkspanError(
        "\(text.name):\(place.line):\(place.column): \(message).",
        help: "Write a list such as [\"/buy/:id\", \"/help/*\"], or an object with it as 'routes'.")
    }
    if let error = document.errors.first { throw problem(error.range, error.message) }
    if let root = document.root {
      var repeated: JSONMember?
      DuplicateKeys.each(in: root) { member, _, _ in repeated = repeated ?? member }
      if let repeated { throw problem(repeated.nameRange, "'\(repeated.name)' occurs twice") }
    }
    guard let root = document.root, let nodes = (root["routes"] ?? root).array else {
      throw problem(0..<0, "expected a list of routes")
    }
    var routes: [Route] = []
    for node in nodes {
      guard let text = (node["path"] ?? node).string else { throw problem(node.range, "expected a route") }
      var constraints: [String: String] = [:]
      for member in node["constraints"]?.object ?? [] {
        guard let expression = member.value.string else {
          throw problem(member.value.range, "expected a regular expression")
        }
        constraints[member.name] = expression
      }
      do throws(Route.Problem) {
        // A route says nothing of queries: those of templates are left out.
        routes +=
          constraints.isEmpty ? try Route.reading(text).routes : [try Route(text, constraints: constraints)]
      } catch {
        throw problem(node.range, String(error.description.dropLast()))
      }
    }
    return routes
  }
}
