/// Reads links into places of the app, and writes the links of places, from one description.
///
/// A template is a path, perhaps with a query and a fragment: `/recipes/{id:int}?servings={servings?:int}#{section?}`.
///
/// - `{name}` is any text of one segment; `@{name}` or `{name}.html` have something around it.
/// - `{name:int}`, `{name:hex}`, `{name:uuid}` and `{name:~REGEX}` constrain it. The expression covers the whole value, as the
///   URL carries it: `{album:~[0-9]+}`.
/// - A last `*` or `{name...}` is the path itself and everything below.
/// - In the query and the fragment `{name?}` is optional. Further items of the query are ignored.
///
/// URLs are compared as a device holds them, as an association file does it: what a URL cannot hold becomes escapes first, case
/// counts, percent-escapes are not decoded, and trailing slashes do not count. So
/// ``associationComponents(for:patternsPerRoute:)`` can cover exactly the routes. Of several routes that hold for a link, the
/// one declared first has it.
public struct Router<Destination: Sendable>: Sendable {
  /// What to do with two routes that share links while neither is a special case of the other.
  public enum ClashPolicy: Sendable {
    /// The router is not built, and the error names both.
    case refused
    /// The order of declaration decides.
    case firstDeclaredWins
  }

  /// In the order of declaration.
  public let routes: [Route<Destination>]
  let table: RouteTable
  /// The routes' closures alone, which are quicker to reach than the routes; nil where the browser has the URLs.
  let readers: [(@Sendable (RouteParameters) throws -> Destination)?]

  /// - Parameters:
  ///   - sources: From where links come.
  ///   - clashes: What to do with routes that compete for links.
  ///   - routes: The order decides which route has a link that several could have.
  /// - Throws: ``RouterError`` with every problem: templates that cannot be read, routes that never get a link, routes that
  ///   clash, closures that do not undo each other.
  public init(
    sources: [LinkSource], clashes: ClashPolicy = .refused, routes: [Route<Destination>]
  ) throws(RouterError) {
    var problems: [RouterError.Problem] = []
    var rows: [RouteTable.Row] = []
    var names: Set<String> = []
    for route in routes {
      if !names.insert(route.name).inserted {
        problems.append(
          .init(
            kind: .description, routes: [route.name],
            description: "Two routes are named '\(route.name)'; names are unique in a router."))
      }
      do throws(RoutePattern.Problem) {
        rows.append(
          RouteTable.Row(
            name: route.name, pattern: try RoutePattern(route.template), sources: route.sources,
            isBrowser: route.read == nil))
      } catch {
        problems.append(
          .init(
            kind: .description, routes: [route.name],
            description:
              "Route '\(route.name)': the template '\(route.template)' cannot be used: \(error.reason)."))
      }
    }
    problems += Self.problems(of: sources, routes: names)
    guard problems.isEmpty else { throw RouterError(problems: problems) }
    self.routes = routes
    readers = routes.map(\.read)
    table = RouteTable(rows: rows, sources: sources)
    problems = table.problems().filter { $0.kind != .clash || clashes == .refused }
    problems += routes.indices.compactMap { inverseProblem(of: $0) }
    guard problems.isEmpty else { throw RouterError(problems: problems) }
  }

  private static func problems(of sources: [LinkSource], routes: Set<String>) -> [RouterError.Problem] {
    sources.compactMap { source in
      func problem(_ text: String, _ routes: [String] = []) -> RouterError.Problem {
        RouterError.Problem(kind: .description, routes: routes, description: text)
      }
      switch source {
      case .universalLinks(let hosts), .appClip(let hosts):
        if hosts.isEmpty { return problem("A source for web links has no hosts.") }
        let bad = hosts.first {
          $0.isEmpty || $0.contains { "/:?#@ ".contains($0) } || $0.dropFirst().contains("*")
        }
        return bad.map {
          problem("'\($0)' is no host; write it without scheme, port and path: recipes.example.")
        }
      case .customScheme(let name):
        let isScheme =
          name.first?.isLetter == true
          && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let isWeb = ["http", "https"].contains(name.lowercased())
        return isScheme && !isWeb
          ? nil : problem("'\(name)' is no custom scheme; write the name without '://', such as recipes.")
      case .handoff(let type, let route):
        return routes.contains(route)
          ? nil
          : problem(
            "The Handoff activity '\(type)' names the route '\(route)', which does not exist.", [route])
      }
    }
  }

  /// Reads an example of the route's URLs and writes it again.
  private func inverseProblem(of index: Int) -> RouterError.Problem? {
    guard let read = routes[index].read else { return nil }
    let row = table.rows[index]
    func problem(_ reason: String) -> RouterError.Problem {
      RouterError.Problem(
        kind: .notInverse, routes: [row.name],
        description: "Route '\(row.name)' (\(row.pattern.text)): \(reason)")
    }
    let example = row.pattern.example
    let parameters = table.parameters(ofExample: example, row)
    let destination: Destination
    do {
      destination = try read(parameters)
    } catch let failure as RouteParameters.Failure where !row.names.contains(failure.name) {
      return problem("its closure 'read' fails: \(failure.description).")
    } catch {
      // Its own type allows fewer values than the template, and the example is none of them.
      return nil
    }
    guard let values = routes[index].write(destination) else {
      return problem("'write' returns nil for what 'read' makes of \(example).")
    }
    if let foreign = values.keys.sorted().first(where: { !row.names.contains($0) }) {
      return problem("'write' gives '\(foreign)', which is no parameter of the template.")
    }
    let texts = values.compactMapValues { $0?.routeText }
    for name in row.names where parameters[name] != texts[name] {
      return problem(
        "for \(example) 'read' and 'write' turn \(name) = \(parameters[name].map { "'\($0)'" } ?? "nothing") into "
          + "\(texts[name].map { "'\($0)'" } ?? "nothing").")
    }
    return nil
  }
}
