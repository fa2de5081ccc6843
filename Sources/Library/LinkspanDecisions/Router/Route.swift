/// One route: which URLs it stands for, and which place of the app.
///
/// One template parses and prints. The closures only move values between parameters and the app's own type; the router
/// tests when it is built that each undoes the other.
public struct Route<Destination: Sendable>: Sendable {
  /// Names the route in messages, and where a Handoff activity refers to it.
  public let name: String
  /// Such as `/recipes/{id:int}?servings={servings?:int}`.
  public let template: String
  /// Templates of links that are read as the route's and never written, such as those of last year.
  public let aliases: [String]
  /// Where its links may come from.
  public let sources: Set<LinkSource.Kind>
  /// What a person passes before the place is shown; nil for a place that is open to all.
  public let gate: ArrivalGate?
  /// Nil for a route whose URLs belong to the browser.
  let read: (@Sendable (RouteParameters) throws -> Destination)?
  let write: @Sendable (Destination) -> [String: (any RouteValue)?]?

  /// A route with parameters.
  ///
  /// - Parameters:
  ///   - name: A short name, unique in its router.
  ///   - template: The URLs, as in ``Router`` described.
  ///   - sources: Where its links may come from.
  ///   - aliases: Templates with the same parameters that are read and never written.
  ///   - gate: What a person passes before the place is shown, such as a log-in.
  ///   - read: Makes the destination of the parameters.
  ///   - write: The parameters of a destination; nil for one of another route. A nil value leaves an optional out.
  public init(
    _ name: String, _ template: String, from sources: Set<LinkSource.Kind> = Set(LinkSource.Kind.allCases),
    aliases: [String] = [], gate: ArrivalGate? = nil,
    read: @escaping @Sendable (RouteParameters) throws -> Destination,
    write: @escaping @Sendable (Destination) -> [String: (any RouteValue)?]?
  ) {
    self.init(
      name: name, template: template, aliases: aliases, sources: sources, gate: gate, read: read, write: write
    )
  }

  init(
    name: String, template: String, aliases: [String], sources: Set<LinkSource.Kind>, gate: ArrivalGate?,
    read: (@Sendable (RouteParameters) throws -> Destination)?,
    write: @escaping @Sendable (Destination) -> [String: (any RouteValue)?]?
  ) {
    self.name = name
    self.template = template
    self.aliases = aliases
    self.sources = sources
    self.gate = gate
    self.read = read
    self.write = write
  }

  /// URLs that stay in the browser although a later route would take them: `/help/*` before `/{user}/{album}`.
  public static func browser(_ name: String, _ template: String) -> Route {
    Route(
      name: name, template: template, aliases: [], sources: Set(LinkSource.Kind.allCases), gate: nil,
      read: nil,
      write: { _ in nil })
  }
}

extension Route where Destination: Equatable {
  /// A route without parameters.
  public init(
    _ name: String, _ template: String, _ destination: Destination,
    from sources: Set<LinkSource.Kind> = Set(LinkSource.Kind.allCases), aliases: [String] = [],
    gate: ArrivalGate? = nil
  ) {
    self.init(
      name, template, from: sources, aliases: aliases, gate: gate, read: { _ in destination },
      write: { $0 == destination ? [:] : nil })
  }
}
