/// A registry's file on the disk of a simulation, which SQLite reaches through a file system of that name.
package struct SimulatedPlace: Sendable {
  /// The name under which the file system is registered with SQLite.
  package var fileSystem: String
  package var path: String
  /// What stands for the database's own random numbers, so that a run can be repeated.
  package var random: @Sendable () -> UInt64

  package init(fileSystem: String, path: String, random: @escaping @Sendable () -> UInt64) {
    self.fileSystem = fileSystem
    self.path = path
    self.random = random
  }
}
