public import Foundation

extension UUID: RouteValue {
  /// Reads the 36 characters in either case.
  public init?(routeText: String) { self.init(uuidString: routeText) }
  /// The 36 characters, in lower case as most servers write them.
  public var routeText: String { uuidString.lowercased() }
  /// Some of them.
  public static var routeSamples: [UUID] {
    (0...7).map {
      UUID(uuid: ($0, 0x4F, 0x9A, 0xE8, 0x36, 0x0F, 0x47, $0, 0x92, 0xD2, $0, 0x43, 0xAE, 0x82, 0xF0, 0x0D))
    }
  }
}
