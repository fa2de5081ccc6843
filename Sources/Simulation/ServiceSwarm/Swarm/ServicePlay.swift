internal import DeviceRegistry
package import LinkspanCore
package import LinkspanCrypto
internal import LinkspanDaemon
internal import PushSending
package import SimulatedDevices
internal import SimulatedStores

/// What came of one story of the service.
package struct ServicePlay: Sendable {
  package var story: ServiceStory
  package var seed: UInt64 { story.seed }
  package var events: [Event]
  package var violation: ServiceViolation?
  /// Virtual time.
  package var elapsed: Duration
  /// What happened at least once, by its name in ``Reached``.
  package var reached: Set<String>

  /// Of the lines of all events.
  package var digest: Digest {
    var digest = Digest()
    for event in events { digest.update(event.line + "\n") }
    return digest
  }

  /// Plays a story to its end, or until a promise is broken.
  ///
  /// - Parameter bug: One of ``PlantedBugs``; nil for none.
  package init(_ story: ServiceStory, _ key: P256PrivateKey, bug: String? = nil) {
    self.story = story
    let world = ServiceWorld(story, key)
    PlantedBugs.plant(bug) { world.play() }
    events = world.events
    violation = world.violation
    elapsed = world.time.uptime
    reached = world.reached
  }
}

extension ServiceWorld {
  /// Milliseconds after which a sender that does not turn is late with its lease.
  private static let leasePart: Int64 = 5_000
  /// A sender is not kept from turning for longer: what waits for two hours has expired. Ours.
  private static let longestPart: Int64 = 4_500_000
  /// Milliseconds after which an Idempotency-Key is forgotten.
  private static let keyAge: Int64 = 86_400_000
  /// Ours: turns of the scheduler between two steps.
  private static let turns: ClosedRange<Int64> = 0...6

  func play() {
    defer { for index in servers.indices { forgetServer(index) } }
    startServers()
    for (index, entry) in story.entries.enumerated() where violation == nil {
      place = index
      chance = SeededGenerator(seed: entry.chance)
      time.begin()
      reached.insert("step \(entry.step.name)")
      perform(entry.step)
      for _ in 0..<chance.draw(Self.turns) { turn() }
      hear()
      require(!time.isStuck, .drains, "a loop turns and never ends")
    }
    guard violation == nil else { return }
    drain()
    checkEnd()
  }

  /// One party does one thing.
  private func turn() {
    let index = servers.count > 1 ? Int(chance.draw(0...Int64(servers.count - 1))) : 0
    guard let server = running(index) else {
      // Whoever watches over it starts it again.
      return startServer(index)
    }
    switch chance.draw(0...10) {
    case 0...3: server.registry.step()
    case 4...7: server.sender.turn()
    case 8: server.registry.advanceErasures(to: time.now)
    case 9:
      turnSites()
      tick()
    default: time.advance(chance.draw(1...40))
    }
    tickTimers(index)
    time.advance(1)
  }

  func perform(_ step: ServiceStep) {
    switch step {
    case .register(let device, let person): register(device, person)
    case .delete(let device): delete(device)
    case .look(let device): look(device)
    case .intrude: intrude()
    case .mistake(let number, let credential): err(number, credential: credential)
    case .survey(let credential): survey(credential: credential)
    case .burst(let credential, let count): burst(credential: credential, count: count)
    case .erase(let person): erase(person)
    case .notify(let person, let credential, let key): notify(person, credential: credential, key: key)
    case .campaign(let credential): startCampaign(credential: credential)
    case .message(let credential): message(credential: credential)
    case .importing(let person): importDevices(of: person)
    case .pause: control("pause")
    case .resume: control("resume")
    case .cancel: control("cancel")
    case .channel(let act, let credential, let key): ask(act, credential: credential, key: key)
    case .export: exportJournal()
    case .prune: prune()
    case .uninstall(let device):
      apns.remove(tokens[device])
      model.mayBeDead.insert(device)
      record("phone", "uninstall", [("device", .int(device))])
    case .wait, .clock, .kill, .powerCut, .restart, .apns, .disk, .database, .restartDatabase: disturb(step)
    case .deploy, .undeploy, .read, .upload, .order: publish(step)
    case .configure(let version): configure(version)
    case .reload:
      reload()
      dieInTheMiddle()
    case .fetch(let host): fetch(host)
    case .scrape: scrape()
    case .login, .guess, .page, .form, .logout, .password: visit(step)
    }
  }

  private func disturb(_ step: ServiceStep) {
    switch step {
    case .wait(let milliseconds): wait(milliseconds)
    case .clock(let milliseconds):
      time.set(by: milliseconds)
      model.noteTime(time.now)
      apns.forgetRetries()
      record("server", "clock", [("by_ms", .int(Int(milliseconds)))])
    case .kill: if let index = anyServer() { killServer(index) }
    case .powerCut: cutPower()
    case .restart:
      guard let index = anyServer() else { return }
      stopServer(index)
      startServer(index)
    case .apns(let mood):
      apns.mood = mood
      record("apns", "mood", [("is", .string(mood.rawValue))])
    case .disk(let state): set(state)
    case .database(let state): set(state)
    case .restartDatabase:
      guard let postgres else { return }
      postgres.endConnections()
      noteDatabase("restart")
    default: break
    }
  }

  /// Time passes, and everybody goes on meanwhile.
  private func wait(_ milliseconds: Int64) {
    record("story", "wait", [("ms", .int(Int(milliseconds)))])
    if milliseconds >= Self.keyAge { dayCount += 1 }
    var left = milliseconds
    while left > 0, violation == nil {
      let part = min(left, max(5, milliseconds / 12), Self.longestPart)
      // What a sender held is taken over when its lease has ended, and nobody knows what APNs asked of it.
      if part > Self.leasePart { apns.forgetRetries() }
      // So it is where the store takes no outcome until then: a lease is renewed each quarter of it.
      if servers.count > 1, !isStoreCalm { apns.forgetRetries(age: Self.leasePart * 3) }
      time.advance(part)
      left -= part
      for index in servers.indices {
        guard let server = running(index) else { continue }
        for _ in 0..<3 { server.registry.step() }
        server.sender.turn()
        server.registry.advanceErasures(to: time.now)
        tickTimers(index)
      }
      turnSites()
      hear()
    }
    tick()
  }

  private func set(_ state: ServiceStep.Database) {
    guard let postgres else { return }
    postgres.state = state
    noteDatabase("state", [("is", .string(state.rawValue))])
  }

  private func noteDatabase(_ kind: String, _ fields: [(String, JSON)] = []) {
    apns.forgetRetries()
    model.disturbedAt = time.uptimeMilliseconds
    record("database", kind, fields)
  }

  private func set(_ state: ServiceStep.Disk) {
    var faults = disk.faults
    faults = .init()
    switch state {
    case .healthy: break
    case .full: faults.isFull = true
    case .failingWrites: faults.write = 12
    case .failingSyncs: faults.sync = 4
    case .failingReads: faults.read = 6
    }
    disk.faults = faults
    apns.forgetRetries()
    model.disturbedAt = time.uptimeMilliseconds
    if state != .healthy { sites.noteFault() }
    record("disk", "state", [("is", .string(state.rawValue))])
  }
}
