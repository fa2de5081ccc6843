import Dispatch
import LinkspanCore
import LinkspanServer
import RegistryDatabases
import RegistryRequests
import RegistryServer
import TestSupport
import Testing

@testable import DeviceRegistry

/// A registry that takes everything but lines of the audit log, while files of hosts are published over the API.
@Suite struct AuditLineTests {
  private static let host = "example.com"
  private let folder: ScratchFolder
  private let registry: Registry
  private let api: RegistryAPI
  private let time = LockedState(WallTime("2026-09-14T08:00:00Z")!)
  private let kind = LockedState(PublicationOutcome.Kind.changed)
  private let said = LockedState<[String]>([])

  init() throws {
    folder = try ScratchFolder(inMemory: true)
    registry = try Registry(.sqlite(path: folder.path("registry.db")))
    var options = RegistryAPI.Options()
    options.log = { [said] line in said.withLock { $0.append(line) } }
    let outcomes = { @Sendable [kind] (host: String?) in
      [
        PublicationOutcome(
          host: host, kind: kind.withLock { $0 }, errors: [], differences: [], isServed: true)
      ]
    }
    options.sites = RegistryAPI.SiteRoutes(
      publish: { candidate, _, completion in completion(.success(outcomes(candidate.site.host))) },
      remove: { host, _, completion in completion(.success(outcomes(host))) })
    api = RegistryAPI(registry, options, now: { [time] in time.withLock { $0 } })
  }

  /// A second passes, and a client sends files.
  private func publish(_ outcome: PublicationOutcome.Kind, _ host: String = host) -> Int? {
    kind.withLock { $0 = outcome }
    time.withLock { $0 = $0.advanced(by: .seconds(1)) }
    let request = HTTPRequest(
      method: "PUT", authority: "registry", target: "/v1/sites/\(host)", body: Array("{}".utf8))
    return api.answerAndWait(request, as: "ci")?.status
  }

  private func refuseLines() throws {
    try run("CREATE TRIGGER refusal BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no'); END")
  }

  private func takeLines() throws { try run("DROP TRIGGER refusal") }

  private func run(_ script: String) throws {
    try registry.changeAndWait { store throws(RegistryError) in try store.database.runScript(script) }
  }

  /// The lines, the oldest first, each with the second of the test in which it was done.
  private func lines() throws -> [String] {
    try api.auditLog(limit: 9).reversed().map {
      "\($0.time.description.dropFirst(17).prefix(2)) \($0.actor) \($0.action) \($0.subject)"
    }
  }

  @Test func aRepeatedPublicationWritesTheLineThatIsMissing() throws {
    try refuseLines()
    #expect(publish(.changed) == 503)
    #expect(publish(.unchanged) == 503)
    #expect(
      said.withLock { $0 } == [
        "the registry's audit log does not take the line 'ci site.publish example.com'; it is written when it does"
      ])
    // Another host is not held up.
    #expect(publish(.unchanged, "other.example") == 200)
    try takeLines()
    #expect(publish(.unchanged) == 200)
    #expect(try lines() == ["01 ci site.publish example.com"])
    #expect(publish(.unchanged) == 200)
    #expect(try lines().count == 1)
    registry.stop()
  }

  @Test func theLineIsWrittenWithoutARepetition() throws {
    try refuseLines()
    #expect(publish(.held) == 503)
    api.writeLateLines()
    try takeLines()
    #expect(try lines() == [])
    api.writeLateLines()
    // Changes are made in their order.
    try run("SELECT 1")
    #expect(try lines() == ["01 ci site.draft example.com"])
    api.writeLateLines()
    #expect(publish(.changed) == 200)
    #expect(try lines() == ["01 ci site.draft example.com", "02 ci site.publish example.com"])
    registry.stop()
  }

  /// Of two clients that send the same file at once the second one changes nothing, and must not hear that all is well before
  /// the line of the first is stored.
  @Test(arguments: [true, false])
  func aRepetitionWaitsForTheLineThatIsBeingWritten(takesLines: Bool) throws {
    if !takesLines { try refuseLines() }
    let (gate, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    registry.change({ _ throws(RegistryError) in
      isHeld.signal()
      gate.wait()
    }) { _ in }
    isHeld.wait()
    let answers = WorkQueue<Int>(limit: 4)
    func send(_ outcome: PublicationOutcome.Kind) {
      kind.withLock { $0 = outcome }
      let request = HTTPRequest(
        method: "PUT", authority: "registry", target: "/v1/sites/\(Self.host)", body: Array("{}".utf8))
      api.answer(request, as: "ci") { response in _ = answers.add(response.status) }
    }
    send(.changed)
    send(.unchanged)
    gate.signal()
    let statuses = (answers.take(1) ?? []) + (answers.take(1) ?? [])
    #expect(statuses == (takesLines ? [200, 200] : [503, 503]))
    registry.stop()
  }

  /// Such as one that the store will never take.
  @Test func aLineThatStaysRefusedHoldsUpNoOther() throws {
    try run(
      "CREATE TRIGGER refusal BEFORE INSERT ON audit_log WHEN new.subject = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END"
    )
    let entry = AuditEntry(
      time: time.withLock { $0 }, actor: "console:ada", action: "site.pin", subject: "bad")
    #expect(!api.auditAndWait(entry))
    for _ in 0..<2 { #expect(publish(.changed) == 200) }
    try takeLines()
    #expect(publish(.changed) == 200)
    #expect(
      try lines() == [
        "01 ci site.publish example.com", "02 ci site.publish example.com", "00 console:ada site.pin bad",
        "03 ci site.publish example.com",
      ])
    registry.stop()
  }

  @Test func anOrderOfAPersonIsNotRefusedForItsLine() throws {
    try refuseLines()
    let entry = AuditEntry(time: time.withLock { $0 }, actor: "console:ada", action: "site.pin", subject: "a")
    #expect(!api.auditAndWait(entry))
    try takeLines()
    #expect(publish(.changed) == 200)
    #expect(try lines() == ["00 console:ada site.pin a", "01 ci site.publish example.com"])
    registry.stop()
  }
}
