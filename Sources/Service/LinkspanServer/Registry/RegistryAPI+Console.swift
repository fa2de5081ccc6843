package import DeviceRegistry
package import LinkspanCore

/// What a person does at the console: the same routes, in that person's name.
extension RegistryAPI {
  /// Answers a request as `/v1` would with a credential that allows everything.
  ///
  /// The caller has made sure who asks.
  ///
  /// - Parameter actor: For the audit log.
  package func answer(
    _ request: HTTPRequest, as actor: String, _ completion: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    switch outcome(for: request) {
    case .found(let route, let parameters):
      let time = currentTime
      let token = AccessToken(
        identifier: actor, secretHash: "", scopes: Set(AccessScope.allCases), topics: [], createdAt: time)
      let call = Call(request: request, parameters: parameters, address: nil, token: token, time: time)
      route.answer(self, call, completion)
    case let other: completion(other.refusal ?? .text(404, "not found"))
    }
  }

  /// Writes a line of the audit log about something that is none of the registry's own.
  package func audit(_ entry: AuditEntry) {
    registry.change(
      { store throws(RegistryError) in try store.audit([entry]) },
      { result in if case .failure(let error) = result { self.fail(error) { _ in } } })
  }

  /// The last lines of the audit log, the newest first; waits for the store.
  package func auditLog(limit: Int) throws(RegistryError) -> [AuditEntry] {
    try registry.askAndWait { store throws(RegistryError) in try store.auditLog(limit: limit) }
  }
}
