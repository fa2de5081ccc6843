/// Address blocks that no host on the public network has.
///
/// - Source: IANA's special-purpose address registries for IPv4 and IPv6 (RFC 6890 and its updates).
extension SocketAddress {
  private static let reservedIPv4: [(network: [UInt8], bits: Int)] = [
    ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
  ]

  /// Inside 2000::/3: IETF protocols with Teredo, documentation, 6to4, documentation.
  private static let reservedIPv6: [(network: [UInt8], bits: Int)] = [
    ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
  ]

  /// Whether the address is reachable from anywhere, as a host must be that Apple's CDN fetches from; false for
  /// private, loopback, link-local, multicast, documentation and other reserved addresses, and for IPv6 addresses
  /// that stand for such an IPv4 address.
  package var isPublic: Bool {
    guard isIPv6 else { return !Self.reservedIPv4.contains { Self.lies(octets, in: $0) } }
    // ::ffff:0:0/96 and 64:ff9b::/96 hold an IPv4 address (RFC 4291, 2.5.5.2; RFC 6052, 2.1).
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
    if octets.starts(with: mapped) || octets.starts(with: translated) {
      let embedded = Array(octets[12...])
      return !Self.reservedIPv4.contains { Self.lies(embedded, in: $0) }
    }
    return Self.lies(octets, in: ([0x20], 3)) && !Self.reservedIPv6.contains { Self.lies(octets, in: $0) }
  }

  /// Whether only this machine can reach the address: 127.0.0.0/8 and ::1.
  package var isLoopback: Bool {
    isIPv6 ? octets == Array(repeating: 0, count: 15) + [1] : Self.lies(octets, in: ([127], 8))
  }

  private static func lies(_ octets: [UInt8], in block: (network: [UInt8], bits: Int)) -> Bool {
    (0..<block.bits).allSatisfy { bit in
      (octets[bit / 8] ^ block.network[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
    }
  }
}
