internal import LinkspanCore

/// Connections held for each peer: an IPv4 address, or an IPv6 network of 64 bits, which is what one customer has.
///
/// One table for all loops, because connections of one peer come to all of them, and a limit divided among loops would
/// be a different limit for each number of cores. It is asked when a connection comes and when it goes, never for
/// a request, and is in parts with a lock each, so that loops seldom meet.
final class PeerCounts: Sendable {
  private struct Peer: Hashable, Sendable {
    var isIPv6 = false
    var network: UInt64 = 0
  }

  private let parts = (0..<16).map { _ in LockedState<[Peer: Int]>([:]) }

  /// Counts one more, unless the peer has `limit` already.
  func add(_ address: SocketAddress, limit: Int) -> Bool {
    let peer = Self.peer(address)
    return part(of: peer).withLock { counts in
      let count = counts[peer, default: 0]
      guard count < limit else { return false }
      counts[peer] = count + 1
      return true
    }
  }

  func remove(_ address: SocketAddress) {
    let peer = Self.peer(address)
    part(of: peer).withLock { counts in
      guard let count = counts[peer] else { return }
      counts[peer] = count > 1 ? count - 1 : nil
    }
  }

  /// Peers that hold at least one connection.
  var count: Int { parts.reduce(0) { $0 + $1.withLock { $0.count } } }

  private func part(of peer: Peer) -> LockedState<[Peer: Int]> {
    parts[Int(truncatingIfNeeded: peer.network) & 15]
  }

  private static func peer(_ address: SocketAddress) -> Peer {
    func number(_ octets: some Collection<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
    let address = address.unmapped
    let octets = address.octets
    guard address.isIPv6 else { return Peer(network: number(octets)) }
    return Peer(isIPv6: true, network: number(octets[..<8]))
  }
}
