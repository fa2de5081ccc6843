/// What each reason means: its status, what the sender does, and what a person should know.
extension RejectionReason {
  /// The status that comes with the reason.
  package var status: Int { entry.status }

  package var step: RejectionStep { entry.step }

  /// What to do, in a sentence or two.
  package var advice: String { entry.advice }

  private struct Entry {
    var status: Int
    var step: RejectionStep
    var advice: String

    init(_ status: Int, _ step: RejectionStep, _ advice: String) {
      self.status = status
      self.step = step
      self.advice = advice
    }
  }

  private var entry: Entry { requestEntry ?? authenticationEntry ?? laterEntry ?? broadcastEntry }

  private var requestEntry: Entry? {
    switch self {
    case .badCollapseIdentifier: Entry(400, .fix, "Shorten apns-collapse-id to 64 bytes.")
    case .badDeviceToken:
      Entry(
        400, .checkEnvironment,
        "The token is malformed or of the other environment. A build from Xcode has sandbox tokens, "
          + "one from TestFlight or the App Store production tokens.")
    case .badExpirationDate: Entry(400, .fix, "Write apns-expiration in Unix seconds, or 0.")
    case .badMessageIdentifier: Entry(400, .fix, "Write apns-id as a UUID, 8-4-4-4-12 hexadecimal digits.")
    case .badPriority: Entry(400, .fix, "Write apns-priority 1, 5 or 10; a background push has 5.")
    case .badTopic: Entry(400, .fix, "Write the app's bundle identifier as apns-topic.")
    case .deviceTokenNotForTopic:
      Entry(400, .never, "The token belongs to another app. Remove it from this topic.")
    case .duplicateHeaders: Entry(400, .fix, "Send every header once.")
    case .invalidPushType: Entry(400, .fix, "Write one of Apple's push types as apns-push-type.")
    case .missingDeviceToken: Entry(400, .fix, "Put the device token behind /3/device/.")
    case .missingTopic:
      Entry(400, .fix, "Send apns-topic: the certificate is for several topics, or a token is used.")
    case .payloadEmpty: Entry(400, .fix, "Send a payload.")
    case .topicDisallowed:
      Entry(
        400, .fix,
        "The key or certificate may not push to this topic. Compare team, bundle identifier and suffix.")
    case .forbidden: Entry(403, .never, "The action is not allowed.")
    case .badPath: Entry(404, .fix, "Send to /3/device/TOKEN.")
    case .methodNotAllowed: Entry(405, .fix, "Send the request with POST.")
    case .payloadTooLarge: Entry(413, .never, "Shorten the payload to 4096 bytes, for voip to 5120.")
    default: nil
    }
  }

  private var authenticationEntry: Entry? {
    switch self {
    case .badCertificate: Entry(403, .fix, "Replace the certificate; then open new connections.")
    case .badCertificateEnvironment: Entry(403, .fix, "Use the certificate of this environment.")
    case .expiredProviderToken:
      Entry(403, .renewToken, "The provider token is more than an hour old by APNs's clock.")
    case .invalidProviderToken:
      Entry(403, .fix, "Check that key, key identifier and team identifier belong together.")
    case .missingProviderToken: Entry(403, .fix, "Send a provider token, or connect with a certificate.")
    case .unrelatedKeyIdentifier:
      Entry(403, .reconnect, "The connection was opened with another key. Use one connection for each key.")
    case .badEnvironmentKeyIdentifier:
      Entry(403, .fix, "The key is for the other environment. Use one of this environment.")
    case .tooManyProviderTokenUpdates:
      Entry(429, .holdToken, "Keep one provider token for at least 20 minutes, in all processes.")
    default: nil
    }
  }

  private var laterEntry: Entry? {
    switch self {
    case .idleTimeout: Entry(400, .reconnect, "The connection was idle for too long. Open another.")
    case .expiredToken: Entry(410, .unregister, "The device token has expired. Forget it.")
    case .unregistered:
      Entry(
        410, .unregister, "The app is gone from the device. Forget the token unless it was registered since.")
    case .tooManyRequests:
      Entry(429, .retry, "Too many pushes went to this device in a row. Send fewer, later.")
    case .internalServerError: Entry(500, .retry, "APNs failed. Send it again after 15 minutes.")
    case .serviceUnavailable: Entry(503, .retry, "APNs is unavailable. Send it again after 15 minutes.")
    case .shutdown: Entry(503, .reconnect, "The server is shutting down. Open another connection.")
    default: nil
    }
  }

  private var broadcastEntry: Entry {
    switch self {
    case .featureNotEnabled: Entry(400, .fix, "Enable broadcasts for the app in the developer account.")
    case .missingChannelIdentifier: Entry(400, .fix, "Send apns-channel-id.")
    case .badChannelIdentifier: Entry(400, .fix, "Write apns-channel-id in Base64, as it was given.")
    case .channelNotRegistered: Entry(400, .never, "The channel does not exist in this environment.")
    case .badRequestParameters: Entry(400, .fix, "Remove the unknown key from the request.")
    case .badRequestPayload: Entry(400, .fix, "Send valid JSON.")
    case .missingPushType: Entry(400, .fix, "Send the push type.")
    case .cannotCreateChannel: Entry(400, .fix, "Delete channels first: an app has at most 10,000.")
    case .topicMismatch: Entry(403, .fix, "The channel belongs to another app.")
    default: preconditionFailure("every reason has its entry")
    }
  }
}
