import Foundation
import LinkspanCore
import LinkspanFiles
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// Between the end of a check and the decision that its files are served, nobody finds them: no start and no rollback.
@Suite struct UndecidedPublicationTests {
  private static let host = "a.example"
  private static let now = WallTime("2026-09-14T08:00:00Z")!
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(inMemory: true) }

  private static func file(_ version: Int) -> [UInt8] { PublicationLawTests.good(version) }

  /// A server that makes checks only when it is told to; another one is what a start after `kill -9` is.
  private func start() throws -> PublicationManager {
    var options = ServeOptions()
    options.sites = [folder.path("site")]
    options.state = folder.path("state")
    return try PublicationManager(
      ServeSettings(options), ServerLog(.error, stampsLines: false) { _ in },
      PublicationSurroundings(now: { Self.now }))
  }

  private func deploy(_ version: Int) throws {
    try folder.write(
      String(decoding: Self.file(version), as: UTF8.self),
      to: "site/\(Self.host)\(PublicationLawTests.path)")
  }

  private func settle(_ manager: PublicationManager) -> [PublicationOutcome] {
    var outcomes: [PublicationOutcome] = []
    while manager.checks.step() { outcomes += manager.takeOutcomes(at: Self.now) }
    return outcomes
  }

  private func deployed(_ versions: Int..., by manager: PublicationManager) throws {
    for version in versions {
      try deploy(version)
      _ = try manager.publish(at: Self.now)
      _ = settle(manager)
      #expect(manager.served.map(\.associationFile) == [Self.file(version)])
    }
  }

  private func order(
    _ order: PublicationOrder, _ manager: PublicationManager
  ) -> Result<PublicationOrders.Answer, LinkspanError>? {
    manager.perform(.init(work: .order(order), actor: "operator") { _ in }, at: Self.now).answer
  }

  private func upload(
    _ bytes: [UInt8], _ manager: PublicationManager,
    _ take: @escaping @Sendable (PublicationOutcome.Kind?) -> Void = { _ in }
  ) {
    let candidate = PublicationCandidate(Self.host, associationFile: bytes, assetLinks: nil, author: "ci")
    let item = PublicationOrders.Item(work: .publish(candidate), actor: "ci") { answer in
      take((try? answer.get())?.outcomes.first?.kind)
    }
    _ = manager.perform(item, at: Self.now)
  }

  /// The files of the history, oldest first, and nothing beside them that was not brought to its end.
  private func history(_ manager: PublicationManager) throws -> [[UInt8]?] {
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.path("state/publications/\(Self.host)"))
    #expect(names.allSatisfy { !$0.hasPrefix(".prepared") && $0 != ".unfinished" }, "\(names)")
    let entries = try #require(manager.history).entries(of: Self.host, wantsAssociationFiles: true) {
      Issue.record("\($0)")
    }
    return entries.reversed().map(\.site.associationFile)
  }

  /// `ready` is that everything in the folder is served; it was said while hosts still answered 503.
  @Test func isToldWhileHostsWaitForTheirFirstCheck() throws {
    let manager = try start()
    let pages = OperatorPages(nil, ForwardedClient(trusted: []), connectionLimit: 1, version: "")
    pages.state.change { $0.readiness.phase = .serving }
    func said() -> String {
      String(
        decoding: pages.response(to: HTTPRequest(method: "GET", authority: "a", target: "/readyz")).body,
        as: UTF8.self)
    }
    try deploy(1)
    pages.tell(manager, try manager.publish(at: Self.now))
    #expect(manager.newHandler([]).response(to: Self.request).status == 503)
    #expect(said().contains(#""status":"degraded","part":"files""#), "\(said())")
    #expect(said().contains("1 host whose first files are being checked: each answers 503 until then."))
    pages.tell(manager, settle(manager))
    #expect(manager.newHandler([]).response(to: Self.request).status == 200)
    #expect(said().contains(#""status":"ready""#), "\(said())")
    // A newer file of a host that is served takes nothing away.
    try deploy(2)
    pages.tell(manager, try manager.publish(at: Self.now))
    #expect(said().contains(#""status":"ready""#), "\(said())")
  }

  private static let request = HTTPRequest(
    method: "GET", authority: host, target: "/.well-known/apple-app-site-association")

  @Test func aStartServesWhatWasServed() throws {
    let manager = try start()
    try deployed(1, by: manager)
    try deploy(2)
    _ = try manager.publish(at: Self.now)
    #expect(manager.checks.step())
    let next = try start()
    #expect(next.served.map(\.associationFile) == [Self.file(1)])
    #expect(try history(next) == [Self.file(1)])
  }

  @Test func aRollbackBesideADeploymentGoesBackToWhatWasServed() throws {
    let manager = try start()
    try deployed(1, 2, by: manager)
    try deploy(3)
    _ = try manager.publish(at: Self.now)
    #expect(manager.checks.step())
    guard case .success(let answer)? = order(.rollBack(host: Self.host, number: nil), manager) else {
      Issue.record("the rollback is refused")
      return
    }
    #expect(answer.number == 1)
    #expect(manager.takeOutcomes(at: Self.now).isEmpty)
    for manager in [manager, try start()] {
      #expect(manager.served.map(\.associationFile) == [Self.file(1)])
      #expect(try history(manager) == [Self.file(1), Self.file(2), Self.file(1)])
      #expect(manager.publisher.standing(of: Self.host)?.kind == .rollback)
    }
  }

  /// The folder's files go live although something was sent while they were being checked, and the client hears of its own.
  @Test func anUploadThatIsRefusedEndsNoDeployment() throws {
    let manager = try start()
    try deployed(1, by: manager)
    try deploy(2)
    _ = try manager.publish(at: Self.now)
    let heard = LockedState<[PublicationOutcome.Kind?]>([])
    upload(PublicationLawTests.bad(3), manager) { kind in heard.withLock { $0.append(kind) } }
    for _ in 0..<2 {
      #expect(manager.checks.step())
      for answer in manager.takeAnswers(to: manager.takeOutcomes(at: Self.now)) { answer() }
    }
    #expect(heard.withLock { $0 } == [.refused])
    #expect(manager.served.map(\.associationFile) == [Self.file(2)])
    #expect(try history(manager) == [Self.file(1), Self.file(2)])
    #expect(manager.reports.map(\.state) == [.refused])
  }

  @Test func ofADeploymentAndAnUploadBothArePublishedInTheirOrder() throws {
    let manager = try start()
    try deployed(1, by: manager)
    try deploy(2)
    _ = try manager.publish(at: Self.now)
    upload(Self.file(3), manager)
    // Both are on the disk before either has its number.
    #expect(manager.checks.step() && manager.checks.step())
    #expect(manager.takeOutcomes(at: Self.now).map(\.kind) == [.changed, .changed])
    #expect(try history(manager) == [Self.file(1), Self.file(2), Self.file(3)])
    let next = try start()
    _ = try next.publish(at: Self.now)
    #expect(settle(next).isEmpty)
    #expect(next.served.map(\.associationFile) == [Self.file(3)])
    #expect(next.publisher.standing(of: Self.host)?.kind == .published)
  }

  /// A history that could not be written is no reason to wait for other files, whatever a client has sent meanwhile.
  @Test func whatCouldNotBeKeptIsTriedAgainBesideADraft() throws {
    let manager = try start()
    try deployed(1, by: manager)
    let home = folder.path("state/publications/\(Self.host)")
    try FileManager.default.moveItem(atPath: home, toPath: folder.path("away"))
    try folder.write("in its way", to: "state/publications/\(Self.host)")
    try deploy(2)
    _ = try manager.publish(at: Self.now)
    #expect(settle(manager).map(\.kind) == [.refused])
    try FileManager.default.removeItem(atPath: home)
    try FileManager.default.moveItem(atPath: folder.path("away"), toPath: home)
    upload(PublicationLawTests.bad(3), manager)
    #expect(settle(manager).map(\.kind) == [.refused])
    _ = try manager.publish(at: Self.now)
    #expect(settle(manager).map(\.kind) == [.changed])
    #expect(manager.served.map(\.associationFile) == [Self.file(2)])
  }

  @Test func aReleaseThatCannotReadTheFolderEndsNothing() throws {
    let manager = try start()
    try deployed(1, by: manager)
    guard case .success? = order(.pin(host: Self.host, number: nil), manager) else {
      Issue.record("the pin is refused")
      return
    }
    try FileManager.default.removeItem(atPath: folder.path("site"))
    guard case .failure? = order(.release(host: Self.host), manager) else {
      Issue.record("nothing lies in the folder, and it decides")
      return
    }
    #expect(manager.publisher.standing(of: Self.host)?.kind == .pin)
    #expect(try start().publisher.standing(of: Self.host)?.kind == .pin)
  }

  /// The folder is read for it, so whatever else has changed there is told, too.
  @Test func aReleaseTellsWhatBecameOfOtherHosts() throws {
    let manager = try start()
    try deployed(1, by: manager)
    try folder.write(
      String(decoding: Self.file(1), as: UTF8.self), to: "site/b.example\(PublicationLawTests.path)")
    _ = try manager.publish(at: Self.now)
    _ = settle(manager)
    guard case .success? = order(.pin(host: Self.host, number: nil), manager) else {
      Issue.record("the pin is refused")
      return
    }
    try FileManager.default.removeItem(atPath: folder.path("site/b.example"))
    let release = PublicationOrders.Item(work: .order(.release(host: Self.host)), actor: "operator") { _ in }
    let (outcomes, answer) = manager.perform(release, at: Self.now)
    #expect(outcomes.contains { $0.host == "b.example" && $0.kind == .withdrawn })
    #expect(try answer?.get().outcomes.allSatisfy { $0.host == Self.host } == true)
    #expect(manager.served.map(\.host) == [Self.host])
  }
}
