internal import AppSiteAssociation
internal import AssetLinks
internal import DeviceRegistry
internal import LinkspanCore
package import LinkspanServer
internal import RegistryRequests

/// `/v1/sites`: what a folder does, over the network.
extension RegistryAPI {
  /// Why something was not done, for the client.
  package struct SiteFailure: Error, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
  }

  /// Who does it. A completion comes when what is served has changed.
  package struct SiteRoutes: Sendable {
    package typealias Completion = @Sendable (Result<[PublicationOutcome], SiteFailure>) -> Void

    package var publish: @Sendable (PublicationCandidate, _ actor: String, @escaping Completion) -> Void
    package var remove: @Sendable (_ host: String, _ actor: String, @escaping Completion) -> Void

    package init(
      publish: @escaping @Sendable (PublicationCandidate, _ actor: String, @escaping Completion) -> Void,
      remove: @escaping @Sendable (_ host: String, _ actor: String, @escaping Completion) -> Void
    ) {
      self.publish = publish
      self.remove = remove
    }
  }

  static func addSiteRoutes(to routes: inout Router<Route>) {
    let host = "/v1/sites/{host}"
    var file = Route(access: .scope(.writeSites)) { $0.putSite($1, .associationFile, $2) }
    file.bodyLimitBytes = AssociationLocation.maximumFileBytes
    routes.add("PUT", host, file)
    var links = Route(access: .scope(.writeSites)) { $0.putSite($1, .assetLinks, $2) }
    links.bodyLimitBytes = StatementSource.sizeLimitBytes
    routes.add("PUT", host + "/assetlinks.json", links)
    routes.add("DELETE", host, Route(access: .scope(.writeSites)) { $0.deleteSite($1, $2) })
  }

  private func putSite(_ call: Call, _ part: PublicationCandidate.Part, _ respond: @escaping Respond) {
    guard let host = host(call, respond) else { return }
    guard !call.request.body.isEmpty else {
      return respond(Problem(400, "The body is empty; send the file as it is to be served.").response)
    }
    let candidate = PublicationCandidate(host, part, call.request.body, author: call.actor)
    siteRoutes(respond)?.publish(candidate, call.actor) { [self] result in
      answer(result, call, "site.publish", host, respond)
    }
  }

  private func deleteSite(_ call: Call, _ respond: @escaping Respond) {
    guard let host = host(call, respond) else { return }
    siteRoutes(respond)?.remove(host, call.actor) { [self] result in
      answer(result, call, "site.remove", host, respond)
    }
  }

  private func siteRoutes(_ respond: Respond) -> SiteRoutes? {
    if options.sites == nil { respond(Problem(404, "This server publishes no files for clients.").response) }
    return options.sites
  }

  /// The host of the path, if the credential is for it.
  private func host(_ call: Call, _ respond: Respond) -> String? {
    let host = IDNA.named(call.parameters["host"])
    guard call.token?.allows(host: host) ?? false else {
      // The same words whatever there is, so that nobody learns about other hosts.
      counters.count(.forbidden)
      respond(Problem(403, "The credential is not for this host.").response)
      return nil
    }
    return host
  }

  private func answer(
    _ result: Result<[PublicationOutcome], SiteFailure>, _ call: Call, _ action: String, _ host: String,
    _ respond: Respond
  ) {
    switch result {
    case .failure(let failure): respond(Problem(409, failure.message).response)
    case .success(let outcomes):
      guard let outcome = outcomes.first(where: { $0.host == host }) ?? outcomes.first else {
        return respond(Problem(409, "Nothing became of it.").response)
      }
      if outcome.kind != .refused, outcome.kind != .unchanged {
        audit(AuditEntry(time: call.time, actor: call.actor, action: action, subject: host))
      }
      let status =
        switch outcome.kind {
        case .published: 201
        case .held: 202
        case .refused: 422
        case .changed, .unchanged, .withdrawn, .removalHeld: 200
        }
      respond(.json(status, outcome.json))
    }
  }
}
