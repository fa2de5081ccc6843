package import LinkspanCore

/// One push to one device, as it will be sent.
package struct PushNotification: Sendable {
  package var token: DeviceToken
  /// Nil where the connection's certificate says it.
  package var topic: PushTopic?
  package var type: PushType
  package var priority: PushPriority
  /// Unix seconds; 0 for one attempt, nil to leave storage to APNs.
  package var expiration: Int?
  package var collapseIdentifier: String?
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
    if let providerToken { fields.append(HTTPField("authorization", "bearer " + providerToken.text)) }
    fields += [
      HTTPField("apns-id", messageIdentifier), HTTPField("apns-push-type", type.rawValue),
      HTTPField("apns-priority", "\(priority.rawValue)"),
    ]
    if let topic { fields.append(HTTPField("apns-topic", topic.text)) }
    if let expiration { fields.append(HTTPField("apns-expiration", "\(expiration)")) }
    if let collapseIdentifier { fields.append(HTTPField("apns-collapse-id", collapseIdentifier)) }
    fields.append(HTTPField("content-type", "application/json"))
    return HTTPRequest(
      method: "POST", authority: authority, target: "/3/device/\(token.text)", fields: HTTPFields(fields),
      body: payload)
  }
}

/// Names a push, so that an answer, a log of APNs and a second attempt can be told to be about it.
enum MessageIdentifier {
  /// A random UUID (RFC 9562, 5.4) in the form that APNs takes.
  static func draw(using generator: inout SeededGenerator) -> String {
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let bytes = [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { ASCII.hexText(bytes[$0]) }.joined(separator: "-")
  }
}
