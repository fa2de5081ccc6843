/// A type that a parameter of a route can have.
///
/// A string-backed enum conforms by saying so: `extension Course: RouteValue {}`. As `CaseIterable` it is proven by its cases.
public protocol RouteValue: RoutePart {
  /// - Parameter routeText: The decoded text of the parameter; never empty.
  init?(routeText: String)

  /// The text that reads as the value again.
  var routeText: String { get }

  /// Values with which a router proves that its routes read what they write; without any it looks for texts that fit the
  /// template and the type.
  static var routeSamples: [Self] { get }
}

extension RouteValue {
  /// None of its own.
  public static var routeSamples: [Self] { [] }
}

extension RouteValue where Self: CaseIterable {
  /// Every case.
  public static var routeSamples: [Self] { Array(allCases) }
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
  /// Small and large, with and without a sign.
  public static var routeSamples: [Int] { [1, 7, 0, 42, 1_234, 987_654_321, -1, 2_147_483_648, .max, .min] }
}

extension Bool: RouteValue {
  /// Reads `true` and `false`.
  public init?(routeText: String) { self.init(routeText) }
  /// `true` or `false`.
  public var routeText: String { self ? "true" : "false" }
  /// Both.
  public static var routeSamples: [Bool] { [true, false] }
}

extension Double: RouteValue {
  /// Reads a decimal number, such as `-2.5` and `1e6`; `nan`, `inf` and hexadecimal numbers are none.
  public init?(routeText: String) {
    guard routeText.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
      let number = Double(routeText), number.isFinite
    else { return nil }
    self = number
  }

  /// The shortest text that reads as the same number.
  public var routeText: String { description }
  /// Small and large, with and without a fraction.
  public static var routeSamples: [Double] { [1.5, 0, -2.25, 1e-7, 1e21, 12_345.678, 7] }
}

extension RouteValue where Self: RawRepresentable, RawValue == String {
  /// Reads the raw value.
  public init?(routeText: String) { self.init(rawValue: routeText) }
  /// The raw value.
  public var routeText: String { rawValue }
}

extension RouteValue where Self: RawRepresentable, RawValue == Int {
  /// Reads the raw value.
  public init?(routeText: String) {
    guard let number = Int(routeText) else { return nil }
    self.init(rawValue: number)
  }
  /// The raw value.
  public var routeText: String { String(rawValue) }
}

/// A list, of which the empty one writes nothing.
protocol RepeatedRouteValue {}

extension Array: RepeatedRouteValue {}

/// The values of an item that the query repeats.
extension Array: RouteValue where Element: RouteValue {
  /// Reads each value; those that are none are left out.
  public init?(routeText: String) {
    self = routeText.split(separator: RouteParameters.separator).compactMap { Element(routeText: String($0)) }
  }
  /// The values in one text.
  public var routeText: String {
    map(\.routeText).joined(separator: String(RouteParameters.separator))
  }
  /// None, one and several.
  public static var routeSamples: [[Element]] {
    let samples = Element.routeSamples
    return samples.isEmpty ? [] : [Array(samples.prefix(1)), [], Array(samples.prefix(3))]
  }
}
