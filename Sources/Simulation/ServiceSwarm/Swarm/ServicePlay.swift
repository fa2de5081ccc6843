internal import DeviceRegistry
package import LinkspanCore
package import LinkspanCrypto
internal import LinkspanDaemon
package import SimulatedDevices

/// What came of one story of the service.
package struct ServicePlay: Sendable {
  package var story: ServiceStory
  package var seed: UInt64 { story.seed }
  package var events: [Event]
  package var violation: ServiceViolation?
  /// Virtual time.
  package var elapsed: Duration

  /// Of the lines of all events.
  package var digest: Digest {
    var digest = Digest()
    for event in events { digest.update(event.line + "\n") }
    return digest
  }

  /// Plays a story to its end, or until a promise is broken.
  package init(_ story: ServiceStory, _ key: P256PrivateKey) {
    self.story = story
    let world = ServiceWorld(story, key)
    world.play()
    events = world.events
    violation = world.violation
    elapsed = world.time.uptime
  }
}

extension ServiceWorld {
  /// Ours: turns of the scheduler between two steps.
  private static let turns: ClosedRange<Int64> = 0...6

  func play() {
    startServer()
    for (index, entry) in story.entries.enumerated() where violation == nil {
      place = index
      chance = SeededGenerator(seed: entry.chance)
      perform(entry.step)
      for _ in 0..<chance.draw(Self.turns) { turn() }
      hear()
    }
    guard violation == nil else { return }
    drain()
    checkEnd()
  }

  /// One party does one thing.
  private func turn() {
    guard let server else {
      // Whoever watches over it starts it again.
      return startServer()
    }
    switch chance.draw(0...9) {
    case 0...3: server.registry.step()
    case 4...7: server.sender.turn()
    case 8: server.registry.advanceErasures(to: time.now)
    default: time.advance(chance.draw(1...40))
    }
    time.advance(1)
  }

  private func perform(_ step: ServiceStep) {
    switch step {
    case .register(let device, let person): register(device, person)
    case .delete(let device): delete(device)
    case .look(let device): look(device)
    case .erase(let person): erase(person)
    case .notify(let person, let credential, let key): notify(person, credential: credential, key: key)
    case .campaign(let credential): startCampaign(credential: credential)
    case .pause: control("pause")
    case .resume: control("resume")
    case .cancel: control("cancel")
    case .uninstall(let device):
      apns.remove(tokens[device])
      model.mayBeDead.insert(device)
      record("phone", "uninstall", [("device", .int(device))])
    case .wait(let milliseconds): wait(milliseconds)
    case .clock(let milliseconds):
      time.now = time.now.advanced(by: .milliseconds(milliseconds))
      record("server", "clock", [("by_ms", .int(Int(milliseconds)))])
    case .kill: endServer(powerCut: false)
    case .powerCut: endServer(powerCut: true)
    case .restart:
      stopServer()
      startServer()
    case .apns(let mood):
      apns.mood = mood
      record("apns", "mood", [("is", .string(mood.rawValue))])
    case .disk(let state): set(state)
    }
  }

  /// Time passes, and everybody goes on meanwhile.
  private func wait(_ milliseconds: Int64) {
    record("story", "wait", [("ms", .int(Int(milliseconds)))])
    var left = milliseconds
    while left > 0, violation == nil {
      let part = min(left, max(5, milliseconds / 20))
      time.advance(part)
      left -= part
      guard let server else { continue }
      for _ in 0..<3 { server.registry.step() }
      server.sender.turn()
      server.registry.advanceErasures(to: time.now)
      hear()
    }
  }

  private func set(_ state: ServiceStep.Disk) {
    var faults = disk.faults
    (faults.write, faults.sync, faults.isFull) = (0, 0, false)
    switch state {
    case .healthy: break
    case .full: faults.isFull = true
    case .failingWrites: faults.write = 12
    case .failingSyncs: faults.sync = 4
    }
    disk.faults = faults
    record("disk", "state", [("is", .string(state.rawValue))])
  }
}
