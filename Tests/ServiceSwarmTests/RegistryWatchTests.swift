import DeviceRegistry
import Foundation
import LinkspanCore
import RegistryDatabases
import RegistryRequests
import TestSupport
import Testing

@testable import PushSending
@testable import ServiceSwarm
@testable import SimulatedStores

/// When `/readyz` and the metrics say that the registry's store takes no changes.
@Suite struct RegistryWatchTests {
  private static func error(isLocked: Bool) -> RegistryError {
    RegistryError(.unavailable, "canceling statement due to lock timeout", isLocked: isLocked)
  }

  /// Has it judged by a watch whose registry does what it is asked with `step()`, and whose first look is done.
  private static func watch(_ judge: (RegistryWatch) -> Void) throws {
    try SimulatedRegistry.use { _, registry in
      let watch = RegistryWatch(registry, now: { ServiceWorld.start }) { _ in }
      watch.look()
      #expect(registry.step())
      watch.look()
      #expect(!registry.step(), "while it works it is asked now and then only")
      judge(watch)
    }
  }

  /// Senders that wait for maintenance of their table page as LinkspanPushStoreFailing; registrations are stored meanwhile.
  @Test func aLockOnOneTableIsNotAStoreThatTakesNoChanges() throws {
    try Self.watch { watch in
      watch.note(Self.error(isLocked: true))
      #expect(watch.problem == nil)
      // It may be a lock on all tables, which is found out at once.
      watch.look()
      #expect(watch.registry.step())
      #expect(watch.problem == nil)
    }
  }

  /// Senders try again every second, and the log may be on the disk that is full.
  @Test func theSameErrorIsNewsOnceAMinute() throws {
    try SimulatedRegistry.use { _, registry in
      let clock = LockedState(ServiceWorld.start)
      let watch = RegistryWatch(registry, now: { clock.withLock { $0 } }) { _ in }
      let (full, lost) = (RegistryError(.unavailable, "full"), RegistryError(.unavailable, "lost"))
      func passes(_ seconds: Int64) { clock.withLock { $0 = $0.advanced(by: .seconds(seconds)) } }
      #expect(watch.isNews(full))
      passes(59)
      #expect(!watch.isNews(full))
      #expect(watch.isNews(lost))
      // While PostgreSQL is away, several errors come in turn.
      #expect(!watch.isNews(full))
      #expect(!watch.isNews(lost))
      passes(60)
      #expect(watch.isNews(full))
      passes(-30)
      #expect(watch.isNews(full))
    }
  }

  /// Else the log would end with the word that the store is back, while it is not.
  @Test func aStoreThatWasBackIsLostAnew() throws {
    try SimulatedRegistry.use { _, registry in
      let back = LockedState(0)
      let watch = RegistryWatch(registry, now: { ServiceWorld.start }) { _ in back.withLock { $0 += 1 } }
      let lost = RegistryError(.unavailable, "lost", isDisconnected: true)
      for outage in 1...2 {
        watch.note(lost)
        #expect(watch.isNews(lost))
        #expect(!watch.isNews(lost))
        watch.look()
        #expect(registry.step())
        #expect(back.withLock { $0 } == outage)
      }
    }
  }

  /// As after a full disk, which loses no connection; who reads the log learns that it is over.
  @Test func theLogSaysThatTheStoreTakesChangesAgain() throws {
    try SimulatedRegistry.use { _, registry in
      let (clock, back) = (LockedState(ServiceWorld.start), LockedState<[String]>([]))
      let watch = RegistryWatch(registry, now: { clock.withLock { $0 } }) { text in
        back.withLock { $0.append(text) }
      }
      let full = RegistryError(.unavailable, "full")
      func fails() -> Bool {
        watch.note(full)
        let isNews = watch.isNews(full)
        watch.look()
        #expect(registry.step())
        return isNews
      }
      #expect(fails())
      #expect(back.withLock { $0 } == ["the registry's store takes changes again"])
      // What the log has not said has no end there.
      #expect(!fails())
      #expect(back.withLock { $0.count } == 1)
      clock.withLock { $0 = $0.advanced(by: .seconds(60)) }
      #expect(fails())
      #expect(back.withLock { $0.count } == 2)
    }
  }

