/// Connections held for each peer: an IPv4 address, or an IPv6 network of 64 bits, which is what one customer has.
struct PeerCounts {
  private var counts: [[UInt8]: Int] = [:]

  /// Counts one more, unless the peer has `limit` already.
  mutating func add(_ address: SocketAddress, limit: Int) -> Bool {
    let count = counts[Self.peer(address), default: 0]
    guard count < limit else { return false }
    counts[Self.peer(address)] = count + 1
    return true
  }

  mutating func remove(_ address: SocketAddress) {
    let peer = Self.peer(address)
    guard let count = counts[peer] else { return }
    counts[peer] = count > 1 ? count - 1 : nil
  }

  private static func peer(_ address: SocketAddress) -> [UInt8] {
    let octets = address.octets
    guard address.isIPv6 else { return octets }
    // ::ffff:a.b.c.d is the IPv4 address a.b.c.d on a socket that takes both.
    if octets[..<10].allSatisfy({ $0 == 0 }), octets[10] == 0xFF, octets[11] == 0xFF {
      return Array(octets[12...])
    }
    return Array(octets[..<8])
  }
}
