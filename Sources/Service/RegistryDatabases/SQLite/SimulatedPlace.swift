/// A registry's file on the disk of a simulation, which SQLite reaches through a file system of that name.
package struct SimulatedPlace: Sendable {
  /// The name under which the file system is registered with SQLite.
  package var fileSystem: String
  /// The first part names the disk among those of this process.
  package var path: String
  /// What stands for the database's own random numbers, so that a run can be repeated.
  package var random: @Sendable () -> UInt64

  package init(fileSystem: String, path: String, random: @escaping @Sendable () -> UInt64) {
    self.fileSystem = fileSystem
    self.path = path
    self.random = random
  }

  /// The path on its disk, for errors: how many simulations a process has is no part of any of them.
  package var name: String { String(path.drop { $0 == "/" }.drop { $0 != "/" }.dropFirst()) }
}
