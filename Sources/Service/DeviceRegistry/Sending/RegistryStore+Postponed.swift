package import LinkspanCore
internal import RegistryDatabases
package import RegistryRequests

/// Deliveries whose next attempt was put off for a reason that has turned out to be another one.
extension RegistryStore {
  /// Has deliveries fall due now that wait for their next attempt; those that are being sent or have ended stay as they
  /// are.
  package func bringForward(_ deliveries: [Int64], to now: WallTime) throws(RegistryError) {
    guard !deliveries.isEmpty else { return }
    _ = try database.runEach(
      "UPDATE queue SET due_at = $1 WHERE delivery_id = $2 AND state = 'queued' AND due_at > $1",
      deliveries.sorted().map { [.int(now.milliseconds), .int($0)] })
  }
}
