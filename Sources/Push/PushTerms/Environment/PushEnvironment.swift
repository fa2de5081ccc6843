/// Which of Apple's two push services a device token belongs to, and a push has to be sent to.
///
/// - Source: rule push 1.1: builds signed for development belong to the sandbox, TestFlight and the App Store to production.
package enum PushEnvironment: Hashable, Sendable, CaseIterable, RawRepresentable {
  case production
  case sandbox

  /// - Parameter rawValue: "production", "sandbox", or "development", as the entitlement `aps-environment` and other tools
  ///   call the sandbox.
  package init?(rawValue: String) {
    switch rawValue {
    case "production": self = .production
    case "sandbox", "development": self = .sandbox
    default: return nil
    }
  }

  /// Every word that ``init(rawValue:)`` takes.
  package static let names = ["production", "sandbox", "development"]

  /// As it is printed and stored.
  package var rawValue: String {
    switch self {
    case .production: "production"
    case .sandbox: "sandbox"
    }
  }

  /// The value of the entitlement `aps-environment`.
  package var entitlement: String {
    switch self {
    case .production: "production"
    case .sandbox: "development"
    }
  }

  /// Host and port where broadcast channels are made and removed (rule push 6; Apple, "Sending channel management requests to
  /// APNs").
  package var channelAuthority: String {
    switch self {
    case .production: "api-manage-broadcast.push.apple.com:2196"
    case .sandbox: "api-manage-broadcast.sandbox.push.apple.com:2195"
    }
  }

  /// The host to send to, on port 443; 2197 works as well.
  package var host: String {
    switch self {
    case .production: "api.push.apple.com"
    case .sandbox: "api.sandbox.push.apple.com"
    }
  }
}
