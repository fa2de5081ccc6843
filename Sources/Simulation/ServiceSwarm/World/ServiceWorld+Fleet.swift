internal import DeviceRegistry
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import SimulatedStores

/// Servers that share their orders about hosts in the registry. Each has a folder and a state of its own; deployments reach them one
/// after the other.
extension ServiceWorld {
  /// Milliseconds between two looks for the orders of others, as `serve` has them.
  private static let orderPeriod: Int64 = 500

  // MARK: - Steps

  func publishShared(_ step: ServiceStep) {
    switch step {
    case .deploy(let host, let version): deployShared(host, version)
    case .undeploy(let host): deployShared(host, nil)
    case .read: for index in servers.indices where chance.chance(1, in: 2) { readShared(index) }
    case .upload(let host, let version): upload(host, version)
    case .order(let order, let host):
      if let index = anyServer() { _ = performShared(order, host, nil, index) }
    default: break
    }
    for index in servers.indices { dieInTheMiddle(index) }
  }

  private func deployShared(_ host: Int, _ version: Int?) {
    fleet.deploy(host, version)
    record("operator", "deploy", [("host", .int(host)), ("version", JSON(version))])
  }

  /// What is deployed reaches a server, which notices it.
  private func readShared(_ index: Int) {
    guard let publication = running(index)?.publication else { return }
    fleet.reach(index)
    drawDeath(index)
    do throws(LinkspanError) {
      let outcomes = try publication.read(at: time.now)
      record(party(index), "read")
      takeShared(outcomes, index)
    } catch {
      record(party(index), "read-failed", [("reason", .string(error.message))])
      takeShared([], index)
    }
  }

  /// Carries out what somebody wants of a host, at one of the servers.
  func performShared(
    _ order: ServiceStep.Order, _ host: Int, _ number: Int?, _ index: Int
  ) -> Result<String, ConsoleFailure> {
    guard let publication = running(index)?.publication else {
      return .failure(ConsoleFailure("There is no server."))
    }
    drawDeath(index)
    do throws(LinkspanError) {
      let answer = try publication.perform(Self.order(order, host, number), actor: "operator", at: time.now)
      guard !trees[index].isDead else {
        fleet.lose(order, host)
        return .failure(ConsoleFailure("The server has ended."))
      }
      record(party(index), order.rawValue, [("host", .int(host)), ("number", JSON(answer.number))])
      reached.insert("order \(order.rawValue)")
      reached.insert("shared \(order.rawValue)")
      fleet.take(order, host, servedShared(host, index))
      takeShared(answer.outcomes, index)
      return .success("\(order.rawValue) of \(Self.name(ofHost: host))")
    } catch {
      // A refusal says that nothing was changed; after any other failure it is not known.
      if trees[index].isDead || !Self.isRefusal(error) { fleet.lose(order, host) }
      record(
        party(index), "\(order.rawValue)-refused", [("host", .int(host)), ("reason", .string(error.message))])
      takeShared([], index)
      return .failure(ConsoleFailure(error.message))
    }
  }

  private static func isRefusal(_ error: LinkspanError) -> Bool {
    ["Nothing was changed", "nothing to go back to", "has no publication of"].contains {
      error.text.contains($0)
    }
  }

  // MARK: - Turns

  /// One turn of the thread that publishes, of each server.
  func turnShared() {
    for index in servers.indices {
      takeUploads(index)
      guard let publication = running(index)?.publication else { continue }
      drawDeath(index)
      publication.check()
      takeShared(publication.takeOutcomes(at: time.now) + publication.obey(at: time.now), index)
      dieInTheMiddle(index)
    }
  }

  /// Asks for the orders of others when it is time, without waiting for the answer.
  func lookForOrders(_ index: Int) {
    guard story.sharesSites, let server = running(index), let publication = server.publication,
      time.uptimeMilliseconds - server.lookedAt.orders >= Self.orderPeriod
    else { return }
    servers[index]?.lookedAt.orders = time.uptimeMilliseconds
    publication.lookForOrders()
  }

