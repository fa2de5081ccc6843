/// One rule of an association file's `components`.
public struct AssociationComponent: Sendable, Hashable {
  /// The pattern of `/`.
  public var path: String
  /// The patterns of `?`, by the names of the query's items.
  public var query: [String: String]
  /// The pattern of `#`.
  public var fragment: String?
  /// Whether the rule keeps URLs in the browser.
  public var isExclusion: Bool

  /// A rule with the members that an association file would have.
  public init(path: String, query: [String: String] = [:], fragment: String? = nil, isExclusion: Bool = false)
  {
    self.path = path
    self.query = query
    self.fragment = fragment
    self.isExclusion = isExclusion
  }
}

/// The rules of an association file for a router's routes.
public struct AssociationComponents: Sendable, Equatable {
  /// What the rules cannot say, and what they catch instead.
  public struct Difference: Sendable, Equatable, CustomStringConvertible {
    /// The route that cannot be expressed; nil when the sum of all routes is too much to compare.
    public var route: String?
    /// A path that the rules open and no route takes; nil when the difference is in a query or a fragment.
    public var alsoCatches: String?
    /// What cannot be said, and what the nearest rule catches besides.
    public var description: String
  }

  /// For `components`, in their order.
  public let components: [AssociationComponent]
  /// For `applinks.substitutionVariables`.
  public let substitutionVariables: [String: [String]]
  /// Empty when the rules open exactly the routes' URLs, in a file that devices take.
  public let differences: [Difference]

  /// - Parameter differences: Of the rules; a file that is too large is one more (R4).
  init(
    components: [AssociationComponent], substitutionVariables: [String: [String]], differences: [Difference]
  ) {
    self.components = components
    self.substitutionVariables = substitutionVariables
    let file = ComponentFile(components: components, variables: substitutionVariables)
    let size = file.text(appIDs: []).utf8.count
    guard size > ComponentFile.sizeLimitBytes - Self.identifierBytes else {
      self.differences = differences
      return
    }
    let tooLarge = Difference(
      route: nil, alsoCatches: nil,
      description: "The rules have \(size) bytes; devices take an association file of at most "
        + "\(ComponentFile.sizeLimitBytes) bytes, application identifiers included. Join routes, such as with a last '*', "
        + "or lower 'patternsPerRoute'.")
    self.differences = differences + [tooLarge]
  }

  /// Our choice: room for application identifiers.
  private static let identifierBytes = 512

  /// Whether the rules open exactly the routes' URLs, as a walk over all paths found, and fit into a file.
  public var isExact: Bool { differences.isEmpty }

  /// A whole association file with these rules, indented where a device takes it so, else without blanks.
  ///
  /// - Parameter appIDs: Such as `ABCDE12345.com.example.recipes`.
  public func json(appIDs: [String]) -> String {
    ComponentFile(components: components, variables: substitutionVariables).text(appIDs: appIDs)
  }
}
