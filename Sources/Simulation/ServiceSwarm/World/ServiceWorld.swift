internal import DeviceRegistry
internal import LinkspanConsole
internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanDaemon
internal import LinkspanServer
internal import PushSending
internal import RegistryRequests
internal import RegistryServer
internal import SimulatedDevices
internal import SimulatedStores

/// One run: servers with their registry on a virtual disk, their senders, what one of them publishes, Apple's servers, clients, and
/// what they believe.
final class ServiceWorld {
  /// One process of a server.
  struct Server {
    var process: Int
    var registry: Registry
    var api: RegistryAPI
    var channels: VirtualChannelWire
    let uploads: UploadBox
    var pages: SteppedPages
    var sender: SteppedSender
    var exporter: JournalExporter
    /// With which it has started.
    var configuration: SwarmConfiguration
    /// Whose keys without a restart are in force; several where the folders could not be read at the last reloads.
    var applied: [SwarmConfiguration]
    /// When it has looked after its registry and its campaigns the last time, in milliseconds of uptime.
    var lookedAt: (registry: Int64, campaigns: Int64, orders: Int64) = (0, 0, 0)
    /// Of the first server alone, unless they share their orders about hosts; each has its own state.
    var publication: SteppedPublication?
    /// Of the first server alone.
    var console: Console?
  }

  static let start = WallTime(milliseconds: 1_789_372_800_000)
  static let file = "registry.db"
  /// Requests of a credential in a minute. Ours: a burst goes beyond it.
  static let requestsPerMinute = 30

  let story: ServiceStory
  let disk: VirtualDisk
  /// Where the registry is; nil where it is a file on the disk.
  let postgres: VirtualPostgres?
  /// The state of each server that publishes.
  let trees: [VirtualTree]
  let time: SimulatedTime
  let apns: VirtualAPNs
  let journals = VirtualJournalFiles()
  let key: P256PrivateKey
  let mount: String
  var servers: [Server?]
  var model = ServiceModel(deviceCount: ServiceStory.deviceCount)
  var sites = SiteModel(hostCount: ServiceStory.hostCount)
  /// In place of ``sites`` where servers share their orders about hosts.
  var fleet: FleetModel
  let answers = AnswerBox()
  var flights: [Int: Flight] = [:]
  private var flightCount = 0
  private(set) var events: [Event] = []
  private(set) var violation: ServiceViolation?
  /// The step that is played.
  var place = 0
  /// Draws what is done between steps.
  var chance: SeededGenerator
  /// Days that have passed at once, after each of which an Idempotency-Key makes another message.
  var dayCount = 0
  /// Words that were made up.
  private(set) var wordCount = 0
  let credentials: [AccessTokenText]
  /// A text that looks like the first credential, and is none.
  let forged: String
  let reports: ReportBox
  /// Pauses of campaigns that operators were told of.
  let guarded = NewsBox<String>()
  /// Hosts whose upload was answered as published.
  let uploads = NewsBox<Int>()
  let configuration = ConfigurationBox()
  /// Lines of the access log so far.
  var logCount = 0
  let desk = OrderDesk()
  /// Who may use the console, and from where they do.
  let people = SwarmPeople(at: start)
  var browsers = (0..<ServiceStory.browserCount).map(SwarmBrowser.init)
  /// What the disk had refused of publications, and what operators had been told, before the server began what it does now.
  var toldBefore = (refusals: 0, reports: 0)
  /// Aliases that were erased and have not been used since.
  var erasedAliases: Set<Int> = []
  var aliases: [String]
  let tokens: [String]
  /// What happened at least once, by its name in ``Reached``.
  var reached: Set<String> = []

  init(_ story: ServiceStory, _ key: P256PrivateKey) {
    self.story = story
    self.key = key
    servers = Array(repeating: nil, count: story.serverCount)
    fleet = FleetModel(hostCount: ServiceStory.hostCount, serverCount: story.serverCount)
    let root = SeededGenerator(seed: story.seed)
    var words = root.fork("words")
    tokens = (0..<ServiceStory.deviceCount).map { _ in Self.hex(&words, count: 32) }
    aliases = (0..<ServiceStory.personCount).map { _ in "person-" + Self.hex(&words, count: 8) }
    credentials = (0..<ServiceStory.credentialCount).map { _ in
      AccessTokenText(
        random: (0..<AccessTokenText.randomCount).map { _ in UInt8(truncatingIfNeeded: words.next()) })
    }
    forged = String(credentials[0].text.dropLast(32)) + Self.hex(&words, count: 16)
    chance = root.fork("turns")
    disk = VirtualDisk(root.fork("disk"))
    trees = (0..<(story.sharesSites ? story.serverCount : 1)).map { [disk] index in
      VirtualTree(disk, root.fork(index == 0 ? "tree" : "tree \(index)"))
    }
    mount = VirtualFileSystem.mount(disk)
    time = SimulatedTime(Self.start, root.fork("service"))
    reports = ReportBox()
    apns = VirtualAPNs(key.publicKey, time, root.fork("apns"))
    postgres = story.store == .postgres ? NewRegistry.server(root.fork("postgres"), time) : nil
    if postgres == nil { NewRegistry.put(on: disk, at: mount + Self.file) }
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

  /// The state of the first server.
  var tree: VirtualTree { trees[0] }

  /// Whether everything that the servers store on works.
  var isStoreCalm: Bool { disk.faults == VirtualDisk.Faults() && postgres?.state ?? .healthy == .healthy }

  /// Whether the registry holds a text, outside of what PostgreSQL keeps of rows that are gone.
  func holds(_ text: String) -> Bool { postgres?.holds(text) ?? false || disk.holds(text) }

  // MARK: - Records

  func record(_ party: String, _ kind: String, _ fields: [(String, JSON)] = []) {
    events.append(
      Event(
        time: time.uptime, wallTime: time.now, party: party,
        what: ServiceHappening(kind: kind, fields: fields)))
  }

  func require(_ holds: Bool, _ invariant: ServiceInvariant, _ detail: @autoclosure () -> String) {
    guard !holds, violation == nil else { return }
    let text = detail()
    violation = ServiceViolation(invariant: invariant, detail: text, step: place)
    record("check", "broken", [("invariant", .string(invariant.rawValue)), ("detail", .string(text))])
  }

  func nextFlight(_ flight: Flight) -> Int {
    flightCount += 1
    var flight = flight
    flight.number = flightCount
    flights[flightCount] = flight
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

/// What the servers reported to their operator.
///
/// `@unchecked Sendable`: the one thread of a simulation has it.
final class ReportBox: @unchecked Sendable {
  private(set) var texts: Set<String> = []
  private(set) var count = 0

  func add(_ text: String) {
    texts.insert(text)
    count += 1
  }
}
