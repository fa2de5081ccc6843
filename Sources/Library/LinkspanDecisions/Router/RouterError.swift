/// Why a router cannot be built: every problem of its description, not only the first.
public struct RouterError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One problem, with the routes that it concerns.
  public struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of problem it is.
    public enum Kind: Sendable, Equatable {
      /// The template, a source or a name cannot be used.
      case description
      /// Every URL of the first route is taken by the others, which are declared before it.
      case unreachable
      /// The two routes share URLs, and neither is a special case of the other.
      case clash
      /// Reading what was written does not give the same.
      case notInverse
    }

    /// What kind of problem it is.
    public var kind: Kind
    /// The names of the routes that it concerns.
    public var routes: [String]
    /// What is wrong, and what to do.
    public var description: String
  }

  /// At least one.
  public let problems: [Problem]

  /// One line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// Why a link has no place in the app.
public struct RoutingMiss: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason, to switch on.
  public enum Reason: Sendable, Equatable {
    /// The text is no URL with a scheme and a path.
    case notALink
    /// No source of the router has the scheme.
    case foreignScheme
    /// No source of the router has the host, or the URL names a port.
    case foreignHost
    /// A route says that the URL belongs to the browser.
    case keptInBrowser(route: String)
    /// A route has the URL, but its closure cannot read the parameters.
    case unreadable(route: String)
    /// No route has the URL.
    case noRoute(closest: String?)
  }

  /// The link, as it came.
  public let url: String
  /// The reason, to switch on.
  public let reason: Reason
  /// What came closest, and why it was not taken.
  public let description: String
}

/// A destination that has no URL.
public struct PrintingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, and what to do.
  public let description: String
}
