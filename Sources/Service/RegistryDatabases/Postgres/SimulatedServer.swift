package import RegistryRequests

/// A database server of a simulation, which stands for PostgreSQL.
package struct SimulatedServer: Sendable {
  /// Opens a connection to it.
  package var connect: @Sendable () -> Result<any SQLDatabase, RegistryError>
  /// Lets time pass until a lost connection is tried again.
  package var pause: @Sendable (Duration) -> Void

  package init(
    connect: @escaping @Sendable () -> Result<any SQLDatabase, RegistryError>,
    pause: @escaping @Sendable (Duration) -> Void
  ) {
    self.connect = connect
    self.pause = pause
  }
}
