import Foundation
import LinkspanCore
import LinkspanFiles
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// The folder of the last host is removed, and somebody says whether that was meant. What an order comes to is durable, or refused.
@Suite struct LastHostTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!
  private let folder: ScratchFolder
  private let log = LockedState<[String]>([])

  init() throws { folder = try ScratchFolder(inMemory: true) }

  private func start(_ sites: [String] = ["site"]) throws -> PublicationManager {
    var options = ServeOptions()
    options.sites = sites.map(folder.path)
    options.state = folder.path("state")
    return try PublicationManager(
      ServeSettings(options),
      ServerLog(.info, stampsLines: false) { [log] line in log.withLock { $0.append(line) } },
      PublicationSurroundings(now: { Self.now }))
  }

  private func write(_ version: Int, _ path: String) throws {
    try folder.write(String(decoding: PublicationLawTests.good(version), as: UTF8.self), to: "site/" + path)
  }

  private func deploy(_ version: Int, _ hosts: [String]) throws {
    for host in hosts { try write(version, host + PublicationLawTests.path) }
  }

  private func remove(_ names: [String]) throws {
    for name in names { try FileManager.default.removeItem(atPath: folder.path("site/\(name)")) }
  }

  @discardableResult
  private func read(_ manager: PublicationManager, after seconds: Int64 = 0) throws -> [PublicationOutcome] {
    let now = Self.now.advanced(by: .seconds(seconds))
    var outcomes = try manager.publish(at: now)
    while manager.checks.step() { outcomes += manager.takeOutcomes(at: now) }
    return outcomes
  }

  private func order(
    _ order: PublicationOrder, _ manager: PublicationManager
  ) -> Result<String, LinkspanError> {
    manager.perform(.init(work: .order(order), actor: "console:ada") { _ in }, at: Self.now).answer!
      .map(\.words)
  }

  private static func hosts(_ count: Int) -> [String] { (0..<count).map { "h\($0).example" } }

  /// To read the folder again changes nothing of since when it has been gone.
  @Test func aHeldRemovalIsKeptOnce() throws {
    try deploy(1, Self.hosts(1))
    let manager = try start()
    try read(manager)
    try remove(Self.hosts(1))
    for seconds in [90, 120, 150] { try read(manager, after: Int64(seconds)) }
    let again = try start()
    try read(again, after: 180)
    #expect(
      again.publisher.heldRemoval(of: "h0.example")?.at == Self.now.advanced(by: .seconds(90)))
  }

  @Test(arguments: [1, 30]) func whatWasLiveStaysUntilSomebodyConfirms(count: Int) throws {
    let hosts = Self.hosts(count)
    try deploy(1, hosts)
    var manager = try start()
    try read(manager)
    try remove(hosts)
    #expect(Set(try read(manager, after: 90).map(\.kind)) == [.removalHeld])
    for _ in 0..<2 {
      #expect(manager.served.count == count)
      #expect(Set(manager.reports.map(\.state)) == [.removalHeld])
      #expect(
        manager.reports[0].reason.description
          == "Its folder has been gone since 2026-09-14T08:01:30.000Z. It is served until"
          + " 'linkspan publish --remove h0.example --state \(folder.path("state"))' confirms it.")
      #expect(manager.heldRemovals?.contains("--remove") == true)
      #expect(manager.problem == nil)
      manager = try start()
      try read(manager, after: 120)
    }
    for host in hosts {
      #expect(try order(.remove(hosts: [host]), manager).get() == "\(host) is no longer served.")
    }
    #expect(manager.served.isEmpty && manager.reports.isEmpty && manager.heldRemovals == nil)
    #expect(try start().served.isEmpty)
  }

  /// A remedy that is named works: without a state nothing takes an order.
  @Test func withoutAStateARestartIsNamed() throws {
    try deploy(1, ["a.example", "b.example"])
    func start(_ registry: String?) throws -> PublicationManager {
      var options = ServeOptions()
      options.sites = [folder.path("site")]
      options.registry = registry.map { ServiceAddress($0) }
      return try PublicationManager(
        ServeSettings(options), ServerLog(.info, stampsLines: false) { _ in },
        PublicationSurroundings(now: { Self.now }))
    }
    let (alone, shared) = (try start(nil), try start("sqlite:\(folder.path("r.db"))"))
    for manager in [alone, shared] { try read(manager) }
    try remove(["a.example", "b.example"])
    for (manager, words) in [
      (alone, "the server is restarted (without 'state' it takes no orders)"),
      (shared, "'linkspan publish --remove HOST… --to URL --token-file FILE' confirms it"),
    ] {
      let outcomes = try read(manager)
      #expect(outcomes.map(\.kind) == [.removalHeld, .removalHeld])
      let one = words.replacing("HOST…", with: "a.example")
      #expect(outcomes.contains { $0.confirmation == one })
      #expect(
        manager.heldRemovals?.hasSuffix("That ends when \(words), or when the folders are back.") == true)
      #expect(manager.reports.first?.reason.description.hasSuffix("It is served until \(one).") == true)
    }
  }

  @Test func aFolderThatComesBackEndsIt() throws {
    try deploy(1, ["a.example"])
    let manager = try start()
    try read(manager)
    try remove(["a.example"])
    try read(manager)
    try deploy(2, ["a.example"])
    try read(manager)
    #expect(manager.reports.map(\.state) == [.live])
    #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(2)])
  }

  /// The file that was rolled back is not served because its folder was gone for a moment, whatever the server did meanwhile.
  @Test(arguments: [false, true], [false, true])
  func aRollbackOutlivesAnEmptyFolder(restarts: Bool, sentByAPI: Bool) throws {
    try deploy(1, ["a.example"])
    var manager = try start()
    try read(manager)
    try deploy(2, ["a.example"])
    try read(manager)
    if sentByAPI {
      let sent = AssociationSite(host: "a.example", associationFile: PublicationLawTests.good(1))
      _ = manager.perform(
        .init(work: .publish(PublicationCandidate(sent, author: "ci")), actor: "ci") { _ in }, at: Self.now)
      while manager.checks.step() { _ = manager.takeOutcomes(at: Self.now) }
    } else {
      _ = try order(.rollBack(host: "a.example", number: nil), manager).get()
    }
    try remove(["a.example"])
    try read(manager, after: 90)
    #expect(manager.reports.map(\.state) == [.removalHeld])
    if restarts {
      manager = try start()
      try read(manager, after: 91)
      #expect(manager.reports.map(\.state) == [.removalHeld])
    }
    try deploy(2, ["a.example"])
    try read(manager, after: 92)
    #expect(manager.reports.map(\.state) == [sentByAPI ? .published : .rolledBack])
    #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(1)])
    try deploy(3, ["a.example"])
    try read(manager, after: 93)
    #expect(manager.reports.map(\.state) == [.live])
    #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(3)])
  }

  /// As a copy that deletes host by host, and is read in between.
  @Test func aRollbackOfAHostThatWentFirstGoesOn() throws {
    try deploy(1, ["a.example", "b.example"])
    let manager = try start()
    try read(manager)
    try deploy(2, ["a.example"])
    try read(manager)
    _ = try order(.rollBack(host: "a.example", number: nil), manager).get()
    try remove(["a.example"])
    try read(manager, after: 90)
    #expect(manager.reports.map(\.host) == ["b.example"])
    try remove(["b.example"])
    try read(manager, after: 91)
    try deploy(2, ["a.example"])
    try deploy(1, ["b.example"])
    try read(manager, after: 92)
    #expect(manager.reports.map(\.state) == [.live, .rolledBack])
    #expect(
      manager.served.map(\.associationFile) == [PublicationLawTests.good(1), PublicationLawTests.good(1)])
  }

  /// What a client sends to a host whose folder is gone is not removed with the folder.
  @Test func whatTheAPIPublishesEndsAHeldRemoval() throws {
    try deploy(1, ["a.example"])
    let manager = try start()
    try read(manager)
    try remove(["a.example"])
    try read(manager)
    let sent = AssociationSite(host: "a.example", associationFile: PublicationLawTests.good(7))
    _ = manager.perform(
      .init(work: .publish(PublicationCandidate(sent, author: "ci")), actor: "ci") { _ in }, at: Self.now)
    while manager.checks.step() { _ = manager.takeOutcomes(at: Self.now) }
    #expect(manager.reports.map(\.state) == [.published] && manager.heldRemovals == nil)
    try read(manager, after: 90)
    let again = try start()
    try read(again, after: 91)
    #expect(again.reports.map(\.state) == [.published])
  }

  /// A setting that says how many removals are meant does not mean all of them.
  @Test func oneHostAfterTheOtherWithinAMinuteAreOneRemoval() throws {
    try deploy(1, ["a.example", "b.example"])
    let manager = try start()
    try read(manager)
    try remove(["a.example"])
    #expect(try read(manager).contains { $0.kind == .withdrawn })
    try remove(["b.example"])
    try read(manager, after: 30)
    #expect(manager.reports.map(\.state) == [.removalHeld, .removalHeld])
  }

  @Test func aConfirmedRemovalIsNoneOfThose() throws {
    try deploy(1, ["a.example", "b.example"])
    var manager = try start()
    try read(manager)
    try remove(["a.example", "b.example"])
    try read(manager)
    _ = try order(.remove(hosts: ["a.example"]), manager).get()
    try deploy(1, ["b.example"])
    manager = try start()
    try read(manager, after: 10)
    try remove(["b.example"])
    try read(manager, after: 20)
    #expect(manager.reports.map(\.host) == ["b.example"])
  }

  @Test func ofSeveralFoldersOneThatIsEmptyKeepsItsHosts() throws {
    try deploy(1, ["a.example"])
    try folder.write(
      String(decoding: PublicationLawTests.good(2), as: UTF8.self),
      to: "more/b.example\(PublicationLawTests.path)")
    let manager = try start(["site", "more"])
    try read(manager)
    try remove(["../more/b.example"])
    try read(manager)
    #expect(manager.reports.map(\.state) == [.live, .removalHeld])
  }

  @Test func aStartWithAnEmptyFolderSaysSo() throws {
    try FileManager.default.createDirectory(atPath: folder.path("site"), withIntermediateDirectories: true)
    let manager = try start()
    let error = #expect(throws: LinkspanError.self) { try manager.publish(at: Self.now) }
    #expect(error?.message == "the folder '\(folder.path("site"))' contains no hosts.")
  }

  @Test func theSiteOfEveryHostIsConfirmedByItsName() throws {
    try write(1, ".well-known/apple-app-site-association")
    let manager = try start(["site/.well-known"])
    try read(manager)
    #expect(manager.served.map(\.host) == [nil])
    try remove([".well-known/apple-app-site-association"])
    try read(manager)
    #expect(manager.heldRemovals?.contains("'linkspan publish --remove _ --state ") == true)
    #expect(try order(.remove(hosts: ["_"]), manager).get() == "every other host is no longer served.")
    #expect(manager.served.isEmpty)
  }

  @Test func refusedFilesOfTheOnlyHostGoWithTheirFolder() throws {
    try deploy(1, ["a.example"])
    let manager = try start()
    try read(manager)
    try remove(["a.example"])
    try read(manager)
    _ = try order(.remove(hosts: ["a.example"]), manager).get()
    try folder.write("{", to: "site/a.example\(PublicationLawTests.path)")
    try read(manager)
    #expect(manager.reports.map(\.state) == [.refused])
    try remove(["a.example"])
    try read(manager)
    #expect(manager.reports.isEmpty && manager.refused.isEmpty)
  }

  // MARK: - Orders

  @Test func aConfirmationThatCannotBeKeptIsRefused() throws {
    let hosts = Self.hosts(3)
    try deploy(1, hosts)
    let manager = try start()
    try read(manager)
    try remove(hosts)
    try read(manager)
    // A folder where the note would be written.
    try folder.write("", to: "state/publications/h2.example/.withdrawn/file")
    guard case .failure(let error) = order(.remove(hosts: hosts), manager) else {
      Issue.record("it is said to be done")
      return
    }
    #expect(error.text.contains("the history in '\(folder.path("state"))' cannot be written"))
    for manager in [manager, try start()] { #expect(manager.served.count == 3) }
    #expect(Set(manager.reports.map(\.state)) == [.removalHeld])
    #expect(
      log.withLock { $0 }.contains {
        $0.hasPrefix("audit: console:ada site.remove") && $0.contains(", refused: ")
      })
  }

  @Test func anOrderHasOneLineInTheLogWhichSaysWhatBecameOfIt() throws {
    try deploy(1, ["a.example"])
    let manager = try start()
    try read(manager)
    try deploy(2, ["a.example"])
    try read(manager)
    for work: PublicationOrder in [
      .rollBack(host: "a.example", number: 1), .pin(host: "a.example", number: nil),
      .pin(host: "a.example", number: 1), .pin(host: "a.example", number: 2), .release(host: "a.example"),
      .release(host: "a.example"),
    ] { _ = order(work, manager) }
    #expect(
      log.withLock { $0 }.filter { $0.contains("audit: ") } == [
        "audit: console:ada site.rollback a.example: Publication 1 of a.example is served again, as publication 3.",
        "audit: console:ada site.pin a.example: Publication 3 of a.example is pinned and served.",
        "audit: console:ada site.pin a.example: Publication 3 of a.example is pinned and served.",
        "audit: console:ada site.pin a.example: Publication 2 of a.example is pinned and served again, as publication 4.",
        "audit: console:ada site.release a.example: The pin has ended; the folder of a.example decides again.",
        "audit: console:ada site.release a.example, refused: the folder of 'a.example' decides already. Nothing was changed.",
      ])
  }
}
