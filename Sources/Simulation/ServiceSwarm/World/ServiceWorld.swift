internal import DeviceRegistry
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanDaemon
internal import LinkspanServer
internal import PushTerms
internal import RegistryRequests
internal import SimulatedDevices

/// One run: a server with its registry on a virtual disk, its sender, Apple's servers, clients, and what they believe.
final class ServiceWorld {
  /// One process of the server.
  struct Server {
    var registry: Registry
    var api: RegistryAPI
    var sender: SteppedSender
    var wire: VirtualWire
  }

  static let start = WallTime(milliseconds: 1_789_372_800_000)
  private static let file = "registry.db"

  let story: ServiceStory
  let disk: VirtualDisk
  let time: SimulatedTime
  let apns: VirtualAPNs
  let key: P256PrivateKey
  private let mount: String
  var server: Server?
  var model = ServiceModel(deviceCount: ServiceStory.deviceCount)
  let answers = AnswerBox()
  var flights: [Int: Flight] = [:]
  private var flightCount = 0
  private(set) var events: [Event] = []
  private(set) var violation: ServiceViolation?
  /// The step that is played.
  var place = 0
  /// Draws what is done between steps.
  var chance: SeededGenerator
  /// Words that were made up.
  private var wordCount = 0
  let credentials: [AccessTokenText]
  let reports: ReportBox
  /// Aliases that were erased and have not been used since.
  var erasedAliases: Set<Int> = []
  var aliases: [String]
  let tokens: [String]

  init(_ story: ServiceStory, _ key: P256PrivateKey) {
    self.story = story
    self.key = key
    let root = SeededGenerator(seed: story.seed)
    var words = root.fork("words")
    tokens = (0..<ServiceStory.deviceCount).map { _ in Self.hex(&words, count: 32) }
    aliases = (0..<ServiceStory.personCount).map { _ in "person-" + Self.hex(&words, count: 8) }
    credentials = (0..<ServiceStory.credentialCount).map { _ in
      AccessTokenText(
        random: (0..<AccessTokenText.randomCount).map { _ in UInt8(truncatingIfNeeded: words.next()) })
    }
    chance = root.fork("turns")
    disk = VirtualDisk(root.fork("disk"))
    mount = VirtualFileSystem.mount(disk)
    let time = SimulatedTime(Self.start, root.fork("service"))
    self.time = time
    reports = ReportBox()
    apns = VirtualAPNs(key.publicKey, start: Self.start, root.fork("apns")) { time.now }
  }

  deinit { VirtualFileSystem.unmount(mount) }

  static func hex(_ generator: inout SeededGenerator, count: Int) -> String {
    ASCII.hexText((0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
  }

  func newWord(_ kind: String) -> String {
    wordCount += 1
    return word(kind, "\(wordCount)")
  }

  /// The same text for the same name.
  func word(_ kind: String, _ name: String) -> String {
    var generator = SeededGenerator(seed: story.seed).fork("\(kind) \(name)")
    return "\(kind)-" + Self.hex(&generator, count: 8)
  }

  // MARK: - Records

  func record(_ party: String, _ kind: String, _ fields: [(String, JSON)] = []) {
    events.append(
      Event(
        time: time.uptime, wallTime: time.now, party: party,
        what: ServiceHappening(kind: kind, fields: fields)))
  }

  func require(_ holds: Bool, _ invariant: ServiceInvariant, _ detail: @autoclosure () -> String) {
    guard !holds, violation == nil else { return }
    violation = ServiceViolation(invariant: invariant, detail: detail(), step: place)
    record("check", "broken", [("invariant", .string(invariant.rawValue)), ("detail", .string(detail()))])
  }

  // MARK: - The server

  /// Starts the server where none runs. A disk that fails keeps it from starting.
  func startServer() {
    guard server == nil else { return }
    let (time, apns, reports) = (time, apns, reports)
    let place = SimulatedPlace(
      fileSystem: VirtualFileSystem.name, path: mount + Self.file, random: { time.random() })
    do {
      let registry = try Registry(stepping: place)
      try addCredentials(to: registry)
      var options = RegistryAPI.Options()
      options.askAbove = 1_000
      let api = RegistryAPI(
        registry, options, now: { time.now }, uptime: { time.uptime },
        report: { reports.add("\($0.message) \($0.help ?? "")") })
      let wire = VirtualWire(apns, time)
      let surroundings = SenderSurroundings(
        now: { time.now }, random: { time.random() }, pause: { time.advance($0.wholeMilliseconds) },
        wire: { [box = WireBox(wire)] _ in box.wire })
      let sender = try SteppedSender(
        registry, .production, team: VirtualAPNs.team, keyIdentifier: VirtualAPNs.keyIdentifier, key: key,
        surroundings, report: { reports.add("\($0.message) \($0.help ?? "")") })
      server = Server(registry: registry, api: api, sender: sender, wire: wire)
      record("server", "start")
    } catch {
      record("server", "start-failed", [("reason", .string("\(error)"))])
      // What it has opened ends with it.
      disk.kill()
    }
  }

  private func addCredentials(to registry: Registry) throws(RegistryError) {
    let known = try registry.askAndWait { store throws(RegistryError) in try store.accessTokens() }
    let new = credentials.filter { text in !known.contains { $0.identifier == text.identifier } }
    let now = time.now
    for text in new {
      let token = AccessToken(
        identifier: text.identifier, secretHash: text.secretHash, scopes: Set(AccessScope.allCases),
        topics: [],
        createdAt: now)
      try registry.changeAndWait { store throws(RegistryError) in try store.add(token) }
    }
  }

  /// The process ends as it stands: nobody who waits is answered.
  func endServer(powerCut: Bool) {
    record("server", powerCut ? "power-cut" : "kill", [("waiting", .int(flights.count))])
    if powerCut { disk.crash() } else { disk.kill() }
    server = nil
    loseFlights()
  }

  /// The server ends as it is told to, and answers what waits.
  func stopServer() {
    guard let running = server else { return }
    running.sender.stop()
    while running.registry.step() {}
    running.registry.advanceErasures(to: time.now)
    hear()
    server = nil
    record("server", "stop")
    loseFlights()
  }

  func nextFlight(_ subject: Flight.Subject) -> Int {
    flightCount += 1
    flights[flightCount] = Flight(number: flightCount, subject: subject)
    return flightCount
  }
}

/// Hands a wire to the one sender of its process.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class WireBox: @unchecked Sendable {
  let wire: VirtualWire
  init(_ wire: VirtualWire) { self.wire = wire }
}

/// What the server reported to its operator.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class ReportBox: @unchecked Sendable {
  private(set) var texts: [String] = []
  func add(_ text: String) { texts.append(text) }
}