  func takeShared(_ outcomes: [PublicationOutcome], _ index: Int) {
    guard !trees[index].isDead, let server = servers[index], let publication = server.publication else {
      return
    }
    server.pages.tell(publication, outcomes)
    for host in uploads.takeAll() { fleet.publishUpload(host) }
    for outcome in outcomes where outcome.kind != .unchanged && !outcome.isRepeated {
      reached.insert("publication \(outcome.kind.rawValue)")
      record(
        party(index), "publication",
        [("host", .string(outcome.host ?? "")), ("is", .string(outcome.kind.rawValue))])
    }
    for host in fleet.hosts.indices { _ = servedShared(host, index) }
  }

  // MARK: - Checks

  /// The version that a server serves of a host, which is one of its own and whole; nil for nothing.
  func servedShared(_ host: Int, _ index: Int) -> Int? {
    let name = Self.name(ofHost: host)
    let found = servers[index]?.publication?.served.filter { $0.host == name } ?? []
    require(
      found.count <= 1, .oneLivePublication, "\(party(index)) has \(found.count) publications of \(name)")
    guard let site = found.first else { return nil }
    guard let version = Self.version(site.associationFile, of: host),
      fleet.hosts[host].known.contains(version)
    else {
      require(false, .oneLivePublication, "\(party(index)) serves files that are no version of \(name)")
      return nil
    }
    require(
      SiteModel.isGood(version), .oneLivePublication,
      "\(party(index)) serves version \(version) of \(name), which is damaged")
    return version
  }

  /// Has each server obey what the others were told, and checks that it does.
  func checkOrders() {
    guard violation == nil else { return }
    time.advance(Self.orderPeriod)
    for index in servers.indices where violation == nil {
      lookForOrders(index)
      while running(index)?.registry.step() == true {}
      turnShared()
      hear()
    }
    for index in servers.indices where running(index) != nil { checkOrders(index) }
  }

  private func checkOrders(_ index: Int) {
    for (host, belief) in fleet.hosts.enumerated() {
      guard let order = belief.order else { continue }
      let served = servedShared(host, index)
      require(
        served == order.version, .ordersShared,
        "\(party(index)) serves \(Self.words(served)) of \(Self.name(ofHost: host)), and every server was told to serve "
          + "version \(order.version)")
    }
  }

  /// When the faults are over, every server serves the same: what is pinned, or else the next deployment. So it does after a start.
  func checkFleetAtEnd() {
    checkOrders()
    for host in fleet.hosts.indices { fleet.deploy(host, Self.lastVersion) }
    settleFleet()
    checkAgreement("after a deployment to all of them")
    for index in servers.indices {
      stopServer(index)
      startServer(index)
    }
    settleFleet()
    checkAgreement("after a start of each")
  }

  /// Of no other deployment.
  private static let lastVersion = ServiceStory.versionCount

  private func settleFleet() {
    for _ in 0..<3 where violation == nil {
      time.begin()
      startServers()
      for index in servers.indices { readShared(index) }
      for index in servers.indices {
        while servers[index]?.publication?.isChecking == true { turnShared() }
      }
      checkOrders()
    }
  }

  private func checkAgreement(_ when: String) {
    for (host, belief) in fleet.hosts.enumerated() {
      let served = servers.indices.map { servedShared(host, $0) }
      require(
        Set(served).count == 1, .ordersShared,
        "\(Self.name(ofHost: host)): servers of one registry serve \(served.map(Self.words)) \(when)")
      guard !belief.mayBePinned else { continue }
      require(
        served.first == Self.lastVersion, .ordersShared,
        "\(Self.name(ofHost: host)) is not pinned, and \(Self.words(served.first ?? nil)) is served \(when)")
    }
  }
}
