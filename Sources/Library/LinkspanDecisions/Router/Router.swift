/// Reads links into places of the app, and writes the links of places, from one description.
///
/// A template is a path, perhaps with a query and a fragment: `/recipes/{id:int}?servings={servings?:int}#{section?}`.
///
/// - `{name}` is any text of one segment; `@{name}` or `{name}.html` have something around it.
/// - `{name:int}`, `{name:hex}`, `{name:uuid}` and `{name:~REGEX}` constrain it. The expression covers the whole value, as the
///   URL carries it: `{album:~[0-9]+}`.
/// - A last `*` or `{name...}` is the path itself and everything below.
/// - `{width:int}x{height:int}` are two parameters of one segment; the first cannot contain what the text between begins with.
/// - In the query and the fragment `{name?}` is optional, and so are last segments. Further items of the query are ignored.
/// - In the query `tag={tag*}` may come often, or not at all; ``RouteParameters/all(_:as:)`` reads it.
///
/// URLs are compared as a device holds them, as an association file does it: what a URL cannot hold becomes escapes first, case
/// counts, percent-escapes are not decoded (their own digits may have either case), and trailing slashes do not count. In the
/// values of a query `+` is a blank. So ``associationComponents(for:patternsPerRoute:)`` can cover exactly the routes. Of several
/// routes that hold for a link, the one declared first has it.
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
  /// The routes' closures alone, by the table's rows, which are quicker to reach than the routes; nil where the browser has
  /// the URLs.
  @usableFromInline let readers: [(@Sendable (RouteParameters) throws -> Destination)?]

  /// - Parameters:
  ///   - sources: From where links come.
  ///   - clashes: What to do with routes that compete for links.
  ///   - routes: The order decides which route has a link that several could have.
  /// - Throws: ``RouterError`` with every problem: templates that cannot be read, routes that never get a link, routes that
  ///   clash, closures that do not undo each other, as far as a few generated values show. ``prove(samples:)`` tries more.
  public init(
    sources: [LinkSource], clashes: ClashPolicy = .refused, routes: [Route<Destination>]
  ) throws(RouterError) {
    var problems: [RouterError.Problem] = []
    var rows: [RouteTable.Row] = []
    var names: Set<String> = []
    for (index, route) in routes.enumerated() {
      if !names.insert(route.name).inserted {
        problems.append(
          .init(
            kind: .description, routes: [route.name],
            description: "Two routes are named '\(route.name)'; names are unique in a router."))
      }
      do throws(RouterError.Problem) {
        rows += try Self.rows(of: route, index)
      } catch {
        problems.append(error)
      }
    }
    problems += Self.problems(of: sources, routes: names)
    guard problems.isEmpty else { throw RouterError(problems: problems) }
    self.routes = routes
    table = RouteTable(rows: rows, sources: sources)
    readers = rows.map { routes[$0.route].read }
    problems = table.problems().filter { $0.kind != .clash || clashes == .refused }
    problems += proofProblems(samples: Self.launchSamples, isWhole: false)
    guard problems.isEmpty else { throw RouterError(problems: problems) }
  }

  /// Our choice: generated values of a route when a router is built, so that an app's launch is not slower for them.
  private static var launchSamples: Int { 8 }

  /// The paths of a route: with each number of its optional segments, then its aliases.
  private static func rows(of route: Route<Destination>, _ index: Int) throws(RouterError.Problem)
    -> [RouteTable.Row]
  {
    func pattern(_ template: String, _ what: String) throws(RouterError.Problem) -> RoutePattern {
      do throws(RoutePattern.Problem) {
        return try RoutePattern(template)
      } catch {
        throw RouterError.Problem(
          kind: .description, routes: [route.name],
          description: "Route '\(route.name)': the \(what) '\(template)' cannot be used: \(error.reason).")
      }
    }
    let own = try pattern(route.template, "template")
    let names = own.names
    let needed = Set(own.parameters.filter { !$0.isOptional }.map(\.name))
    func rows(_ pattern: RoutePattern, isAlias: Bool) -> [RouteTable.Row] {
      pattern.variants.map { variant in
        RouteTable.Row(
          name: route.name, pattern: variant, sources: route.sources, isBrowser: route.read == nil,
          route: index,
          isAlias: isAlias, absent: names.filter { !variant.names.contains($0) })
      }
    }
    var all = rows(own, isAlias: false)
    for alias in route.aliases {
      let other = try pattern(alias, "alias")
      let extra = other.names.first { !names.contains($0) }
      let missing = needed.subtracting(other.names).min()
      guard extra == nil, missing == nil else {
        throw RouterError.Problem(
          kind: .description, routes: [route.name],
          description: "Route '\(route.name)': the alias '\(alias)' "
            + (extra.map { "has the parameter '\($0)', which the template does not have." }
              ?? "lacks the parameter '\(missing ?? "")' of the template."))
      }
      all += rows(other, isAlias: true)
    }
    return all
  }

  /// A host, perhaps with a port, as test servers have one.
  private static func isHost(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isPort =
      parts.count == 1
      || parts.count == 2 && parts[1].first != "+" && (UInt16(parts[1]) ?? 0) > 0
    return isPort && !parts[0].isEmpty && !parts[0].contains { "/?#@ %".contains($0) }
      && !parts[0].dropFirst().contains("*")
  }

  private static func problems(of sources: [LinkSource], routes: Set<String>) -> [RouterError.Problem] {
    sources.compactMap { source in
      func problem(_ text: String, _ routes: [String] = []) -> RouterError.Problem {
        RouterError.Problem(kind: .description, routes: routes, description: text)
      }
      switch source {
      case .universalLinks(let hosts), .appClip(let hosts):
        if hosts.isEmpty { return problem("A source for web links has no hosts.") }
        return hosts.first { !isHost($0) }.map {
          problem(
            "'\($0)' is no host; write it without scheme and path: recipes.example, or localhost:8080 for tests."
          )
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
}
