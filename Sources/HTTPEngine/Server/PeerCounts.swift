internal import Glibc

/// Connections held for each peer: an IPv4 address, or an IPv6 network of 64 bits, which is what one customer has.
///
/// One table for all loops, because connections of one peer come to all of them, and a limit divided among loops would
/// be a different limit for each number of cores. It is asked when a connection comes and when it goes, never for
/// a request, and is in parts with a lock each, so that loops seldom meet.
final class PeerCounts: Sendable {
  /// Counts behind a lock of pthreads and not a `Mutex`, whose waiting the thread sanitizer cannot see: it reports a race
  /// for every dictionary in one (Swift 6.3 on Linux), and none could be told from a real one.
  ///
  /// `@unchecked Sendable`: the dictionary is touched only between locking and unlocking.
  private final class Part: @unchecked Sendable {
    private var counts: [Peer: Int] = [:]
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() {
      let code = pthread_mutex_init(lock, nil)
      precondition(code == 0, "a plain lock can always be made")
    }

    deinit {
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    func withCounts<Result>(_ body: (inout [Peer: Int]) -> Result) -> Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return body(&counts)
    }
  }

  private struct Peer: Hashable, Sendable {
    var isIPv6 = false
    var network: UInt64 = 0
  }

  private let parts = (0..<16).map { _ in Part() }

  /// Counts one more, unless the peer has `limit` already.
  func add(_ address: SocketAddress, limit: Int) -> Bool {
    let peer = Self.peer(address)
    return part(of: peer).withCounts { counts in
      let count = counts[peer, default: 0]
      guard count < limit else { return false }
      counts[peer] = count + 1
      return true
    }
  }

  func remove(_ address: SocketAddress) {
    let peer = Self.peer(address)
    part(of: peer).withCounts { counts in
      guard let count = counts[peer] else { return }
      counts[peer] = count > 1 ? count - 1 : nil
    }
  }

  /// Peers that hold at least one connection.
  var count: Int { parts.reduce(0) { $0 + $1.withCounts { $0.count } } }

  private func part(of peer: Peer) -> Part { parts[Int(truncatingIfNeeded: peer.network) & 15] }

  private static func peer(_ address: SocketAddress) -> Peer {
    func number(_ octets: some Collection<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
    let octets = address.octets
    guard address.isIPv6 else { return Peer(network: number(octets)) }
    // ::ffff:a.b.c.d is the IPv4 address a.b.c.d on a socket that takes both.
    if octets[..<10].allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF {
      return Peer(network: number(octets[12...]))
    }
    return Peer(isIPv6: true, network: number(octets[..<8]))
  }
}
