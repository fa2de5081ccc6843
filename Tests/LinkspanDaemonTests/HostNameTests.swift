import Foundation
import LinkspanCore
import LinkspanFiles
import LinkspanServer
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// `example.com.` is `example.com`, wherever somebody writes it and wherever an earlier version kept it.
@Suite struct HostNameTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!
  private static let dotted = "a.example."
  private static let host = "a.example"
  private let folder: ScratchFolder
  private let log = LockedState<[String]>([])

  init() throws { folder = try ScratchFolder(inMemory: true) }

  private func start() throws -> PublicationManager {
    var options = ServeOptions()
    options.sites = [folder.path("site")]
    options.state = folder.path("state")
    return try PublicationManager(
      ServeSettings(options),
      ServerLog(.info, stampsLines: false) { [log] line in log.withLock { $0.append(line) } },
      PublicationSurroundings(now: { Self.now }))
  }

  private func deploy(_ version: Int, _ host: String) throws {
    try folder.write(
      String(decoding: PublicationLawTests.good(version), as: UTF8.self),
      to: "site/\(host)\(PublicationLawTests.path)")
  }

  @discardableResult
  private func read(_ manager: PublicationManager) throws -> [PublicationOutcome] {
    var outcomes = try manager.publish(at: Self.now)
    while manager.checks.step() { outcomes += manager.takeOutcomes(at: Self.now) }
    return outcomes
  }

  /// Has the state look as an earlier version left it, which took the two names for two hosts.
  private func keepDotted(_ version: Int) throws {
    let history = PublicationHistory(state: folder.path("other"))
    try history.add(
      AssociationSite(host: Self.host, associationFile: PublicationLawTests.good(version)), at: Self.now,
      author: "token:ci")
    let record = "other/publications/\(Self.host)/00000001/publication.json"
    try folder.write(
      try folder.text(record).replacing("\"\(Self.host)\"", with: "\"\(Self.dotted)\""), to: record)
    try FileManager.default.createDirectory(
      atPath: folder.path("state/publications"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: folder.path("other/publications/\(Self.host)"),
      toPath: folder.path("state/publications/\(Self.dotted)"))
  }

  @Test(arguments: [dotted, "A.Example.", "A.Example"]) func aFolderMayHaveAnySpelling(name: String) throws {
    try deploy(1, name)
    let manager = try start()
    try read(manager)
    #expect(manager.served.map(\.host) == [Self.host])
    #expect(try manager.history?.hosts() == [Self.host])
  }

  @Test func whatAnEarlierVersionKeptOfTheOtherNameGoesOn() throws {
    try keepDotted(2)
    for _ in 0..<2 {
      let manager = try start()
      #expect(manager.served.map(\.host) == [Self.host])
      #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(2)])
      let entries = try manager.history?.entries(of: Self.host, wantsAssociationFiles: true) { _ in }
      #expect(entries?.map(\.author) == ["token:ci"])
    }
    #expect(log.withLock { $0 }.isEmpty)
  }

  @Test func ofBothNamesTheOneOfTheHostCounts() throws {
    try deploy(1, Self.host)
    try read(try start())
    try keepDotted(2)
    let manager = try start()
    #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(1)])
    #expect(
      log.withLock { $0 }.contains(
        "the publications of 'a.example.' are left out: 'a.example' is the same host, and has its own"))
  }

  @Test func aFileIsServedForTheHostAndHeldByItsPin() throws {
    try deploy(1, Self.host)
    let manager = try start()
    try read(manager)
    _ = manager.perform(
      .init(work: .order(.pin(host: Self.host, number: nil)), actor: "console:ada") { _ in }, at: Self.now)
    let candidate = PublicationCandidate(
      Self.dotted, associationFile: PublicationLawTests.good(2), assetLinks: nil, author: "token:ci")
    _ = manager.perform(.init(work: .publish(candidate), actor: "token:ci") { _ in }, at: Self.now)
    while manager.checks.step() { _ = manager.takeOutcomes(at: Self.now) }
    #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(1)])
    #expect(manager.publisher.heldDraft(of: Self.host)?.author == "token:ci")
  }

  @Test func anOrderAboutTheOtherNameIsPassedOver() throws {
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let orders = SharedOrders(registry)
    func order(_ host: String, _ revision: Int64) -> SiteOrder {
      var order = SiteOrder(.pin, AssociationSite(host: host), "console:ada", at: Self.now)
      order.revision = revision
      return order
    }
    #expect(orders.note(order("b.example.", 1)), "there is no other one")
    #expect(orders.note(order("b.example", 2)))
    #expect(!orders.note(order("b.example.", 3)))
    #expect(orders.standing(of: "B.example.")?.revision == 2)
    #expect(orders.last == 3)
  }

  @Test(arguments: [(["a.example"], true), (["a.example."], true), (["b.example."], false), ([], false)])
  func aCredentialIsForTheHostByAnyName(hosts: [String], isAllowed: Bool) {
    var token = AccessToken(
      identifier: "a", secretHash: "b", scopes: [.writeSites], topics: [], createdAt: Self.now)
    token.hosts = hosts
    #expect(token.allows(host: IDNA.named(Self.dotted)) == isAllowed)
  }
}
