package import LinkspanCore

/// What is asked of APNs about an app's broadcast channels. A channel reaches every Live Activity that subscribes to it.
///
/// - Source: Apple, "Sending channel management requests to APNs" and "Sending broadcast push notification requests to APNs".
package enum ChannelRequest: Hashable, Sendable {
  /// What APNs keeps of a channel's broadcasts for devices that are offline; it is decided when the channel is made.
  package enum Storage: String, Hashable, Sendable, CaseIterable {
    /// Nothing, which allows more broadcasts.
    case none
    /// The newest one, for up to eight hours.
    case newest

    var policy: Int { self == .none ? 0 : 1 }
  }

  /// One broadcast. It updates or ends activities and starts none.
  package struct Broadcast: Hashable, Sendable {
    /// Apple: uncompressed; 1 KB more than a push to a device.
    package static let payloadLimitBytes = 5_120

    package var channel: String
    package var priority: PushPriority
    /// Unix seconds; 0 where the channel stores nothing.
    package var expiration: Int
    package var payload: [UInt8]

    package init(channel: String, priority: PushPriority, expiration: Int, payload: [UInt8]) {
      self.channel = channel
      self.priority = priority
      self.expiration = expiration
      self.payload = payload
    }
  }

  case create(Storage)
  case read(String)
  case list
  case delete(String)
  case publish(Broadcast)

  /// Whether it goes to the servers that pushes go to, and not to those that manage channels. Apple's page has another host in
  /// its sample (`api-broadcast.push.apple.com`) and this one in its prose.
  package var goesWithPushes: Bool { if case .publish = self { true } else { false } }

  /// The request for an app.
  ///
  /// - Parameters:
  ///   - app: Its bundle identifier, without a suffix.
  ///   - identifier: `apns-request-id`, a UUID.
  ///   - providerToken: nil for a request that is only shown.
  package func request(
    of app: String, to authority: String, identifier: String, providerToken: ProviderToken?
  ) -> HTTPRequest {
    var fields: [HTTPField] = []
    if let providerToken { fields.append(HTTPField("authorization", providerToken.authorization)) }
    fields.append(HTTPField("apns-request-id", identifier))
    var (method, path, body) = ("GET", "/1/apps/\(app)/channels", [UInt8]())
    switch self {
    case .create(let storage):
      method = "POST"
      body =
        JSON.object([
          ("message-storage-policy", .int(storage.policy)), ("push-type", .string("LiveActivity")),
        ]).bytes
    case .read(let channel): fields.append(HTTPField("apns-channel-id", channel))
    case .list: path = "/1/apps/\(app)/all-channels"
    case .delete(let channel):
      method = "DELETE"
      fields.append(HTTPField("apns-channel-id", channel))
    case .publish(let broadcast):
      (method, path, body) = ("POST", "/4/broadcasts/apps/\(app)", broadcast.payload)
      fields += [
        HTTPField("apns-channel-id", broadcast.channel),
        HTTPField("apns-push-type", PushType.liveactivity.rawValue),
        HTTPField("apns-priority", broadcast.priority.text),
        HTTPField("apns-expiration", "\(broadcast.expiration)"),
      ]
    }
    if !body.isEmpty { fields.append(HTTPField("content-type", "application/json")) }
    return HTTPRequest(
      method: method, authority: authority, target: path, fields: HTTPFields(fields), body: body)
  }

  /// A new `apns-request-id`.
  package static func newIdentifier(using generator: inout SeededGenerator) -> String {
    MessageIdentifier.draw(using: &generator)
  }
}
