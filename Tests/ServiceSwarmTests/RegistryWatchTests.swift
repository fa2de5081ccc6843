import DeviceRegistry
import LinkspanCore
import PushSending
import RegistryDatabases
import RegistryRequests
import Testing

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
      #expect(watch.isNews(full))
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
