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
  /// What came closest, and why it was not taken. It may be logged: of the link it has neither user information nor query and
  /// fragment, which ``url`` has.
  public let description: String
}

extension RoutingMiss {
  /// A link without what may be secret: "…" stands for a user and for what follows the path.
  static func shown(_ url: String) -> String {
    let text = url.utf8
    let scheme = text.prefix { isOfScheme($0) }
    let hasScheme = !scheme.isEmpty && text.dropFirst(scheme.count).first == UInt8(ascii: ":")
    let behind = hasScheme ? text.index(after: scheme.endIndex) : text.startIndex
    let start = text[behind...].firstIndex { !isSlash($0) } ?? text.endIndex
    let isPath = !hasScheme && text[behind..<start].count == 1
    let end = text[start...].firstIndex { isSlash($0) || isOpening($0) } ?? text.endIndex
    let authority = isPath ? text[start..<start] : text[start..<end]
    let head = String(url[..<start])
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { return head + "…" + withoutQuery(url[at...]) }
    let port =
      authority.first == UInt8(ascii: "[") ? authority.prefix(0) : authority.drop { $0 != UInt8(ascii: ":") }
    // A password with a slash is read as a port.
    if port.dropFirst().contains(where: { $0 &- 0x30 >= 10 }) { return head + "…" }
    return head + withoutQuery(url[start...])
  }

  private static func withoutQuery(_ text: Substring) -> String {
    guard let place = text.utf8.firstIndex(where: isOpening) else { return String(text) }
    return text[..<place] + String(text[place]) + "…"
  }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "+-.".utf8.contains(byte)
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// Whether a query or a fragment begins.
  private static func isOpening(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}

/// A destination that has no URL.
public struct PrintingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong, and what to do.
  public let description: String
}
