internal import LinkspanCore

/// Connections held for each peer, which is a ``ClientNetwork``.
///
/// One table for all loops, because connections of one peer come to all of them, and a limit divided among loops would
/// be a different limit for each number of cores. It is asked when a connection comes and when it goes, never for
/// a request, and is in parts with a lock each, so that loops seldom meet.
final class PeerCounts: Sendable {
  private let parts = (0..<16).map { _ in LockedState<[ClientNetwork: Int]>([:]) }

  /// Counts one more, unless the peer has `limit` already.
  func add(_ address: SocketAddress, limit: Int) -> Bool {
    let peer = ClientNetwork(address)
    return part(of: peer).withLock { counts in
      let count = counts[peer, default: 0]
      guard count < limit else { return false }
      counts[peer] = count + 1
      return true
    }
  }

  func remove(_ address: SocketAddress) {
    let peer = ClientNetwork(address)
    part(of: peer).withLock { counts in
      guard let count = counts[peer] else { return }
      counts[peer] = count > 1 ? count - 1 : nil
    }
  }

  /// Peers that hold at least one connection.
  var count: Int { parts.reduce(0) { $0 + $1.withLock { $0.count } } }

  private func part(of peer: ClientNetwork) -> LockedState<[ClientNetwork: Int]> {
    parts[Int(truncatingIfNeeded: peer.bits) & 15]
  }
}
