internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanDaemon
internal import LinkspanServer
internal import PushProvider
internal import PushSending
internal import PushTerms
internal import RegistryDatabases
internal import RegistryRequests
internal import RegistryServer
internal import SimulatedStores

/// Servers that start, stop and die.
extension ServiceWorld {
  /// A server that runs, whose process does what comes next; nil where it does not run.
  func running(_ index: Int) -> Server? {
    guard let server = servers[index] else { return nil }
    disk.running = server.process
    return server
  }

  /// One of those that run, drawn; nil without any.
  func anyServer() -> Int? {
    let alive = servers.indices.filter { servers[$0] != nil }
    guard alive.count > 1 else { return alive.first }
    return alive[Int(chance.draw(0...Int64(alive.count - 1)))]
  }

  func party(_ index: Int) -> String { index == 0 ? "server" : "server-\(index + 1)" }

  /// Starts every server that does not run.
  func startServers() { for index in servers.indices { startServer(index) } }

  /// Starts a server where none runs. A disk that fails keeps it from starting.
  func startServer(_ index: Int) {
    guard servers[index] == nil else { return }
    let process = disk.beginProcess()
    do {
      servers[index] = try newServer(index, process)
      record(party(index), "start")
      model.noteStart(at: time.uptimeMilliseconds)
    } catch {
      record(party(index), "start-failed", [("reason", .string("\(error)"))])
      reached.insert("start-failed")
      // What it has opened ends with it.
      disk.kill(process)
    }
    if servers[index] != nil { noteStartOfSites(index) }
  }

  private func newServer(_ index: Int, _ process: Int) throws -> Server {
    let (time, apns, reports, guarded) = (time, apns, reports, guarded)
    let place = SimulatedPlace(
      fileSystem: VirtualFileSystem.name, path: mount + Self.file, random: { time.random() })
    let server = postgres?.address { time.advance($0.wholeMilliseconds) }
    let registry = try Registry(stepping: server ?? .simulated(place))
    try addCredentials(to: registry)
    var options = RegistryAPI.Options()
    options.askAbove = 1_000
    options.requestsPerMinute = Self.requestsPerMinute
    options.legacy = .init(topic: VirtualAPNs.topic, environment: .production, isOpen: false)
    options.canSend = true
    let channels = VirtualChannelWire(apns, time)
    options.channels = channels.route(try signer())
    let uploads = UploadBox()
    if index == 0 || story.sharesSites { options.sites = uploads.routes }
    let pages = SteppedPages(proxies: Self.proxies)
    let watch = RegistryWatch(
      registry, now: { time.now }, fail: { reports.add("\($0.message) \($0.help ?? "")") },
      report: { reports.add($0) })
    let api = RegistryAPI(
      registry, options, now: { time.now }, uptime: { time.uptime }, client: pages.client,
      report: {
        watch.note($0)
        reports.add("\($0.message) \($0.help ?? "")")
      })
    let box = WireBox(VirtualWire(apns, time))
    let surroundings = SenderSurroundings(
      now: { time.now }, random: { time.random() }, pause: { time.advance($0.wholeMilliseconds) },
      wire: { _ in box.wire })
    let sender = try SteppedSender(
      registry, .production, team: VirtualAPNs.team, keyIdentifier: VirtualAPNs.keyIdentifier, key: key,
      surroundings, report: { reports.add("\($0.message) \($0.help ?? "")") })
    pages.show(
      api, watch, sender.counters, pauseAbove: Self.pauseAbove, leastAnswers: Self.leastAnswers,
      report: {
        reports.add($0)
        guarded.add($0)
      })
    let publication = index == 0 || story.sharesSites ? try newPublication(index) : nil
    if story.sharesSites { _ = try publication?.start(following: registry, at: time.now) }
    return Server(
      process: process, registry: registry, api: api, channels: channels, uploads: uploads, pages: pages,
      sender: sender,
      exporter: newExporter(registry), configuration: configuration.configuration,
      applied: [configuration.configuration], publication: publication,
      console: index > 0 ? nil : publication.map { newConsole(api, pages, $0) })
  }

  private func newExporter(_ registry: Registry) -> JournalExporter {
    JournalExporter(
      registry, to: journals, owner: (0..<12).map { _ in UInt8(truncatingIfNeeded: time.random()) })
  }

  private func signer() throws(ProviderTokenError) -> ProviderTokenSigner {
    ProviderTokenSigner(
      try ProviderKeyIdentity(team: VirtualAPNs.team, key: VirtualAPNs.keyIdentifier), key: key)
  }

  private func addCredentials(to registry: Registry) throws(RegistryError) {
    let known = try registry.askAndWait { store throws(RegistryError) in try store.accessTokens() }
    let new = credentials.filter { text in !known.contains { $0.identifier == text.identifier } }
    let now = time.now
    for text in new {
      let token = AccessToken(
        identifier: text.identifier, secretHash: text.secretHash, scopes: Set(AccessScope.allCases),
        topics: [], hosts: (0..<ServiceStory.hostCount).map(Self.name(ofHost:)), createdAt: now)
      try registry.changeAndWait { store throws(RegistryError) in try store.add(token) }
    }
  }

  /// A process ends as it stands: nobody who waits there is answered.
  func killServer(_ index: Int) {
    guard let process = servers[index]?.process else { return }
    record(party(index), "kill", [("waiting", .int(flights.values.count { $0.server == index }))])
    if postgres != nil, chance.chance(1, in: 2) { dieAfterCommit(index) }
    disk.kill(process)
    endServer(index)
    apns.forgetRetries()
  }

  /// What waits is stored, and nobody is told.
  private func dieAfterCommit(_ index: Int) {
    answers.isCut = true
    _ = running(index)?.registry.step()
    answers.isCut = false
  }

  /// All of them end, and so does what was not on the disk.
  func cutPower() {
    record("server", "power-cut", [("waiting", .int(flights.count))])
    disk.crash()
    for tree in trees { tree.crash() }
    sites.notePowerCut()
    model.notePowerCut()
    for index in servers.indices where servers[index] != nil { endServer(index) }
    apns.forgetRetries()
  }

  private func endServer(_ index: Int) {
    forgetServer(index)
    noteEndOfSites(index)
    loseFlights(of: index)
  }

  /// Has nothing of a server stay in memory.
  func forgetServer(_ index: Int) {
    servers[index]?.channels.end()
    servers[index]?.registry.abandon()
    servers[index] = nil
  }

  /// A server ends as it is told to, and answers what waits.
  func stopServer(_ index: Int) {
    guard running(index) != nil else { return }
    servers[index]?.sender.stop()
    while servers[index]?.registry.step() == true {}
    servers[index]?.registry.advanceErasures(to: time.now)
    hear()
    let process = servers[index]?.process ?? 0
    // Closes its files, which the process still may.
    forgetServer(index)
    disk.kill(process)
    record(party(index), "stop")
    noteEndOfSites(index)
    loseFlights(of: index)
    // What its sender could not store is not known to the next one.
    if !isStoreCalm { apns.forgetRetries() }
  }
}
