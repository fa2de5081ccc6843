/// Limits and deadlines of a connection, worked out once for all connections of a loop. Deadlines in nanoseconds.
final class ConnectionRules {
  let limits: ConnectionLimits
  let handshake: Int64
  let header: Int64
  let body: Int64
  let idle: Int64
  let write: Int64
  let close: Int64

  init(_ limits: ConnectionLimits, _ deadlines: ServerDeadlines) {
    self.limits = limits
    handshake = deadlines.handshake.nanoseconds
    header = deadlines.header.nanoseconds
    body = deadlines.body.nanoseconds
    idle = deadlines.idle.nanoseconds
    write = deadlines.write.nanoseconds
    close = deadlines.close.nanoseconds
  }
}
