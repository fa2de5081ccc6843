internal import LinkspanCore
internal import SimulatedStores

/// What happens to the service in one run: made up from a seed, or read from a file.
package struct ServiceStory: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    var step: ServiceStep
    /// From which the scheduler draws what is done until the next step. It belongs to the step, so that a story without
    /// others of its steps schedules this one as before.
    var chance: UInt64
  }

  /// Where the registry is.
  enum Store: String, Hashable, Sendable {
    /// A file on the servers' own disk.
    case sqlite
    /// A database server on another machine.
    case postgres
  }

  var seed: UInt64
  var store: Store
  /// Servers that share the registry.
  var serverCount: Int
  /// Whether each of them publishes, and they share their orders about hosts.
  var sharesSites = false
  var entries: [Entry]

  /// Steps of the story.
  package var stepCount: Int { entries.count }

  /// Whether anything disturbs the service in it.
  package var hasFault: Bool { entries.contains { $0.step.isFault } }

  // MARK: - Made up

  /// Ours: enough for several crashes with something under way, and over in some ten milliseconds.
  private static let lengths: ClosedRange<Int64> = 50...130
  static let (deviceCount, personCount, credentialCount, keyCount) = (8, 4, 2, 3)
  static let (hostCount, versionCount, serverLimit) = (3, 1_000, 2)
  static let (browserCount, userCount) = (3, SwarmUser.names.count)

  /// - Parameter seed: Decides all of it.
  package init(seed: UInt64) {
    self.seed = seed
    var stores = SeededGenerator(seed: seed).fork("store")
    store = stores.chance(1, in: 3) ? .postgres : .sqlite
    var chance = SeededGenerator(seed: seed).fork("story")
    serverCount = chance.chance(1, in: 3) ? 2 : 1
    var shares = SeededGenerator(seed: seed).fork("shares")
    sharesSites = serverCount > 1 && shares.chance(2, in: 3)
    let mix = Mix(&chance)
    entries = []
    let length = chance.draw(Self.lengths)
    while entries.count < length {
      entries.append(Entry(step: mix.draw(&chance), chance: chance.next()))
    }
    addRush()
    addVisits()
    addLateRush()
    addSurveys()
    addChannels()
    addLooks()
    addExports()
    addConfigurations()
    addOrders()
    addRejections()
    addMistakes()
    if store == .postgres { addOutages() }
    // One fault at least, somewhere in the second half.
    if !hasFault {
      let place = Int(chance.draw(length / 2...length - 1))
      entries[place].step = chance.chance(1, in: 2) ? .kill : .powerCut
    }
  }

  /// Puts a run of steps that only matter together into the first half of some stories: drawn one by one they would hardly
  /// ever follow each other.
  private mutating func addRush() {
    var chance = SeededGenerator(seed: seed).fork("rush")
    guard chance.chance(1, in: 2) else { return }
    let steps = Self.rush(&chance)
    let place = Int(chance.draw(0...Int64(entries.count / 2 - steps.count)))
    for (offset, step) in steps.enumerated() {
      entries[place + offset] = Entry(step: step, chance: chance.next())
    }
  }

  /// The same in the second half of some stories, between the other steps.
  private mutating func addLateRush() {
    var chance = SeededGenerator(seed: seed).fork("late rush")
    guard chance.chance(1, in: 3) else { return }
    let steps = Self.lateRush(&chance)
    let place = Int(chance.draw(Int64(entries.count / 2)...Int64(entries.count)))
    entries.insert(contentsOf: steps.map { Entry(step: $0, chance: chance.next()) }, at: place)
  }

  /// Has clients read lists in some stories.
  private mutating func addSurveys() {
    var chance = SeededGenerator(seed: seed).fork("surveys")
    guard chance.chance(1, in: 2) else { return }
    for _ in 0..<chance.draw(2...12) {
      let step = ServiceStep.survey(credential: Int(chance.draw(0...Int64(Self.credentialCount - 1))))
      let place = Int(chance.draw(0...Int64(entries.count)))
      entries.insert(Entry(step: step, chance: chance.next()), at: place)
    }
  }

  /// Has clients use broadcast channels and Live Activities in some stories.
  private mutating func addChannels() {
    var chance = SeededGenerator(seed: seed).fork("channels")
    guard chance.chance(1, in: 3) else { return }
    let acts: [ChannelAsk.Act] = [
      .create, .create, .create, .delete, .broadcast, .broadcast, .sync, .start, .start, .update, .end,
    ]
    for _ in 0..<chance.draw(4...16) {
      let act = acts[Int(chance.draw(0...Int64(acts.count - 1)))]
      let key = chance.chance(1, in: 3) ? Int(chance.draw(0...Int64(Self.keyCount - 1))) : nil
      let step = ServiceStep.channel(
        act, credential: Int(chance.draw(0...Int64(Self.credentialCount - 1))), key: key)
      let place = Int(chance.draw(0...Int64(entries.count)))
      entries.insert(Entry(step: step, chance: chance.next()), at: place)
    }
  }

  /// Has devices ask for files, monitors for numbers, operators import devices, and old clients send, in some stories.
  private mutating func addLooks() {
    var chance = SeededGenerator(seed: seed).fork("looks")
    guard chance.chance(1, in: 2) else { return }
    for _ in 0..<chance.draw(4...20) {
      let host = Int(chance.draw(0...Int64(Self.hostCount - 1)))
      let step: ServiceStep =
        switch chance.draw(0...11) {
        case 0...1: .scrape
        case 2: .importing(person: Int(chance.draw(0...Int64(Self.personCount - 1))))
        case 3: .message(credential: Int(chance.draw(0...Int64(Self.credentialCount - 1))))
        default: .fetch(host: host)
        }
      let place = Int(chance.draw(0...Int64(entries.count)))
      entries.insert(Entry(step: step, chance: chance.next()), at: place)
    }
  }

  /// Has a day pass, and its journal be exported, in some stories.
  private mutating func addExports() {
    var chance = SeededGenerator(seed: seed).fork("exports")
    guard chance.chance(1, in: 8) else { return }
    let place = Int(chance.draw(Int64(entries.count / 2)...Int64(entries.count)))
    let steps: [ServiceStep] = [.wait(milliseconds: Self.dayAndMore), .export, .export]
    entries.insert(contentsOf: steps.map { Entry(step: $0, chance: chance.next()) }, at: place)
  }

  /// Has people use the console in some stories, between the other steps: a login first, and what a person does after it.
  private mutating func addVisits() {
    var chance = SeededGenerator(seed: seed).fork("visits")
    guard chance.chance(1, in: 2) else { return }
    func draw(_ count: Int) -> Int { Int(chance.draw(0...Int64(count - 1))) }
    var place = draw(entries.count / 2)
    let (browser, user) = (draw(Self.browserCount), draw(Self.userCount))
    var steps: [ServiceStep] = [.login(browser: browser, user: user)]
    for _ in 0..<(6 + draw(14)) {
      let other = chance.chance(1, in: 3) ? draw(Self.browserCount) : browser
      switch draw(16) {
      case 0...2: steps.append(.login(browser: other, user: draw(Self.userCount)))
      case 3...4:
        steps.append(.guess(browser: other, user: draw(Self.userCount), count: [3, 12, 25][draw(3)]))
      case 5...9: steps.append(.page(browser: other))
      case 10...13: steps.append(.form(browser: other, device: draw(Self.deviceCount)))
      case 14: steps.append(.logout(browser: other))
      default: steps.append(.password(user: user))
      }
    }
    for step in steps {
      entries.insert(Entry(step: step, chance: chance.next()), at: min(place, entries.count))
      place += 1 + draw(6)
    }
  }

  /// Has the database server misbehave from time to time, for some steps each, and in some stories a day pass whose journal is
  /// dropped as a whole.
  private mutating func addOutages() {
    var chance = SeededGenerator(seed: seed).fork("outages")
    if chance.chance(1, in: 3) {
      let place = Int(chance.draw(Int64(entries.count / 3)...Int64(entries.count - 1)))
      for step in [ServiceStep.wait(milliseconds: Self.dayAndMore), .prune] {
        entries.insert(Entry(step: step, chance: chance.next()), at: place)
      }
      entries.swapAt(place, place + 1)
    }
    let states = ServiceStep.Database.allCases
    for _ in 0..<chance.draw(1...4) {
      let place = Int(chance.draw(0...Int64(entries.count - 1)))
      if chance.chance(1, in: 4) {
        entries.insert(Entry(step: .restartDatabase, chance: chance.next()), at: place)
        continue
      }
      let state = states[Int(chance.draw(1...Int64(states.count - 1)))]
      entries.insert(Entry(step: .database(state), chance: chance.next()), at: place)
      let end = min(entries.count, place + Int(chance.draw(4...30)))
      entries.insert(Entry(step: .database(.healthy), chance: chance.next()), at: end)
    }
  }

  /// Until the day's last messages are older than journals are kept in a story. Ours.
  private static let dayAndMore: Int64 = 90_000_000

  private static func rush(_ chance: inout SeededGenerator) -> [ServiceStep] {
    func draw(_ count: Int) -> Int { Int(chance.draw(0...Int64(count - 1))) }
    let (host, device, person, credential) = (
      draw(hostCount), draw(deviceCount), draw(personCount), draw(credentialCount)
    )
    func deploy(_ version: Int) -> [ServiceStep] { [.deploy(host: host, version: version), .read] }
    switch draw(4) {
    case 0:
      // An operator goes back while a deployment is being checked.
      return deploy(0) + [.wait(milliseconds: 300)] + deploy(1) + [.wait(milliseconds: 300)] + deploy(2)
        + [.order(.rollback, host: host), .wait(milliseconds: 300)]
    case 1:
      // A client sends something while a deployment is being checked, and the server dies.
      return deploy(0) + [.wait(milliseconds: 300)] + deploy(1)
        + [.upload(host: host, version: 2 + draw(2)), .kill, .order(.rollback, host: host)]
    case 2:
      // APNs is away for longer than journals are kept, and what waits for it has not ended.
      let wait = ServiceStep.wait(milliseconds: 1_200_000)
      return [
        .register(device: device, person: person), .apns(.failing),
        .notify(person: person, credential: credential, key: nil), wait, wait, wait, wait, .prune,
        .apns(.healthy),
      ]
    default:
      // Errors of the store while it is told of devices.
      return [
        .register(device: device, person: person), .disk(.failingReads),
        .register(device: device, person: draw(personCount)), .look(device: device),
        .notify(person: person, credential: credential, key: nil), .delete(device: device),
        .wait(milliseconds: 300), .disk(.healthy),
      ]
    }
  }

  private static func lateRush(_ chance: inout SeededGenerator) -> [ServiceStep] {
    func draw(_ count: Int) -> Int { Int(chance.draw(0...Int64(count - 1))) }
    let (device, person, credential) = (draw(deviceCount), draw(personCount), draw(credentialCount))
    let register = ServiceStep.register(device: device, person: person)
    let notify = ServiceStep.notify(person: person, credential: credential, key: nil)
    let (soon, later) = (ServiceStep.wait(milliseconds: 300), ServiceStep.wait(milliseconds: 2_000))
    switch draw(5) {
    case 0:
      // A credential has used its requests when somebody sets the clock.
      let burst = ServiceStep.burst(credential: credential, count: 34)
      return [burst, soon, .clock(milliseconds: [-3_600_000, 3_600_000][draw(2)]), burst, soon]
    case 1:
      // A server is started anew while pushes wait as long as APNs asked.
      return [
        register, soon, .apns(.tooMany), notify, soon, notify, later, .restart, later, .apns(.healthy), later,
      ]
    case 2:
      // The power goes a moment after a device was registered.
      return [register, soon, .powerCut, soon, .look(device: device), soon]
    case 3:
      // Connections to APNs end, and with them answers.
      return [
        register, soon, .apns(.cutting), notify, later, notify, .wait(milliseconds: 30_000), .apns(.healthy),
        later,
      ]
    default:
      // A journal is removed after its time.
      return [
        register, soon, .apns(.healthy), notify, later, .wait(milliseconds: 4_000_000), .prune, later,
      ]
    }
  }

  /// The same story with other steps.
  func with(_ entries: [Entry]) -> ServiceStory {
    var story = self
    story.entries = entries
    return story
  }

  /// How often what happens in one story: some have no erasures, some no failing disk, and so on, since a fault that
  /// happens all the time hides others.
  private struct Mix {
    private var weights: [(Int64, Kind)]

    private enum Kind: CaseIterable {
      case register, delete, look, intrude, burst, erase, notify, campaign, change, prune, uninstall, wait,
        clock, kill, powerCut, restart, apns, disk, deploy, undeploy, read, upload, order
    }

    init(_ chance: inout SeededGenerator) {
      let usual: [Kind: Int64] = [
        .register: 24, .delete: 4, .look: 8, .intrude: 1, .burst: 1, .erase: 5, .notify: 20, .campaign: 4,
        .change: 4, .prune: 2, .uninstall: 2, .wait: 14, .clock: 1, .kill: 3, .powerCut: 3, .restart: 2,
        .apns: 6, .disk: 3, .deploy: 6, .undeploy: 2, .read: 5, .upload: 2, .order: 5,
      ]
      let needed: Set<Kind> = [.register, .notify, .wait]
      weights = Kind.allCases.map { kind in
        // A third of the kinds happen twice as often, a fifth not at all.
        let draw = chance.draw(1...15)
        let factor: Int64 = draw <= 5 ? 2 : draw <= 8 && !needed.contains(kind) ? 0 : 1
        return ((usual[kind] ?? 0) * factor, kind)
      }
    }

    func draw(_ chance: inout SeededGenerator) -> ServiceStep {
      let total = weights.reduce(0) { $0 + $1.0 }
      var place = chance.draw(1...total)
      let kind = weights.first { weight, _ in
        place -= weight
        return place <= 0
      }
      return step(kind?.1 ?? .wait, &chance)
    }

    private func step(_ kind: Kind, _ chance: inout SeededGenerator) -> ServiceStep {
      func draw(_ count: Int) -> Int { Int(chance.draw(0...Int64(count - 1))) }
      switch kind {
      case .register: return .register(device: draw(deviceCount), person: draw(personCount))
      case .delete: return .delete(device: draw(deviceCount))
      case .look: return .look(device: draw(deviceCount))
      case .intrude: return .intrude
      case .burst: return .burst(credential: draw(credentialCount), count: 10 + draw(25))
      case .erase: return .erase(person: draw(personCount))
      case .notify:
        let key = chance.chance(1, in: 2) ? draw(keyCount) : nil
        return .notify(person: draw(personCount), credential: draw(credentialCount), key: key)
      case .campaign: return .campaign(credential: draw(credentialCount))
      case .change: return [.pause, .resume, .cancel][draw(3)]
      case .prune: return .prune
      case .uninstall: return .uninstall(device: draw(deviceCount))
      case .wait: return .wait(milliseconds: [5, 50, 300, 2_000, 30_000, 1_200_000][draw(6)])
      case .clock: return .clock(milliseconds: [-3_600_000, -20_000, -500, 3_600_000][draw(4)])
      case .kill: return .kill
      case .powerCut: return .powerCut
      case .restart: return .restart
      case .apns:
        let moods = ServiceStep.Mood.usual
        return .apns(chance.chance(1, in: 3) ? .healthy : moods[draw(moods.count)])
      case .disk:
        let disks = ServiceStep.Disk.allCases
        return .disk(chance.chance(1, in: 2) ? .healthy : disks[draw(disks.count)])
      case .deploy: return .deploy(host: draw(hostCount), version: draw(8))
      case .undeploy: return .undeploy(host: draw(hostCount))
      case .read: return .read
      case .upload: return .upload(host: draw(hostCount), version: draw(8))
      case .order:
        let orders = ServiceStep.Order.allCases
        return .order(orders[draw(orders.count)], host: draw(hostCount))
      }
    }
  }
}
