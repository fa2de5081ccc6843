/// An IP address and a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes, in network order.
  package let octets: [UInt8]
  package let port: UInt16
  /// The interface of a link-local IPv6 address; 0 for none.
  package let scope: UInt32

  /// From the text of an address, `127.0.0.1` or `::1`; nil when it is none.
  package init?(_ address: String, port: UInt16) {
    guard let octets = Self.octets(address) else { return nil }
    self.octets = octets
    self.port = port
    scope = 0
  }

  package static func loopback(port: UInt16 = 0) -> SocketAddress {
    SocketAddress(octets: [127, 0, 0, 1], port: port, scope: 0)
  }

  /// - Parameter octets: 4 or 16 bytes, in network order.
  package init(octets: [UInt8], port: UInt16, scope: UInt32 = 0) {
    precondition(octets.count == 4 || octets.count == 16, "an address has 4 or 16 bytes")
    self.octets = octets
    self.port = port
    self.scope = scope
  }

  package var isIPv6: Bool { octets.count == 16 }

  /// The IPv4 address that an IPv4-mapped IPv6 address stands for (RFC 4291, 2.5.5.2), as a socket for both shows IPv4
  /// peers; any other address is itself.
  package var unmapped: SocketAddress {
    let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    guard isIPv6, octets.starts(with: prefix) else { return self }
    return SocketAddress(octets: Array(octets[12...]), port: port, scope: 0)
  }

  /// The address without its port: `127.0.0.1` or `::1`.
  package var host: String {
    isIPv6 ? Self.text(ofIPv6: octets) : octets.map { String($0) }.joined(separator: ".")
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
