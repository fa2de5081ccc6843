internal import DeviceRegistry
internal import LinkspanCore
internal import RegistryRequests

/// Requests that ask APNs, or store a message, before they change something of their own: with an `Idempotency-Key` each is
/// made once, and answered alike.
extension RegistryAPI {
  /// A request that may be made now.
  struct Once: Sendable {
    fileprivate let api: RegistryAPI
    fileprivate let call: Call
    fileprivate let key: RequestKey?
    fileprivate let respond: Respond

    /// For a message that is stored on the way, so that it is stored once although a server died before its end.
    var inner: RequestKey? {
      key.map { key in
        RequestKey(key: SHA256.hexDigest(of: Array("inner \(key.key)".utf8)), request: key.request)
      }
    }

    /// Answers that nothing was done, which leaves the key free.
    func refuse(_ response: HTTPResponse) {
      guard let key else { return respond(response) }
      api.registry.change({ store throws(RegistryError) in try store.release(call.actor, key: key.key) }) {
        _ in
        // A key that could not be freed is free after a while.
        respond(response)
      }
    }

    /// Makes the change that the request ends with, and keeps its answer.
    ///
    /// - Parameter message: The message whose redaction takes the answer's words away, too.
    func change(
      about message: Int64? = nil,
      _ body: @escaping @Sendable (RegistryStore) throws(RegistryError) -> HTTPResponse
    ) {
      api.change(respond) { store throws(RegistryError) in
        let response = try body(store)
        if let key {
          try store.settle(
            .init(
              request: key.request, status: response.status,
              body: String(decoding: response.body, as: UTF8.self), message: message),
            call.actor, key: key.key)
        }
        return response
      }
    }
  }

  /// Makes a request once for each key.
  func once(_ call: Call, _ respond: @escaping Respond, _ work: @escaping @Sendable (Once) -> Void) {
    guard let given = Self.requestKey(call, respond) else { return }
    let once = Once(api: self, call: call, key: given, respond: respond)
    guard let key = given else { return work(once) }
    registry.change(
      isAwaited: true,
      { store throws(RegistryError) -> (RegistryStore.Reservation, HTTPResponse?) in
        let found = try store.reserve(key.request, call.actor, key: key.key, at: call.time)
        guard case .answered(let replay) = found else { return (found, nil) }
        return (found, try Self.repeated(replay, store))
      }
    ) { result in
      switch result {
      case .success((.free, _)): work(once)
      case .success((.underWay, _)): respond(Self.isUnderWay.response)
      case .success((.otherRequest, _)): respond(Self.usedKey.response)
      case .success((.answered, var response)):
        response?.fields["Idempotency-Replayed"] = "true"
        respond(response ?? Self.isUnderWay.response)
      case .failure(let error): self.fail(error, of: key, respond)
      }
    }
  }

  /// The answer that was given before; of an activity whose message was redacted, what is left of it.
  private static func repeated(
    _ replay: RegistryStore.Replay, _ store: RegistryStore
  ) throws(RegistryError) -> HTTPResponse {
    if replay.body == nil, let message = replay.message,
      let activity = try store.activity(startedBy: message)
    {
      return .json(replay.status, .object(activity.members))
    }
    return try response(replay, store)
  }

  static var isUnderWay: Problem {
    Problem(409, "A request with this 'Idempotency-Key' is under way. Send it again.")
  }
}
