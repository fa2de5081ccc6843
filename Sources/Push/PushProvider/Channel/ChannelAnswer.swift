package import LinkspanCore

/// What APNs answers about broadcast channels.
package enum ChannelAnswer: Hashable, Sendable {
  /// The identifier of a new channel, in Base64.
  case created(String)
  case storage(ChannelRequest.Storage)
  case channels([String])
  case deleted
  /// `apns-request-id`, where APNs said one.
  case published(String?)
  case refused(PushAnswer)

  /// Reads the answer to a request; anything else than what Apple documents for it is a refusal.
  package init(_ response: HTTPResponse, to request: ChannelRequest) {
    let root = response.body.isEmpty ? nil : JSONParser.parse(response.body).root
    let identifier = response.fields["apns-request-id"] ?? response.fields["apns-id"]
    switch (request, response.status) {
    case (.create, 201):
      if let channel = response.fields["apns-channel-id"], ChannelIdentifier.isOne(channel) {
        self = .created(channel)
        return
      }
    case (.read, 200):
      let policy = root?["message-storage-policy"]?.int
      if let storage = ChannelRequest.Storage.allCases.first(where: { $0.policy == policy }) {
        self = .storage(storage)
        return
      }
    case (.list, 200):
      if let channels = root?["channels"]?.strings {
        self = .channels(channels)
        return
      }
    case (.delete, 204):
      self = .deleted
      return
    case (.publish, 200):
      // A page of a proxy that answers in APNs' place names no request.
      let isNamed = identifier != nil || response.fields["apns-unique-id"] != nil
      if isNamed, response.body.isEmpty || root != nil {
        self = .published(identifier)
        return
      }
    default: break
    }
    self = .refused(PushAnswer(response))
  }

  /// Whether a refusal says that the channel does not exist; a channel that was deleted was seen to answer 404 (notes, 6).
  package var isGone: Bool {
    guard case .refused(let answer) = self else { return false }
    return answer.reason == .channelNotRegistered || answer.reason == .badPath
  }
}

extension PushAnswer {
  /// What to do about a refusal of a request about channels.
  package var channelAdvice: String {
    switch reason {
    case .badPath: "The channel does not exist in this environment."
    case .payloadTooLarge: "Shorten the payload to \(ChannelRequest.Broadcast.payloadLimitBytes) bytes."
    case .badExpirationDate:
      "A channel that stores nothing takes the expiration 0 only; others take Unix seconds."
    case let reason?: reason.advice
    case nil: isForeign ? "Something answers in APNs' place." : "APNs refuses the request as it is."
    }
  }
}
