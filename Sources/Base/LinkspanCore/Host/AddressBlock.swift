/// A block of IP addresses that share their first bits (RFC 4632, 3.1), such as `10.0.0.0/8`.
package struct AddressBlock: Hashable, Sendable {
  /// 4 or 16 bytes, in network order; bits beyond `bits` count for nothing.
  private let network: [UInt8]
  private let bits: Int

  /// - Parameters:
  ///   - network: 4 or 16 bytes, in network order.
  ///   - bits: How many bits the addresses share, from 0 to 8 for each byte.
  package init(network: [UInt8], bits: Int) {
    precondition(network.count == 4 || network.count == 16, "a network has 4 or 16 bytes")
    precondition((0...network.count * 8).contains(bits), "a prefix has at most the address's bits")
    self.network = network
    self.bits = bits
  }

  /// From CIDR notation, or one address; nil if the text is neither. An IPv4-mapped IPv6 network is the IPv4 network.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = SocketAddress(String(parts[0]), port: 0) else { return nil }
    let plain = address.unmapped.octets
    guard parts.count == 2 else {
      self.init(network: plain, bits: plain.count * 8)
      return
    }
    let offset = (address.octets.count - plain.count) * 8
    guard ASCII.isDigit(parts[1].utf8.first ?? 0), let bits = Int(parts[1]) else { return nil }
    guard (offset...(plain.count * 8 + offset)).contains(bits) else { return nil }
    self.init(network: plain, bits: bits - offset)
  }

  /// An IPv4-mapped IPv6 address counts as its IPv4 address.
  package func contains(_ address: SocketAddress) -> Bool { contains(octets: address.unmapped.octets) }

  /// - Parameter octets: An address of 4 or 16 bytes, compared as it is.
  package func contains(octets: [UInt8]) -> Bool {
    guard octets.count == network.count else { return false }
    let whole = bits / 8
    guard octets[..<whole] == network[..<whole] else { return false }
    guard bits % 8 > 0 else { return true }
    let mask: UInt8 = ~(0xFF >> UInt8(bits % 8))
    return octets[whole] & mask == network[whole] & mask
  }
}
