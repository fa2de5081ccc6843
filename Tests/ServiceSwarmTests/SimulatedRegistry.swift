import DeviceRegistry
import LinkspanCore
import RegistryDatabases

@testable import ServiceSwarm
@testable import SimulatedStores

/// A registry in a file of a virtual disk, which does what it is asked with `step()`.
enum SimulatedRegistry {
  static func use<Result>(_ body: (VirtualDisk, Registry) throws -> Result) throws -> Result {
    let disk = VirtualDisk(SeededGenerator(seed: 1))
    let mount = VirtualFileSystem.mount(disk)
    defer { VirtualFileSystem.unmount(mount) }
    NewRegistry.put(on: disk, at: mount + ServiceWorld.file)
    _ = disk.beginProcess()
    let place = SimulatedPlace(
      fileSystem: VirtualFileSystem.name, path: mount + ServiceWorld.file, random: { 1 })
    return try body(disk, Registry(stepping: .simulated(place)))
  }
}
