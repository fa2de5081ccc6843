internal import AppSiteAssociation
internal import AssetLinks
internal import DeviceRegistry
internal import LinkspanCore
package import LinkspanServer
internal import RegistryRequests

/// `/v1/sites`: what a folder does, over the network.
extension RegistryAPI {
  /// Why something was not done, for the client.
  package enum SiteFailure: Error, Sendable {
    /// The request has to change; in words for the client.
    case refused(String)
    /// It cannot be done now, and nothing was changed. The reason stays with the operator.
    case unavailable
    /// Nobody knows whether it was done.
    case uncertain

    fileprivate var problem: Problem {
      let fields: HTTPFields = ["Retry-After": "1"]
      return switch self {
      case .refused(let message): Problem(409, message)
      case .unavailable:
        Problem(
          503, "It cannot be done now. Nothing was changed; send the request again later.", fields: fields)
      case .uncertain:
        Problem(503, "It is not known whether it was done. Send the same request again.", fields: fields)
      }
    }
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

  /// In Base64, with the names.
  private static let bothFilesLimitBytes =
    (AssociationLocation.maximumFileBytes + StatementSource.sizeLimitBytes) / 3 * 4 + 1_024

  static func addSiteRoutes(to routes: inout Router<Route>) {
    let host = "/v1/sites/{host}"
    var file = Route(access: .scope(.writeSites)) { $0.putFile($1, isAssetLinks: false, $2) }
    file.bodyLimitBytes = AssociationLocation.maximumFileBytes
    routes.add("PUT", host, file)
    var links = Route(access: .scope(.writeSites)) { $0.putFile($1, isAssetLinks: true, $2) }
    links.bodyLimitBytes = StatementSource.sizeLimitBytes
    routes.add("PUT", host + "/assetlinks.json", links)
    var both = Route(access: .scope(.writeSites)) { $0.putFiles($1, $2) }
    both.bodyLimitBytes = Self.bothFilesLimitBytes
    routes.add("PUT", host + "/files", both)
    routes.add("DELETE", host, Route(access: .scope(.writeSites)) { $0.deleteSite($1, $2) })
  }

  private func putFile(_ call: Call, isAssetLinks: Bool, _ respond: @escaping Respond) {
    guard let host = host(call, respond), !Self.refusesCoding(call, respond) else { return }
    let bytes = call.request.body
    guard !bytes.isEmpty else {
      return respond(Problem(400, "The body is empty; send the file as it is to be served.").response)
    }
    publish(
      PublicationCandidate(
        host, associationFile: isAssetLinks ? nil : bytes, assetLinks: isAssetLinks ? bytes : nil,
        author: call.actor), call, host, respond)
  }

  /// Takes both files of a host as one publication, so that one rollback goes back behind both.
  private func putFiles(_ call: Call, _ respond: @escaping Respond) {
    guard let host = host(call, respond),
      let body = Self.body(call, limitBytes: Self.bothFilesLimitBytes, respond)
    else { return }
    let (name, linksName) = (PublicationCandidate.associationFileName, PublicationCandidate.assetLinksName)
    var files: [String: [UInt8]] = [:]
    var errors: [InputProblem] = []
    for member in body.object ?? [] {
      let pointer = JSONPointer().appending(member.name).description
      guard [name, linksName].contains(member.name) else {
        errors.append(InputProblem(pointer, "The files are '\(name)' and '\(linksName)'."))
        continue
      }
      // An empty file is one with an error, which the check names as it does in a folder.
      guard let bytes = member.value.string.flatMap({ Base64.bytes(of: $0.utf8) }) else {
        errors.append(InputProblem(pointer, "The file is written in Base64, with its padding."))
        continue
      }
      if files.updateValue(bytes, forKey: member.name) != nil {
        errors.append(InputProblem(pointer, "The file comes twice."))
      }
    }
    guard errors.isEmpty, !files.isEmpty else {
      let detail =
        "The body is an object with the files of the host: '\(name)', '\(linksName)' or both, in Base64."
      return respond(Problem(400, detail, errors: errors).response)
    }
    publish(
      PublicationCandidate(
        host, associationFile: files[name], assetLinks: files[linksName], author: call.actor), call, host,
      respond)
  }

  private func publish(
    _ candidate: PublicationCandidate, _ call: Call, _ host: String, _ respond: @escaping Respond
  ) {
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
    guard Query(call, names: [], respond) != nil else { return nil }
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
    _ respond: @escaping Respond
  ) {
    switch result {
    case .failure(let failure): respond(failure.problem.response)
    case .success(let outcomes):
      guard let outcome = outcomes.first(where: { $0.host == host }) ?? outcomes.first else {
        return respond(Problem(409, "Nothing became of it.").response)
      }
      let status =
        switch outcome.kind {
        case .published: 201
        case .held: 202
        case .refused: 422
        case .changed, .unchanged, .withdrawn, .removalHeld: 200
        }
      let response = HTTPResponse.json(status, outcome.json)
      if outcome.kind == .refused { return respond(response) }
      // A request that is repeated since its line is missing changes nothing, nor does one that comes while it is written.
      let isChange = outcome.kind != .unchanged
      guard isChange || lacksLine(about: host) else { return respond(response) }
      // What is held back is a draft, and no publication.
      let done = outcome.kind == .held ? "site.draft" : action
      let entry = AuditEntry(time: call.time, actor: call.actor, action: done, subject: host)
      // No change is acknowledged without its line, whoever made it.
      let finish = { @Sendable (isStored: Bool) in
        let hasLine = isStored && (isChange || !self.lacksLine(about: host))
        respond(hasLine ? response : SiteFailure.uncertain.problem.response)
      }
      if isChange { audit([entry], finish) } else { writeLateLines(finish) }
    }
  }
}
