internal import LinkspanCore

/// What operators and careless clients do now and then, in some stories.
extension ServiceStory {
  /// Puts a step somewhere into the story.
  private mutating func insert(_ step: ServiceStep, at place: Int, _ chance: inout SeededGenerator) {
    entries.insert(Entry(step: step, chance: chance.next()), at: min(place, entries.count))
  }

  /// Has an operator write configurations, some with a mistake, and the server read them; one that starts meanwhile reads what is
  /// there.
  mutating func addConfigurations() {
    var chance = SeededGenerator(seed: seed).fork("configurations")
    guard chance.chance(1, in: 3) else { return }
    var place = Int(chance.draw(0...Int64(entries.count / 2)))
    for _ in 0..<chance.draw(1...4) {
      let version = Int(chance.draw(0...Int64(Self.versionCount - 1)))
      insert(.configure(version: version), at: place, &chance)
      place += 1 + Int(chance.draw(0...2))
      insert(.reload, at: place, &chance)
      place += 1 + Int(chance.draw(0...12))
      // A mistake is mended soon: with it no server starts.
      guard !SwarmConfiguration.isGood(version) else { continue }
      insert(.configure(version: version / 4 * 4), at: place, &chance)
      place += 1 + Int(chance.draw(0...2))
      insert(.reload, at: place, &chance)
      place += 1
    }
  }

  /// Has operators deploy and give orders more often where several servers obey them, and sometimes set a clock between two orders.
  mutating func addOrders() {
    guard sharesSites else { return }
    var chance = SeededGenerator(seed: seed).fork("orders")
    func draw(_ count: Int) -> Int { Int(chance.draw(0...Int64(count - 1))) }
    for _ in 0..<(4 + draw(12)) {
      let host = draw(Self.hostCount)
      let step: ServiceStep =
        switch draw(8) {
        case 0...1: .deploy(host: host, version: draw(8))
        case 2...3: .order(.pin, host: host)
        case 4...5: .order(.rollback, host: host)
        case 6: .order(.release, host: host)
        default: .read
        }
      let place = draw(entries.count + 1)
      insert(step, at: place, &chance)
      if chance.chance(1, in: 3) { insert(.wait(milliseconds: 2_000), at: place + 1, &chance) }
    }
  }

  /// Has APNs reject most of a campaign that is sent slowly, so that a server sees it while it runs.
  mutating func addRejections() {
    var chance = SeededGenerator(seed: seed).fork("rejections")
    guard chance.chance(1, in: 6) else { return }
    let credential = Int(chance.draw(0...Int64(Self.credentialCount - 1)))
    var steps: [ServiceStep] = [.apns(.healthy)]
    for device in 0..<Self.deviceCount {
      steps.append(.register(device: device, person: device % Self.personCount))
      if chance.chance(1, in: 3) { steps.append(.uninstall(device: device)) }
    }
    steps += [.wait(milliseconds: 300), .apns(chance.chance(2, in: 3) ? .rejecting : .healthy)]
    steps += (0..<6).map { _ in .campaign(credential: credential) }
    steps += (0..<8).map { _ in .wait(milliseconds: 12_000) } + [.apns(.healthy)]
    let place = Int(chance.draw(0...Int64(entries.count)))
    entries.insert(contentsOf: steps.map { Entry(step: $0, chance: chance.next()) }, at: place)
  }

  /// Has clients ask for things in wrong ways.
  mutating func addMistakes() {
    var chance = SeededGenerator(seed: seed).fork("mistakes")
    guard chance.chance(1, in: 2) else { return }
    for _ in 0..<chance.draw(2...16) {
      let number = Int(chance.draw(0...Int64(ClientMistake.all.count - 1)))
      let credential = Int(chance.draw(0...Int64(Self.credentialCount - 1)))
      let place = Int(chance.draw(0...Int64(entries.count)))
      insert(.mistake(number: number, credential: credential), at: place, &chance)
    }
  }
}
