package import LinkspanCore

/// One push to one device, as it will be sent.
package struct PushNotification: Sendable {
  /// Header fields that differ from push to push: Apple asks that they go into the peer's small table of header fields
  /// once, for their names, and not again (notes, 1.20). The library never puts `:path` and `authorization` there.
  package static let fieldsIndexedOnce = ["apns-id", "apns-expiration", "apns-collapse-id"]

  package var token: DeviceToken
  /// Nil where the connection's certificate says it.
  package var topic: PushTopic?
  package var type: PushType
  package var priority: PushPriority
  /// Unix seconds; 0 for one attempt, nil to leave storage to APNs.
  package var expiration: Int?
  package var collapseIdentifier: String?
  /// `apns-id`, a UUID in lower case, for a caller that keeps it across restarts; nil has the client draw one.
  package var messageIdentifier: String?
  /// Sent byte for byte.
  package var payload: [UInt8]

  package init(
    token: DeviceToken, topic: PushTopic?, type: PushType, priority: PushPriority, payload: [UInt8]
  ) {
    self.token = token
    self.topic = topic
    self.type = type
    self.priority = priority
    self.payload = payload
  }

  /// The request of every attempt; only the provider token may differ.
  ///
  /// - Parameters:
  ///   - authority: Host and port of the service.
  ///   - messageIdentifier: `apns-id`, the same for every attempt.
  ///   - providerToken: nil where the connection has a certificate.
  package func request(
    to authority: String, messageIdentifier: String, providerToken: ProviderToken?
  ) -> HTTPRequest {
    var fields: [HTTPField] = []
    fields.reserveCapacity(8)
    if let providerToken { fields.append(HTTPField("authorization", providerToken.authorization)) }
    fields.append(HTTPField("apns-id", messageIdentifier))
    fields.append(HTTPField("apns-push-type", type.rawValue))
    if let topic { fields.append(HTTPField("apns-topic", topic.text)) }
    fields.append(HTTPField("apns-priority", priority.text))
    if let expiration { fields.append(HTTPField("apns-expiration", "\(expiration)")) }
    if let collapseIdentifier { fields.append(HTTPField("apns-collapse-id", collapseIdentifier)) }
    fields.append(HTTPField("content-type", "application/json"))
    return HTTPRequest(
      method: "POST", authority: authority, target: "/3/device/" + token.text, fields: HTTPFields(fields),
      body: payload)
  }
}
