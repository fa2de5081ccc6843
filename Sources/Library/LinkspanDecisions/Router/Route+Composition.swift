// Routes made of routes: a group below one path, and the routes of a part of the app with its own type of places.

extension Route {
  /// Routes below one path, with what they share.
  ///
  /// - Parameters:
  ///   - path: A path without parameters, such as `/shop`.
  ///   - sources: Where their links may come from, of those that each allows; nil changes nothing.
  ///   - gate: The gate of those that have none.
  public static func group(
    _ path: String, from sources: Set<LinkSource.Kind>? = nil, gate: ArrivalGate? = nil, _ routes: [Route]
  ) -> [Route] {
    routes.map { route in
      Route(
        name: route.name, template: joined(path, route.template),
        aliases: route.aliases.map { joined(path, $0) },
        sources: sources.map { route.sources.intersection($0) } ?? route.sources, gate: route.gate ?? gate,
        read: route.read, write: route.write)
    }
  }

  /// The routes of a part of the app, which knows nothing of the whole.
  ///
  /// - Parameters:
  ///   - name: Stands before their names, as in `shop.item`.
  ///   - path: Stands before their paths, such as `/shop`.
  ///   - gate: The gate of those that have none.
  ///   - embed: Makes a place of the whole app of one of the part.
  ///   - extract: The part's place; nil for a place of another part.
  public static func mount<Part: Sendable>(
    _ name: String, at path: String = "", gate: ArrivalGate? = nil, _ routes: [Route<Part>],
    embed: @escaping @Sendable (Part) -> Destination,
    extract: @escaping @Sendable (Destination) -> Part?
  ) -> [Route] {
    routes.map { route in
      let read = route.read.map { read -> @Sendable (RouteParameters) throws -> Destination in
        { embed(try read($0)) }
      }
      let write = route.write
      return Route(
        name: "\(name).\(route.name)", template: joined(path, route.template),
        aliases: route.aliases.map { joined(path, $0) }, sources: route.sources, gate: route.gate ?? gate,
        read: read, write: { extract($0).flatMap(write) })
    }
  }

  private static func joined(_ path: String, _ template: String) -> String {
    var path = path[...]
    while path.last == "/" { path.removeLast() }
    // Below '/shop' the template '/' is '/shop', and '/?q={q}' is '/shop?q={q}'.
    let rest = template.hasPrefix("/") && (template.count == 1 || template.hasPrefix("/?")) && !path.isEmpty
    return String(path) + (rest ? template.dropFirst() : template[...])
  }
}

extension Route {
  /// A route whose closures name no parameter: they take and give the values in the order of the template, so that a wrong
  /// name or number does not compile or is refused when the router is built.
  ///
  /// ```swift
  /// Route("recipe", "/recipes/{id:int}?servings={servings?:int}") { (id: Int, servings: Int?) in
  ///   .recipe(id: id, servings: servings)
  /// } parts: {
  ///   if case .recipe(let id, let servings) = $0 { (id, servings) } else { nil }
  /// }
  /// ```
  public init<each Part: RoutePart>(
    _ name: String, _ template: String, from sources: Set<LinkSource.Kind> = Set(LinkSource.Kind.allCases),
    aliases: [String] = [], gate: ArrivalGate? = nil,
    make: @escaping @Sendable (repeat each Part) throws -> Destination,
    parts: @escaping @Sendable (Destination) -> (repeat each Part)?
  ) {
    let names = ((try? RoutePattern(template))?.names) ?? []
    self.init(name, template, from: sources, aliases: aliases, gate: gate) { parameters in
      var reader = RoutePartReader(parameters: parameters, names: names)
      let values = (repeat try reader.next((each Part).self))
      try reader.end()
      return try make(repeat each values)
    } write: { destination in
      guard let values = parts(destination) else { return nil }
      var written: [(any RouteValue)?] = []
      repeat written.append((each values).routeValue)
      return Dictionary(zip(names, written)) { first, _ in first }
    }
  }
}

/// What stands for one parameter in ``Route/init(_:_:from:aliases:gate:make:parts:)``: a value, or an optional one.
public protocol RoutePart: Sendable {
  /// Reads the parameter.
  static func part(_ name: String, of parameters: RouteParameters) throws -> Self
  /// The value to write; nil leaves it out.
  var routeValue: (any RouteValue)? { get }
}

extension RouteValue {
  /// Reads the parameter, which must have a value.
  public static func part(_ name: String, of parameters: RouteParameters) throws -> Self {
    try parameters(name)
  }
  /// The value itself.
  public var routeValue: (any RouteValue)? { self }
}

extension Array: RoutePart where Element: RouteValue {
  /// Reads the item as often as the query has it.
  public static func part(_ name: String, of parameters: RouteParameters) throws -> [Element] {
    try parameters.all(name)
  }
  /// The values.
  public var routeValue: (any RouteValue)? { self }
}

extension Optional: RoutePart where Wrapped: RouteValue {
  /// Reads the parameter, which may be missing.
  public static func part(_ name: String, of parameters: RouteParameters) throws -> Wrapped? {
    try parameters.optional(name)
  }
  /// The value, if there is one.
  public var routeValue: (any RouteValue)? { self }
}

/// Hands a route's parameters out in the order of its template.
private struct RoutePartReader {
  let parameters: RouteParameters
  let names: [String]
  private var count = 0

  init(parameters: RouteParameters, names: [String]) {
    self.parameters = parameters
    self.names = names
  }

  mutating func next<Part: RoutePart>(_ type: Part.Type) throws -> Part {
    count += 1
    // A name that no template has makes the router say what it has.
    return try Part.part(count <= names.count ? names[count - 1] : "number \(count)", of: parameters)
  }

  func end() throws {
    guard count < names.count else { return }
    throw RouteParameters.Failure(
      name: "", description: "the closure takes \(count) values, and the template has \(names.count)")
  }
}
