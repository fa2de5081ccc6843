/// Something that a person passes before an arrival is shown, such as a log-in or the app's first tour.
///
/// A route or a coordinator names its gate; the app opens it, closes it, or says that the person refused. Declare each gate
/// once, so that a wrong name does not compile: `extension ArrivalGate { static let login: ArrivalGate = "login" }`.
public struct ArrivalGate: Sendable, Hashable, ExpressibleByStringLiteral {
  /// Tells gates apart.
  public var name: String
  /// How long an arrival waits at the closed gate before it is given up.
  public var expiry: Duration

  /// Our choice: who has not logged in ten minutes after a tap has given the tap up.
  public static var defaultExpiry: Duration { .seconds(600) }

  /// A gate, closed until the app opens it.
  public init(_ name: String, expiry: Duration = ArrivalGate.defaultExpiry) {
    self.name = name
    self.expiry = expiry
  }

  /// A gate with the usual expiry.
  public init(stringLiteral name: String) { self.init(name) }
}
