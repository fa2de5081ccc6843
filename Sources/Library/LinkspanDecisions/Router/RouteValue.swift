/// A type that a parameter of a route can have.
///
/// A string-backed enum conforms by saying so: `extension Course: RouteValue {}`.
public protocol RouteValue: Sendable {
  /// - Parameter routeText: The decoded text of the parameter; never empty.
  init?(routeText: String)

  /// The text that reads as the value again.
  var routeText: String { get }
}

extension String: RouteValue {
  /// Every text is a string.
  public init?(routeText: String) { self = routeText }
  /// The string itself.
  public var routeText: String { self }
}

extension Int: RouteValue {
  /// Reads decimal digits, with or without a sign.
  public init?(routeText: String) { self.init(routeText) }
  /// Decimal digits.
  public var routeText: String { String(self) }
}

extension Bool: RouteValue {
  /// Reads `true` and `false`.
  public init?(routeText: String) { self.init(routeText) }
  /// `true` or `false`.
  public var routeText: String { self ? "true" : "false" }
}

extension Double: RouteValue {
  /// Reads a decimal number.
  public init?(routeText: String) { self.init(routeText) }
  /// The shortest text that reads as the same number.
  public var routeText: String { description }
}

extension RouteValue where Self: RawRepresentable, RawValue == String {
  /// Reads the raw value.
  public init?(routeText: String) { self.init(rawValue: routeText) }
  /// The raw value.
  public var routeText: String { rawValue }
}
