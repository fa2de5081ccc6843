/// Address blocks that no host on the public network has.
///
/// - Source: IANA's special-purpose address registries for IPv4 and IPv6 (RFC 6890 and its updates).
extension SocketAddress {
  private static let reservedIPv4: [AddressBlock] = blocks([
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
    "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
  ])

  /// Inside 2000::/3: IETF protocols with Teredo, documentation, 6to4, documentation.
  private static let reservedIPv6 = blocks(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

  private static let globalIPv6 = blocks(["2000::/3"])
  private static let loopback = blocks(["127.0.0.0/8", "::1"])

  /// ::ffff:0:0/96 and 64:ff9b::/96 hold an IPv4 address (RFC 4291, 2.5.5.2; RFC 6052, 2.1).
  private static let embeddingIPv4: [[UInt8]] = [
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
  ]

  private static func blocks(_ texts: [String]) -> [AddressBlock] {
    texts.map { text in
      guard let block = AddressBlock(text) else { preconditionFailure("'\(text)' is no address block") }
      return block
    }
  }

  /// Whether the address is reachable from anywhere, as a host must be that Apple's CDN fetches from; false for
  /// private, loopback, link-local, multicast, documentation and other reserved addresses, and for IPv6 addresses
  /// that stand for such an IPv4 address.
  package var isPublic: Bool {
    let embeds = isIPv6 && Self.embeddingIPv4.contains { octets.starts(with: $0) }
    let plain = embeds ? Array(octets[12...]) : octets
    if plain.count == 4 { return !Self.lies(plain, in: Self.reservedIPv4) }
    return Self.lies(plain, in: Self.globalIPv6) && !Self.lies(plain, in: Self.reservedIPv6)
  }

  /// Whether only this machine can reach the address: 127.0.0.0/8 and ::1.
  package var isLoopback: Bool { Self.lies(octets, in: Self.loopback) }

  private static func lies(_ octets: [UInt8], in blocks: [AddressBlock]) -> Bool {
    blocks.contains { $0.contains(octets: octets) }
  }
}
