import Foundation
import LinkspanCore
import LinkspanFiles
import LinkspanServer
import TestSupport
import Testing

@testable import LinkspanDaemon
@testable import ServiceConfiguration

/// What a state did not take is kept when it does, without anybody's word.
@Suite struct KeptAgainTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!
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

  private func deploy(_ version: Int, _ hosts: String...) throws {
    for host in hosts {
      try folder.write(
        String(decoding: PublicationLawTests.good(version), as: UTF8.self),
        to: "site/\(host)\(PublicationLawTests.path)")
    }
  }

  private func settle(_ manager: PublicationManager) -> [PublicationOutcome] {
    var outcomes: [PublicationOutcome] = []
    while manager.checks.step() { outcomes += manager.takeOutcomes(at: Self.now) }
    return outcomes
  }

  private func read(_ manager: PublicationManager) throws -> [PublicationOutcome] {
    try manager.publish(at: Self.now) + settle(manager)
  }

  /// A file in the place of the folder of publications: nothing can be written there.
  private func block() throws {
    if FileManager.default.fileExists(atPath: folder.path("state/publications")) {
      try FileManager.default.moveItem(
        atPath: folder.path("state/publications"), toPath: folder.path("state/aside"))
    }
    try folder.write("", to: "state/publications")
  }

  private func makeRoom() throws {
    try FileManager.default.removeItem(atPath: folder.path("state/publications"))
    if FileManager.default.fileExists(atPath: folder.path("state/aside")) {
      try FileManager.default.moveItem(
        atPath: folder.path("state/aside"), toPath: folder.path("state/publications"))
    }
  }

  @Test func aChangeIsPublishedWhenThereIsRoomAgain() throws {
    try deploy(1, "a.example", "b.example", "c.example")
    let manager = try start()
    _ = try read(manager)
    try block()
    try deploy(2, "a.example", "b.example", "c.example")
    #expect(try read(manager).map(\.kind) == [.refused, .refused, .refused])
    #expect(manager.tryAgain(at: Self.now).isEmpty)
    let again = settle(manager)
    #expect(again.map(\.kind) == [.refused] && again.map(\.isRepeated) == [true], "one host is a probe")
    #expect(manager.refused.count == 3)
    try makeRoom()
    var published: [PublicationOutcome] = []
    for _ in 0..<3 { published += manager.tryAgain(at: Self.now) + settle(manager) }
    #expect(published.map(\.kind) == [.changed, .changed, .changed])
    #expect(published.map(\.endsRefusal) == [true, true, true])
    #expect(manager.refused.isEmpty)
    #expect(
      try start().served.map(\.associationFile) == [[UInt8]](repeating: PublicationLawTests.good(2), count: 3)
    )
  }

  @Test func otherFilesThatCannotBeKeptAreTold() throws {
    try deploy(1, "a.example")
    let manager = try start()
    _ = try read(manager)
    try block()
    for version in [2, 3] {
      try deploy(version, "a.example")
      #expect(try read(manager).map(\.isRepeated) == [false])
      #expect(try read(manager).map(\.isRepeated) == [true])
    }
  }

  @Test func whatFailsForLongIsTriedSeldomAndToldOnce() throws {
    try deploy(1, "a.example")
    let manager = try start()
    _ = try read(manager)
    try block()
    try deploy(2, "a.example")
    _ = try read(manager)
    let told = log.withLock { $0.count }
    var attempts = 0
    for _ in 0..<120 {
      _ = manager.tryAgain(at: Self.now)
      attempts += settle(manager).count
    }
    #expect((5...12).contains(attempts), "\(attempts)")
    #expect(log.withLock { $0.count } == told)
  }

  /// As on a full disk. Each attempt has a file name of its own, and the message is the same: the log has it once.
  @Test func eachAttemptFailsInTheSameWords() throws {
    try deploy(1, "a.example")
    let manager = try start()
    _ = try read(manager)
    for number in 0..<50 {
      try folder.write("", to: "state/publications/a.example/.prepared-\(number)/inner/file")
    }
    try deploy(2, "a.example")
    #expect(try read(manager).map(\.isRepeated) == [false])
    var outcomes: [PublicationOutcome] = []
    for _ in 0..<30 { outcomes += manager.tryAgain(at: Self.now) + settle(manager) }
    #expect(outcomes.count > 2 && outcomes.allSatisfy(\.isRepeated))
    #expect(
      manager.refused.flatMap(\.findings).allSatisfy { !$0.contains(".prepared") }, "\(manager.refused)")
  }

  @Test func aPinEndsTheAttempts() throws {
    try deploy(1, "a.example")
    let manager = try start()
    _ = try read(manager)
    try block()
    try deploy(2, "a.example")
    _ = try read(manager)
    try makeRoom()
    let pin = PublicationOrders.Item(
      work: .order(.pin(host: "a.example", number: nil)), actor: "console:ada"
    ) { _ in }
    _ = manager.perform(pin, at: Self.now)
    #expect(manager.tryAgain(at: Self.now).isEmpty && settle(manager).isEmpty)
    #expect(manager.served.map(\.associationFile) == [PublicationLawTests.good(1)])
  }

  @Test func aRemovalIsKeptLater() throws {
    try deploy(1, "a.example", "b.example")
    let manager = try start()
    _ = try read(manager)
    try folder.write("", to: "state/publications/a.example/.withdrawn/file")
    try FileManager.default.removeItem(atPath: folder.path("site/a.example"))
    #expect(try read(manager).contains { $0.kind == .withdrawn })
    let note = folder.path("state/publications/a.example/.withdrawn")
    try FileManager.default.removeItem(atPath: note)
    _ = manager.tryAgain(at: Self.now)
    #expect(FileManager.default.fileExists(atPath: note))
  }
}
