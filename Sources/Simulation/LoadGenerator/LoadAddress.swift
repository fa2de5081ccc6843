internal import Glibc

/// An address of IPv4 or IPv6.
package struct LoadAddress: Hashable, Sendable {
  /// Four of them, or sixteen; the first one is the highest.
  package let octets: [UInt8]

  /// 127.0.0.1.
  package static let loopback = LoadAddress(octets: [127, 0, 0, 1])

  private init(octets: [UInt8]) { self.octets = octets }

  package var isIPv6: Bool { octets.count == 16 }

  /// It is on this machine: 127.0.0.0/8, ::1, or the first written as the second (RFC 4291, 2.5.5.2).
  package var isLoopback: Bool {
    guard isIPv6 else { return octets[0] == 127 }
    if octets.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { return octets[12] == 127 }
    return octets.dropLast().allSatisfy { $0 == 0 } && octets[15] == 1
  }

  /// The addresses of a name, or the one that the text is; empty where there is none.
  package static func resolve(_ name: String) -> [LoadAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [LoadAddress] = []
    var entry = list
    while let place = entry {
      if let address = place.pointee.ai_addr, let made = LoadAddress(address), !found.contains(made) {
        found.append(made)
      }
      entry = place.pointee.ai_next
    }
    return found
  }

  private init?(_ address: UnsafeMutablePointer<sockaddr>) {
    switch CInt(address.pointee.sa_family) {
    case AF_INET:
      octets = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      octets = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
      }
    default: return nil
    }
  }

  /// Calls with the address in the system's form.
  func with(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: octets) }
      return Self.pass(&address, body)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: octets) }
    return Self.pass(&address, body)
  }

  private static func pass<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
