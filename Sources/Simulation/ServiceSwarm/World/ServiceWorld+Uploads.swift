internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import RegistryServer

/// Clients of the API that send files of hosts.
extension ServiceWorld {
  /// Ours: turns in which a request reaches the thread that publishes, unless the store lets it wait.
  private static let patience = 8

  func upload(_ host: Int, _ version: Int) {
    guard let index = story.sharesSites ? anyServer() : 0, running(index) != nil else { return }
    if story.sharesSites {
      fleet.hosts[host].known.insert(version)
    } else {
      sites.hosts[host].known.insert(version)
    }
    record(
      "client", "upload", [("host", .int(host)), ("version", .int(version)), ("of", .string(party(index)))])
    var request = HTTPRequest(
      method: "PUT", authority: "registry", target: "/v1/sites/\(Self.name(ofHost: host))",
      body: Self.file(host, version))
    request.fields["Content-Type"] = "application/json"
    send(request, credential: 0, to: index, for: .upload(host: host))
    for _ in 0..<Self.patience where servers[index]?.uploads.isEmpty == true {
      if running(index)?.registry.step() != true { break }
    }
    takeUploads(index)
  }

  /// The thread that publishes takes what clients have sent to a server.
  func takeUploads(_ index: Int) {
    while let item = servers[index]?.uploads.take(), let publication = running(index)?.publication {
      guard let host = Int(item.candidate.site.host?.dropFirst(4).prefix(1) ?? ""),
        let version = Self.version(item.candidate.site.associationFile, of: host)
      else { return require(false, .oneLivePublication, "\(party(index)) is sent files that no client sent") }
      if story.sharesSites {
        drawDeath(index)
        fleet.upload(host, version)
        let outcomes = publication.upload(item.candidate, at: time.now) { [uploads] answer in
          if case .success(let outcomes) = answer,
            outcomes.contains(where: { [.published, .changed].contains($0.kind) })
          {
            uploads.add(host)
          }
          item.completion(answer)
        }
        takeShared(outcomes, index)
      } else {
        beginChange()
        sites.hosts[host].sent.insert(version)
        sites.hosts[host].sentCheck = version
        take(publication.upload(item.candidate, at: time.now, item.completion))
      }
      dieInTheMiddle(index)
    }
  }

  // MARK: - Answers

  /// What the audit log has of it: a publication, or a draft that waits for somebody.
  private static let lines = ["site.publish", "site.draft"]

  func acknowledgeUpload(_ host: Int, _ body: JSONNode?, _ status: Int) {
    let outcome = body?["outcome"]?.string.flatMap { PublicationOutcome.Kind(rawValue: $0) }
    require(
      body?["host"]?.string == Self.name(ofHost: host) && outcome != nil && outcome != .refused,
      .oneLivePublication,
      "an upload for \(Self.name(ofHost: host)) is answered with \(status) for another host")
    if outcome != .unchanged { model.audit(Self.lines[outcome == .held ? 1 : 0], isCertain: true) }
  }

  func refuseUpload(_ host: Int, _ status: Int, _ text: String) {
    require(
      [409, 422, 429, 500, 503].contains(status), .oneLivePublication,
      "an upload for \(Self.name(ofHost: host)) is answered with \(status): \(text.prefix(200))")
    if status >= 500 { loseUpload() }
  }

  /// Nobody knows whether it was published.
  func loseUpload() { for line in Self.lines { model.audit(line, isCertain: false) } }
}

/// What clients have sent to the thread that publishes, in their order.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class UploadBox: @unchecked Sendable {
  struct Item {
    var candidate: PublicationCandidate
    var completion: RegistryAPI.SiteRoutes.Completion
  }

  private var items: [Item] = []

  var isEmpty: Bool { items.isEmpty }

  /// As `serve` has them; no story removes a host by the API.
  var routes: RegistryAPI.SiteRoutes {
    RegistryAPI.SiteRoutes(
      publish: { candidate, _, completion in
        self.items.append(Item(candidate: candidate, completion: completion))
      },
      remove: { _, _, completion in completion(.failure(.refused("No story removes a host by the API."))) })
  }

  func take() -> Item? { items.isEmpty ? nil : items.removeFirst() }
}
