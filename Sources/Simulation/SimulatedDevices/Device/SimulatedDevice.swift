import AppSiteAssociation
internal import AssociatedDomains
package import LinkspanCore
internal import LinkspanSpecification

/// What a device has around it.
package struct DeviceSurroundings: Sendable {
  package var clock: SimulationClock
  package var network: Network
  package var cdn: ContentDeliveryNetwork
  var cache: AssociationCache
  var trace: Trace
  var traffic: Traffic
  var switches: DeviceSwitches
  var faults: FaultOptions
  var plant: PlantedBug?
  /// A PEM text of those whom devices trust.
  var authorities: [UInt8]
  var start: WallTime

  package init(
    clock: SimulationClock, network: Network, cdn: ContentDeliveryNetwork, cache: AssociationCache,
    trace: Trace, traffic: Traffic, switches: DeviceSwitches, faults: FaultOptions, plant: PlantedBug? = nil,
    authorities: [UInt8], start: WallTime
  ) {
    self.clock = clock
    self.network = network
    self.cdn = cdn
    self.cache = cache
    self.trace = trace
    self.traffic = traffic
    self.switches = switches
    self.faults = faults
    self.plant = plant
    self.authorities = authorities
    self.start = start
  }
}

/// A device: its apps, and what its daemon `swcd` knows about their associated domains.
///
/// - Source: sections 5, 8 and 10.
package actor SimulatedDevice {
  package nonisolated let traits: DeviceTraits
  nonisolated var name: String { traits.name }

  package let world: DeviceSurroundings
  private let chance: SeededGenerator
  /// By identifier.
  package var apps: [String: InstalledApp] = [:]
  package var records: [AssociationRecord.Key: AssociationRecord] = [:]
  var daemon: Daemon
  /// Whether it has a network.
  private(set) var isOnline = true
  private var installations = 0
  /// What comparing one link with files may cost.
  private var stepsOfLink = WorkLimits.decision
  /// What comparing the link that is followed with files may still cost.
  package var work = WorkBudget.decision
  private var stepsOfEarlierLinks = 0
  /// The signed files of iOS 8, by host.
  var continuationFiles: [String: ContinuationRecord] = [:]
  private var checkCounts: [AssociationRecord.Key: Int] = [:]

  package init(_ traits: DeviceTraits, in world: DeviceSurroundings, chance: SeededGenerator) {
    self.traits = traits
    self.world = world
    self.chance = chance
    daemon = Daemon(world.faults, chance)
  }

  /// What comparing links with files has cost.
  package var spentSteps: Int { stepsOfEarlierLinks + stepsOfLink - work.steps }

  /// Another link is followed.
  package func renewWork(_ steps: Int? = nil) {
    stepsOfEarlierLinks = spentSteps
    stepsOfLink = steps ?? stepsOfLink
    work = WorkBudget(steps: stepsOfLink)
  }

  /// The records in the order of app and entry.
  package var state: [AssociationRecord] { records.values.sorted { $0.key < $1.key } }

  package var snapshot: DeviceSnapshot {
    DeviceSnapshot(
      traits: traits, apps: apps.values.map { $0.build }.sorted { $0.identifier < $1.identifier },
      records: state,
      isOnline: isOnline)
  }

  /// It finds or loses its network. A check that fails without one is tried again in its time, and not when the network is
  /// back: V5 says no more than "the next try" (inferred).
  package func change(isOnline: Bool) { self.isOnline = isOnline }

  // MARK: - Apps

  /// Installs an app, or updates the one of that identifier, and checks every entry (V1). Ends when the first
  /// check of each entry has.
  ///
  /// An update keeps the user's choice and what is stored for entries that stay.
  package func install(_ build: AppBuild) async {
    installations += 1
    let isUpdate = apps[build.identifier] != nil
    let wasReady = apps[build.identifier]?.isReady ?? false
    let before = records.filter { $0.key.app == build.identifier }
    forget(build.identifier)
    var app = InstalledApp(build: build)
    app.isReady = build.kind != .developerID || wasReady
    var keys: [AssociationRecord.Key] = []
    for text in build.entries + (traits.managedEntries[build.identifier] ?? []) {
      do {
        let domain = try EntryObstacle.read(text, of: build, on: traits)
        guard domain.service == .applinks, traits.os.hasUniversalLinks else { continue }
        var record = AssociationRecord(app: build.identifier, domain: domain, installation: installations)
        if let old = before[record.key] {
          record = old
          record.installation = installations
        }
        if records[record.key] == nil { keys.append(record.key) }
        records[record.key] = record
      } catch {
        app.skipped.append(SkippedEntry(app: build.identifier, text: text, obstacle: error))
      }
    }
    apps[build.identifier] = app
    await note(.installed(build, isUpdate: isUpdate))
    for skipped in app.skipped {
      await note(.skipped(skipped), provenance: skipped.obstacle.provenance)
    }
    if app.isReady { await check(keys, because: isUpdate ? .update : .install) }
    await fetchContinuationFiles(of: build)
  }

  /// Starts an app. Only the first start of a Developer-ID app means anything: its files are fetched (V9).
  package func launch(_ identifier: String) async {
    guard let app = apps[identifier] else { return }
    await note(.launched(app: identifier))
    guard !app.isReady else { return }
    apps[identifier]?.isReady = true
    await check(records.keys.filter { $0.app == identifier }.sorted(), because: .launch)
  }

  /// Deletes an app and everything known about it.
  package func delete(_ identifier: String) async {
    guard apps[identifier] != nil else { return }
    forget(identifier)
    apps[identifier] = nil
    await note(.deleted(app: identifier))
  }

  private func forget(_ identifier: String) {
    records = records.filter { $0.key.app != identifier }
  }

  // MARK: - Time

  /// Checks everything again, as users saw after a reboot (V1, observed).
  package func reboot() async {
    let isHeldBack = world.switches.waitsAfterBoot
    await note(.rebooted, provenance: isHeldBack ? Provenance(citing: ["V1", "V4"]) : nil)
    let keys = records.keys.filter { apps[$0.app]?.isReady == true }.sorted()
    guard isHeldBack else { return await check(keys, because: .reboot) }
    for key in keys { records[key]?.nextCheck = world.clock.now + Self.pauseAfterBoot }
  }

  /// V4, observed.
  private static let pauseAfterBoot: Duration = .seconds(900)

  /// Re-checks every entry when its time comes, until a moment of virtual time. A check that has begun by then
  /// is finished.
  package func keepFresh(until end: Duration) async {
    await setClock()
    let due = records.values.filter { $0.nextCheck.map { $0 <= end } ?? false }.map { $0.key }.sorted()
    guard !due.isEmpty else { return }
    let questions = questions(of: due)
    await withTaskGroup { group in
      for question in questions { group.addTask { await self.keepFresh(question, until: end) } }
    }
  }

  private func keepFresh(_ question: Question, until end: Duration) async {
    while let next = question.keys.compactMap({ records[$0]?.nextCheck }).min(), next <= end {
      // A story with more events than it may have is refused; what comes after would only take time.
      guard await !world.trace.isFull else { return }
      await world.clock.pause(until: next)
      // Those that an update brought later may be due at another time.
      let due = question.keys.filter { records[$0]?.nextCheck.map { $0 <= next } ?? false }
      let isRetry = due.contains { records[$0]?.isRetrying == true }
      await check(Question(keys: due), because: isRetry ? .retry : .weekly)
    }
  }

  private func check(_ keys: [AssociationRecord.Key], because reason: CheckReason) async {
    let questions = questions(of: keys)
    let turns = turns(of: questions.map { $0.keys[0] })
    await withTaskGroup { group in
      for (question, turn) in zip(questions, turns) {
        group.addTask { await self.check(question, because: reason, turn) }
      }
    }
  }

  // MARK: - The user

  /// The user chooses the browser or the app for the links of a host, and the choice is remembered (section
  /// 10). It is kept in every entry that speaks for the host, as `swcutil` keeps it; that a wildcard entry
  /// then remembers it for all its hosts is inferred.
  package func choose(browser: Bool, host: String) async {
    for (key, record) in records where record.domain.covers(host: host) {
      records[key]?.userApproval = browser ? .denied : .approved
    }
    await note(.chose(browser: browser, host: host))
  }

  // MARK: - For the parts of the device

  /// - Parameter entry: The entry it is about, when others may be busy at the same time.
  func note(
    _ what: DeviceHappening, about entry: AssociationRecord.Key? = nil, provenance: Provenance? = nil
  ) async {
    await world.trace.record(name, what, lane: entry?.lane ?? "", provenance: provenance)
  }

  /// Chance for the next check of an entry: the same whatever its neighbours have drawn by then.
  func chanceOfNextCheck(_ key: AssociationRecord.Key) -> SeededGenerator {
    checkCounts[key, default: 0] += 1
    return chance.fork("\(key.lane) \(checkCounts[key] ?? 0)")
  }
}
