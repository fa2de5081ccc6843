/// Which addresses count as one client: one IPv4 address, or one IPv6 network of 64 bits.
///
/// - Source: RFC 6177, 2: an end site gets at least one /64, and chooses the other 64 bits of its addresses itself.
package struct ClientNetwork: Hashable, Sendable {
  private let isIPv6: Bool
  /// The 32 bits of an IPv4 address, or the first 64 of an IPv6 one.
  package let bits: UInt64

  /// An IPv4-mapped IPv6 address counts as its IPv4 address.
  package init(_ address: SocketAddress) {
    let address = address.unmapped
    isIPv6 = address.isIPv6
    bits = address.octets.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The network in bytes, in network order: 4 or 8, so that no two networks share them.
  package var octets: [UInt8] {
    stride(from: isIPv6 ? 56 : 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt64($0)) }
  }
}
