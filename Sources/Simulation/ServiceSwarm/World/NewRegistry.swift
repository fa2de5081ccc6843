internal import DeviceRegistry
internal import LinkspanCore
internal import RegistryDatabases
internal import RegistryRequests
internal import SimulatedStores

/// The file of a registry that has just been made. Each story begins with it, since making one takes longer than a short story.
enum NewRegistry {
  /// Made once in a process; the same in all of them.
  private static let bytes: [UInt8] = make()
  private static let image: VirtualPostgres.Image = makeImage()

  static func put(on disk: VirtualDisk, at path: String) {
    disk.file(path, makes: true)?.bytes = bytes
  }

  /// A database server with a registry that has just been made. Its clock goes ahead of the servers' and is never set.
  static func server(_ generator: SeededGenerator, _ time: SimulatedTime) -> VirtualPostgres {
    VirtualPostgres(image, generator) {
      ServiceWorld.start.advanced(by: .milliseconds(time.uptimeMilliseconds + clockLead))
    }
  }

  /// Ours.
  private static let clockLead: Int64 = 1_500

  private static func makeImage() -> VirtualPostgres.Image {
    let server = VirtualPostgres(nil, SeededGenerator(seed: 0)) { ServiceWorld.start }
    do throws(RegistryError) {
      _ = try Registry(stepping: server.address { _ in })
    } catch {
      preconditionFailure("a registry can be made on a server without faults: \(error.message)")
    }
    return server.image
  }

  private static func make() -> [UInt8] {
    let disk = VirtualDisk(SeededGenerator(seed: 0))
    let mount = VirtualFileSystem.mount(disk)
    defer { VirtualFileSystem.unmount(mount) }
    let time = SimulatedTime(ServiceWorld.start, SeededGenerator(seed: 0))
    let path = mount + ServiceWorld.file
    _ = disk.beginProcess()
    let place = SimulatedPlace(
      fileSystem: VirtualFileSystem.name, path: path, random: { time.random() })
    do throws(RegistryError) {
      // Closing it copies the log into the file.
      _ = try Registry(stepping: .simulated(place))
    } catch {
      preconditionFailure("a registry can be made on a disk without faults: \(error.message)")
    }
    return disk.files[path]?.bytes ?? []
  }
}
