/// The order in which a change locks rows, so that two servers on PostgreSQL never wait for each other in a circle: devices by
/// their keys; then former aliases; then the deliveries that it is going to change, by their numbers; then counts and
/// messages. A claim waits for none of them.
extension RegistryStore {
  /// Locks deliveries before the first of them is changed.
  ///
  /// - Parameters:
  ///   - condition: With the columns of `rows` as arrays, `$1` and so on.
  ///   - rows: Values of one length.
  func hold(_ condition: String, _ rows: [[SQLValue]]) throws(RegistryError) {
    guard database.dialect.isRemote, !rows.isEmpty else { return }
    try database.run(
      "SELECT id FROM deliveries WHERE \(condition) ORDER BY id FOR UPDATE", Self.arrays(rows))
  }
}
