public import Foundation

extension UUID: RouteValue {
  /// Reads the 36 characters in either case.
  public init?(routeText: String) { self.init(uuidString: routeText) }
  /// The 36 characters, in lower case as most servers write them.
  public var routeText: String { uuidString.lowercased() }
}
