import AppSiteAssociation
import LinkspanCore

/// What a device has around it.
struct DeviceSurroundings: Sendable {
  var pace: Pace
  var network: Network
  var cdn: ContentDeliveryNetwork
  var cache: AssociationCache
  var trace: Trace
  var switches: DeviceSwitches
}

/// A device: its apps, and what its daemon `swcd` knows about their associated domains.
///
/// - Source: spec associated-domains sections 5, 8 and 10.
actor Device {
  nonisolated let traits: DeviceTraits
  nonisolated var name: String { traits.name }

  let world: DeviceSurroundings
  private let chance: SeededGenerator
  /// By identifier.
  var apps: [String: InstalledApp] = [:]
  var records: [AssociationRecord.Key: AssociationRecord] = [:]
  private var installations = 0
  private var checkCounts: [AssociationRecord.Key: Int] = [:]

  init(_ traits: DeviceTraits, in world: DeviceSurroundings, chance: SeededGenerator) {
    self.traits = traits
    self.world = world
    self.chance = chance
  }

  /// The records in the order of app and entry.
  var state: [AssociationRecord] { records.values.sorted { $0.key < $1.key } }

  // MARK: - Apps

  /// Installs an app, or updates the one of that identifier, and checks every entry (V1). Ends when the first
  /// check of each entry has.
  ///
  /// An update keeps the user's choice and what is stored for entries that stay.
  func install(_ build: AppBuild) async {
    installations += 1
    let isUpdate = apps[build.identifier] != nil
    let before = records.filter { $0.key.app == build.identifier }
    forget(build.identifier)
    var app = InstalledApp(build: build)
    var keys: [AssociationRecord.Key] = []
    for text in build.entries {
      do {
        let domain = try EntryObstacle.read(text, kind: build.kind, on: traits)
        guard domain.service == .applinks, traits.os.hasUniversalLinks else { continue }
        var record = AssociationRecord(app: build.identifier, domain: domain, installation: installations)
        if let old = before[record.key] {
          record = old
          record.installation = installations
        }
        if records[record.key] == nil { keys.append(record.key) }
        records[record.key] = record
      } catch {
        app.skipped.append(SkippedEntry(text: text, obstacle: error))
      }
    }
    apps[build.identifier] = app
    await note(
      isUpdate ? "update" : "install",
      [("app", .string(build.identifier)), ("build", .string(build.kind.rawValue))])
    for skipped in app.skipped {
      await note(
        "skip", grounds: Grounds(skipped.obstacle.rules, skipped.obstacle.certainty),
        [
          ("app", .string(build.identifier)), ("entry", .string(skipped.text)),
          ("why", .string(skipped.obstacle.reason)), ("rule", .string(skipped.obstacle.rules[0])),
        ])
    }
    await check(keys)
  }

  /// Deletes an app and everything known about it.
  func delete(_ identifier: String) async {
    guard apps[identifier] != nil else { return }
    forget(identifier)
    apps[identifier] = nil
    await note("delete", [("app", .string(identifier))])
  }

  private func forget(_ identifier: String) {
    records = records.filter { $0.key.app != identifier }
  }

  // MARK: - Time

  /// Checks everything again, as users saw after a reboot (V1, observed).
  func reboot() async {
    await note("reboot", [])
    await check(records.keys.sorted())
  }

  /// Re-checks every entry when its time comes, until a moment of virtual time. A check that has begun by then
  /// is finished.
  func keepFresh(until end: Duration) async {
    let due = records.values.filter { $0.nextCheck.map { $0 <= end } ?? false }.map(\.key).sorted()
    guard !due.isEmpty else { return }
    await withTaskGroup { group in
      for key in due { group.addTask { await self.keepFresh(key, until: end) } }
    }
  }

  private func keepFresh(_ key: AssociationRecord.Key, until end: Duration) async {
    while let next = records[key]?.nextCheck, next <= end {
      await world.pace.pause(until: next)
      await check(key)
    }
  }

  private func check(_ keys: [AssociationRecord.Key]) async {
    await withTaskGroup { group in
      for key in keys { group.addTask { await self.check(key) } }
    }
  }

  // MARK: - The user

  /// The user chooses the browser or the app for the links of a host, and the choice is remembered (section
  /// 10). It is kept in every entry that speaks for the host, as `swcutil` keeps it; that a wildcard entry
  /// then remembers it for all its hosts is inferred.
  func choose(browser: Bool, host: String) async {
    for (key, record) in records where record.domain.covers(host: host) {
      records[key]?.userApproval = browser ? .denied : .approved
    }
    await note("choose", [("opens", .string(browser ? "browser" : "app")), ("host", .string(host))])
  }

  // MARK: - For the parts of the device

  /// - Parameter entry: The entry it is about, when others may be busy at the same time.
  func note(
    _ kind: String, about entry: AssociationRecord.Key? = nil, grounds: Grounds? = nil,
    _ fields: [(String, JSON)]
  ) async {
    await world.trace.record(name, kind, lane: entry?.lane ?? "", grounds: grounds, fields)
  }

  /// Chance for the next check of an entry: the same whatever its neighbours have drawn by then.
  func chanceOfNextCheck(_ key: AssociationRecord.Key) -> SeededGenerator {
    checkCounts[key, default: 0] += 1
    return chance.fork("\(key.lane) \(checkCounts[key] ?? 0)")
  }
}
