/// Why APNs refuses a request: the `reason` of its answers and of its GOAWAY frames.
///
/// - Source: Apple, "Handling notification responses from APNs"; for broadcasts "Handling error responses from APNs".
package enum RejectionReason: String, Hashable, Sendable, CaseIterable {
  case badCollapseIdentifier = "BadCollapseId"
  case badDeviceToken = "BadDeviceToken"
  case badExpirationDate = "BadExpirationDate"
  case badMessageIdentifier = "BadMessageId"
  case badPriority = "BadPriority"
  case badTopic = "BadTopic"
  case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
  case duplicateHeaders = "DuplicateHeaders"
  case idleTimeout = "IdleTimeout"
  case invalidPushType = "InvalidPushType"
  case missingDeviceToken = "MissingDeviceToken"
  case missingTopic = "MissingTopic"
  case payloadEmpty = "PayloadEmpty"
  case topicDisallowed = "TopicDisallowed"
  case badCertificate = "BadCertificate"
  case badCertificateEnvironment = "BadCertificateEnvironment"
  case expiredProviderToken = "ExpiredProviderToken"
  case forbidden = "Forbidden"
  case invalidProviderToken = "InvalidProviderToken"
  case missingProviderToken = "MissingProviderToken"
  case unrelatedKeyIdentifier = "UnrelatedKeyIdInToken"
  case badEnvironmentKeyIdentifier = "BadEnvironmentKeyIdInToken"
  case badPath = "BadPath"
  case methodNotAllowed = "MethodNotAllowed"
  case expiredToken = "ExpiredToken"
  case unregistered = "Unregistered"
  case payloadTooLarge = "PayloadTooLarge"
  case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
  case tooManyRequests = "TooManyRequests"
  case internalServerError = "InternalServerError"
  case serviceUnavailable = "ServiceUnavailable"
  case shutdown = "Shutdown"

  // Of broadcasts and their channels.
  case featureNotEnabled = "FeatureNotEnabled"
  case missingChannelIdentifier = "MissingChannelId"
  case badChannelIdentifier = "BadChannelId"
  case channelNotRegistered = "ChannelNotRegistered"
  case badRequestParameters = "BadRequestParams"
  case badRequestPayload = "BadRequestPayload"
  case missingPushType = "MissingPushType"
  case cannotCreateChannel = "CannotCreateChannelConfig"
  case topicMismatch = "TopicMismatch"
}

extension RejectionReason {
  /// Whether it is about the key or the certificate, so that every push would be refused alike.
  package var isAboutCredential: Bool {
    switch self {
    case .badCertificate, .badCertificateEnvironment, .expiredProviderToken, .invalidProviderToken,
      .missingProviderToken, .unrelatedKeyIdentifier, .badEnvironmentKeyIdentifier:
      true
    default: false
    }
  }
}

/// What a sender does after a refusal.
package enum RejectionStep: String, Hashable, Sendable {
  /// Send it again later.
  case retry
  /// Wait, and keep the provider token.
  case holdToken = "hold-token"
  /// Sign a new provider token, once.
  case renewToken = "renew-token"
  /// Open another connection, then send it again.
  case reconnect
  /// Mend the request or the configuration first.
  case fix
  /// Forget the device token, unless it was registered again after the timestamp.
  case unregister
  /// Find out whether the token is of the other environment; only then forget it.
  case checkEnvironment = "check-environment"
  /// Do not send it again.
  case never
}
