internal import LinkspanCore

/// A network of IP addresses in CIDR notation (RFC 4632, 3.1), such as `10.0.0.0/8`.
struct AddressRange: Hashable, Sendable {
  private let octets: [UInt8]
  private let bits: Int

  /// - Parameter text: `10.0.0.0/8`, `2001:db8::/32`, or one address.
  /// - Throws: What is wrong with it, with an example.
  init(_ text: String) throws(DaemonError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = SocketAddress(String(parts[0]), port: 0) else { throw Self.wrong(text) }
    octets = Self.plain(address.octets)
    guard parts.count == 2 else {
      bits = octets.count * 8
      return
    }
    let offset = address.octets.count == octets.count ? 0 : 96
    guard let bits = Int(parts[1]), (offset...(octets.count * 8 + offset)).contains(bits) else {
      throw Self.wrong(text)
    }
    self.bits = bits - offset
  }

  func contains(_ address: SocketAddress) -> Bool {
    let other = Self.plain(address.octets)
    guard other.count == octets.count else { return false }
    return (0..<bits).allSatisfy { (other[$0 / 8] ^ octets[$0 / 8]) & (0x80 >> UInt8($0 % 8)) == 0 }
  }

  /// ::ffff:a.b.c.d is a.b.c.d on a socket that takes both (RFC 4291, 2.5.5.2).
  private static func plain(_ octets: [UInt8]) -> [UInt8] {
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    return octets.count == 16 && octets.starts(with: mapped) ? Array(octets[12...]) : octets
  }

  private static func wrong(_ text: String) -> DaemonError {
    DaemonError(
      "is no network of IP addresses", at: text,
      help: "Write one such as 10.0.0.0/8, 2001:db8::/32 or 127.0.0.1.")
  }
}