  /// A right that is missing on one table: the look, which writes into another one, tells nothing about that.
  @Test func whatFailsInAPartOfTheStoreLastsAMinute() throws {
    try SimulatedRegistry.use { _, registry in
      let (clock, back) = (LockedState(ServiceWorld.start), LockedState<[String]>([]))
      let watch = RegistryWatch(registry, now: { clock.withLock { $0 } }) { text in
        back.withLock { $0.append(text) }
      }
      let right = PostgresAnswer.error(state: "42501", reason: "permission denied for table queue")
      func look(after seconds: Int) {
        clock.withLock { $0 = $0.advanced(by: .seconds(seconds)) }
        watch.look()
        #expect(registry.step())
      }
      for _ in 0..<3 {
        watch.note(right)
        look(after: 20)
        #expect(watch.problem == right.message)
      }
      #expect(watch.isNews(right))
      look(after: 20)
      #expect(watch.problem == right.message)
      look(after: 20)
      #expect(watch.problem == nil)
      look(after: 20)
      #expect(back.withLock { $0 } == ["no change of the registry has failed for a minute"])
    }
  }

  /// As with a PostgreSQL that was stopped, or a disk that hangs.
  @Test func aStoreThatDoesNotAnswerIsInTheLog() throws {
    try SimulatedRegistry.use { _, registry in
      let (clock, told) = (LockedState(ServiceWorld.start), LockedState<[String]>([]))
      let watch = RegistryWatch(
        registry, now: { clock.withLock { $0 } },
        fail: { error in told.withLock { $0.append(error.message) } },
        report: { text in told.withLock { $0.append(text) } })
      for _ in 0..<70 {
        watch.look()
        clock.withLock { $0 = $0.advanced(by: .seconds(1)) }
      }
      let silent = "The registry's store does not answer."
      #expect(watch.problem == silent)
      #expect(told.withLock { $0 } == [silent, silent])
      #expect(registry.step())
      #expect(watch.problem == nil)
      #expect(told.withLock { $0 } == [silent, silent, "the registry's store takes changes again"])
    }
  }

  /// Nobody may ask for anything for hours.
  @Test func aDiskWithoutRoomIsToldOnce() throws {
    try SimulatedRegistry.use { _, registry in
      let (told, back) = (LockedState<[String]>([]), LockedState<[String]>([]))
      let watch = RegistryWatch(
        registry, now: { ServiceWorld.start }, fail: { error in told.withLock { $0.append(error.message) } },
        report: { text in back.withLock { $0.append(text) } })
      for bytes in [100, 50, 0] {
        watch.noteSuccess(but: RegistryError(.unavailable, "\(bytes) bytes are left."))
        #expect(watch.problem == "\(bytes) bytes are left.")
      }
      #expect(told.withLock { $0 } == ["100 bytes are left."])
      watch.noteSuccess(but: nil)
      watch.noteSuccess(but: nil)
      #expect(watch.problem == nil)
      #expect(back.withLock { $0 } == ["the registry's store takes changes again"])
    }
  }

  /// SQLite goes on with the file that it has open, and everything in it is gone with the process.
  @Test func aFileThatIsGoneIsAProblemUntilItIsBack() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let (clock, told) = (LockedState(ServiceWorld.start), LockedState<[String]>([]))
    let watch = RegistryWatch(
      registry, now: { clock.withLock { $0 } }, fail: { error in told.withLock { $0.append(error.message) } },
      report: { text in told.withLock { $0.append(text) } })
    func look() throws {
      clock.withLock { $0 = $0.advanced(by: .seconds(60)) }
      watch.look()
      // The thread that makes changes answers in their order.
      try registry.changeAndWait { _ in }
    }
    try look()
    #expect(watch.problem == nil)
    let files = FileManager.default
    try files.moveItem(atPath: folder.path("registry.db"), toPath: folder.path("aside.db"))
    try look()
    try look()
    let problem =
      "The registry's file '\(folder.path("registry.db"))' was removed or replaced while this server uses it: what it stores"
      + " is lost when it ends."
    #expect(watch.problem == problem)
    try folder.write("", to: "registry.db")
    try look()
    #expect(watch.problem == problem)
    try files.removeItem(atPath: folder.path("registry.db"))
    try files.moveItem(atPath: folder.path("aside.db"), toPath: folder.path("registry.db"))
    try look()
    #expect(watch.problem == nil)
    #expect(told.withLock { $0 } == [problem, "the registry's store takes changes again"])
  }

  @Test func whatElseFailsIsAProblemUntilTheNextLook() throws {
    try Self.watch { watch in
      watch.note(Self.error(isLocked: false))
      #expect(watch.problem == "canceling statement due to lock timeout")
      watch.look()
      #expect(watch.registry.step())
      #expect(watch.problem == nil)
    }
  }
}
