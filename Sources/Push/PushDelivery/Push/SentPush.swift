package import LinkspanCore
package import PushProvider
package import PushTerms

/// A push as its sender hands it to APNs: the payload with the headers that decide about its delivery.
package struct SentPush: Hashable, Sendable {
  /// The push types whose way to the device is simulated. The others go to an extension, to PushKit or to ActivityKit.
  package static let simulatedTypes: [PushType] = [.alert, .background]

  /// `apns-expiration`.
  package enum Expiry: Hashable, Sendable {
    /// No header: stored by APNs' policy, up to 30 days.
    case policy
    /// 0: one attempt, never stored.
    case oneAttempt
    case at(WallTime)
  }

  package let payload: ReceivedPayload
  /// Priority and push type are there as a sender of this program fills them in. A recorded request without a type has none:
  /// what is inferred from its payload is no ground for a refusal.
  package private(set) var headers: PushHeaders
  package var expiry = Expiry.policy
  package var server: PushEnvironment

  /// - Parameters:
  ///   - kind: nil for what the payload looks like.
  ///   - priority: nil for the usual one of the kind.
  package init(
    _ payload: ReceivedPayload, kind: PushType? = nil, priority: PushPriority? = nil,
    server: PushEnvironment = .production
  ) {
    self.init(payload, headers: PushHeaders(), server: server)
    if let kind { self.kind = kind }
    self.priority = priority ?? self.kind.usualPriority
  }

  /// - Parameter headers: What is known of the request.
  package init(_ payload: ReceivedPayload, headers: PushHeaders, server: PushEnvironment = .production) {
    self.payload = payload
    self.headers = headers.withoutPlaces
    self.server = server
    if headers.type == nil, headers.extent == .some { kind = payload.type }
    if headers.priority == nil { priority = kind.usualPriority }
  }

  /// The push type; of a header that is none, what the payload looks like.
  package var kind: PushType {
    get { headers.namedType ?? payload.type }
    set { headers.type = .init(newValue.rawValue) }
  }

  /// Whether it is known what the device does with a push of this type.
  var isSimulated: Bool { Self.simulatedTypes.contains(kind) }

  /// `apns-priority`; of a header that is none, the usual one.
  package var priority: PushPriority {
    get { headers.priority.flatMap { PushPriority($0.text) } ?? kind.usualPriority }
    set { headers.priority = .init("\(newValue.rawValue)") }
  }

  package var collapseIdentifier: String? {
    get { headers.collapseIdentifier?.text }
    set { headers.collapseIdentifier = newValue.map { .init($0) } }
  }

  /// `apns-topic`; nil means the bundle identifier of the app.
  package var topic: String? {
    get { headers.topic?.text }
    set { headers.topic = newValue.map { .init($0) } }
  }

  /// What the lint says of it, and what APNs refuses.
  package var decision: PushDecision {
    PushDecision(
      PayloadSource(SourceText(name: "payload", bytes: payload.bytes), headers: headers, isBody: true))
  }
}
