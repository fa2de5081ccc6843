/// Limits, deadlines (in nanoseconds) and numbers, worked out once for all connections of a loop.
final class ConnectionRules {
  let limits: ConnectionLimits
  let counters: LoopCounters
  let handshake: Int64
  let header: Int64
  let body: Int64
  let idle: Int64
  let write: Int64
  let close: Int64
  let lastRequest: Int64

  init(_ limits: ConnectionLimits, _ deadlines: ServerDeadlines, _ counters: LoopCounters = LoopCounters()) {
    self.limits = limits
    self.counters = counters
    handshake = deadlines.handshake.nanoseconds
    header = deadlines.header.nanoseconds
    body = deadlines.body.nanoseconds
    idle = deadlines.idle.nanoseconds
    write = deadlines.write.nanoseconds
    close = deadlines.close.nanoseconds
    lastRequest = deadlines.lastRequest.nanoseconds
  }
}
