/// Which of Apple's two services a device token belongs to.
package enum PushEnvironment: String, Hashable, Sendable, CaseIterable {
  case production
  case development

  /// The host to send to, on port 443; 2197 works as well.
  package var host: String {
    switch self {
    case .production: "api.push.apple.com"
    case .development: "api.sandbox.push.apple.com"
    }
  }
}
