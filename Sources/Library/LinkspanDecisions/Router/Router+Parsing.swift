extension Router {
  /// The place of a link; nil for one that no route takes. The fast way: without a reason for a miss.
  ///
  /// - Parameter kind: From where the link came; without it the scheme decides, and web links are universal links.
  @inlinable  // An app compiles it for its own type, so that no look-up of the type happens for each link.
  public func destination(for url: String, from kind: LinkSource.Kind? = nil) -> Destination? {
    guard let (row, parameters) = decision(url, kind) else { return nil }
    // Who wants the reason calls 'parse'.
    return try? readers[row]?(parameters)
  }

  @usableFromInline
  func decision(_ url: String, _ kind: LinkSource.Kind?) -> (row: Int, parameters: RouteParameters)? {
    guard case .route(let row, let parameters) = table.decide(url, from: kind) else { return nil }
    return (row, parameters)
  }

  /// The place of a link.
  ///
  /// - Parameter kind: From where the link came; without it the scheme decides, and web links are universal links.
  /// - Throws: ``RoutingMiss``, which says what came closest. Hand the link to the browser then.
  public func parse(_ url: String, from kind: LinkSource.Kind? = nil) throws(RoutingMiss) -> Destination {
    try locate(url, from: kind).place
  }

  /// A place with what tells it from others: the same for each link that leads there.
  struct Located {
    var place: Destination
    var key: String
    var gate: ArrivalGate?
  }

  private func located(_ place: Destination, _ index: Int, _ parameters: RouteParameters) -> Located {
    let values = parameters.values.sorted { $0.key < $1.key }.map { "\u{0}\($0.key)=\($0.value)" }
    let route = routes[table.rows[index].route]
    return Located(place: place, key: "place " + route.name + values.joined(), gate: route.gate)
  }

  /// As ``parse(_:from:)``, with the place's key and gate.
  func locate(_ url: String, from kind: LinkSource.Kind?) throws(RoutingMiss) -> Located {
    func miss(_ reason: RoutingMiss.Reason, _ text: String) -> RoutingMiss {
      RoutingMiss(url: url, reason: reason, description: "No place for \(RoutingMiss.shown(url)): \(text).")
    }
    switch table.decide(url, from: kind) {
    case .route(let index, let parameters):
      let row = table.rows[index]
      guard let read = readers[index] else {
        throw miss(.keptInBrowser(route: row.name), "the route '\(row.name)' leaves it to the browser")
      }
      do {
        return located(try read(parameters), index, parameters)
      } catch {
        throw miss(.unreadable(route: row.name), "the route '\(row.name)' cannot read it: \(error)")
      }
    case .notALink: throw miss(.notALink, "expected a URL with a scheme and a path")
    case .foreignScheme: throw miss(.foreignScheme, "no source of the router has its scheme")
    case .foreignHost:
      throw miss(
        .foreignHost, "no source of the router has its host, or the URL names a port or another source")
    case .noRoute:
      let closest = table.closest(to: url, from: kind)
      throw miss(.noRoute(closest: closest?.route), closest?.why ?? "the router has no routes for it")
    }
  }

  /// The name of the route that has a link, and its parameters; nil for a link without a route.
  public func match(_ url: String, from kind: LinkSource.Kind? = nil) -> (
    route: String, parameters: RouteParameters
  )? {
    guard case .route(let index, let parameters) = table.decide(url, from: kind), readers[index] != nil else {
      return nil
    }
    return (table.rows[index].name, parameters)
  }

  private func read(
    _ parameters: RouteParameters, _ index: Int, _ name: String
  ) throws(PrintingError) -> Destination {
    guard let read = readers[index] else {
      throw PrintingError(description: "the route '\(name)' leaves it to the browser")
    }
    do {
      return try read(parameters)
    } catch {
      throw PrintingError(description: "the route '\(name)' cannot read it: \(error)")
    }
  }

  /// The place that a Handoff activity of one's own continues.
  ///
  /// - Parameters:
  ///   - activityType: A type that a source of the router names.
  ///   - userInfo: The parameters of its route, as texts.
  /// - Throws: ``RoutingMiss`` for an unknown type, and for parameters that the route's template does not hold for.
  public func parse(activityType: String, userInfo: [String: String]) throws(RoutingMiss) -> Destination {
    try locate(activityType: activityType, userInfo: userInfo).place
  }

  /// As ``parse(activityType:userInfo:)``, with the place's key and gate.
  func locate(activityType: String, userInfo: [String: String]) throws(RoutingMiss) -> Located {
    for case .handoff(activityType, let name) in table.sources {
      guard let route = routes.firstIndex(where: { $0.name == name }) else { continue }
      do throws(PrintingError) {
        let values = userInfo.mapValues { Optional($0) }
        let index = table.row(ofRoute: route, for: values)
        let printed = try table.text(table.rows[index], values)
        let parameters = table.parameters(ofExample: printed, table.rows[index])
        return located(try read(parameters, index, name), index, parameters)
      } catch {
        throw RoutingMiss(
          url: activityType, reason: .unreadable(route: name),
          description: "No place for the activity \(activityType): \(error.description).")
      }
    }
    throw RoutingMiss(
      url: activityType, reason: .noRoute(closest: nil),
      description: "No place for the activity \(activityType): no source of the router has this type.")
  }
}
