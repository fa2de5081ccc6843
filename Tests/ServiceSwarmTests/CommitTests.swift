import DeviceRegistry
import LinkspanCore
import RegistryDatabases
import RegistryRequests
import Testing

@testable import ServiceSwarm
@testable import SimulatedStores

/// What is said of a change that the disk refuses.
@Suite struct CommitTests {
  /// The kind of error of a change on a disk with faults.
  private static func kind(_ faults: VirtualDisk.Faults) throws -> RegistryError.Kind? {
    try SimulatedRegistry.use { disk, registry in
      disk.faults = faults
      defer { disk.faults = .init() }
      do throws(RegistryError) {
        try registry.changeAndWait { store throws(RegistryError) in
          try store.renewLease(of: "a", for: .seconds(20), at: ServiceWorld.start)
        }
        return nil
      } catch {
        return error.kind
      }
    }
  }

  @Test func withoutFaultsAChangeIsStored() throws { #expect(try Self.kind(.init()) == nil) }

  /// The log holds all of it, and a process that starts finds it there.
  @Test func afterAFailedSyncNobodyKnows() throws { #expect(try Self.kind(.init(sync: 1)) == .uncertain) }

  @Test func withoutRoomNothingIsStored() throws {
    #expect(try Self.kind(.init(isFull: true)) == .unavailable)
  }
}
