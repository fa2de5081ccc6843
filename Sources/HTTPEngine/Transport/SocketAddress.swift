internal import CLinkspanPlatform
internal import Glibc
internal import LinkspanCore

/// An IP address and a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes, in network order.
  package let octets: [UInt8]
  package let port: UInt16
  /// The interface of a link-local IPv6 address; 0 for none.
  private let scope: UInt32

  /// From the text of an address, `127.0.0.1` or `::1`; nil when it is none.
  package init?(_ address: String, port: UInt16) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, address, &v4) == 1 {
      octets = withUnsafeBytes(of: v4) { Array($0) }
    } else if inet_pton(AF_INET6, address, &v6) == 1 {
      octets = withUnsafeBytes(of: v6) { Array($0) }
    } else {
      return nil
    }
    self.port = port
    scope = 0
  }

  package static func loopback(port: UInt16 = 0) -> SocketAddress {
    SocketAddress(octets: [127, 0, 0, 1], port: port, scope: 0)
  }

  private init(octets: [UInt8], port: UInt16, scope: UInt32) {
    self.octets = octets
    self.port = port
    self.scope = scope
  }

  init?(_ storage: sockaddr_storage) {
    var storage = storage
    switch CInt(storage.ss_family) {
    case AF_INET:
      let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
      octets = withUnsafeBytes(of: address.sin_addr) { Array($0) }
      port = UInt16(bigEndian: address.sin_port)
      scope = 0
    case AF_INET6:
      let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
      octets = withUnsafeBytes(of: address.sin6_addr) { Array($0) }
      port = UInt16(bigEndian: address.sin6_port)
      scope = address.sin6_scope_id
    default: return nil
    }
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
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = isIPv6 ? AF_INET6 : AF_INET
    guard octets.withUnsafeBytes({ inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }) != nil
    else { preconditionFailure("an address of 4 or 16 bytes has a text") }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  var family: CInt { isIPv6 ? AF_INET6 : AF_INET }

  /// Hands the address to a system call.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    func call(_ bytes: UnsafeRawBufferPointer) -> Result {
      body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_scope_id = scope
      withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: octets) }
      return withUnsafeBytes(of: address, call)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: octets) }
    return withUnsafeBytes(of: address, call)
  }

  /// A socket that connects to the address, or is about to; nil when the system refuses at once.
  func beginConnecting() -> CInt? {
    let descriptor = linkspan_tcp_socket(family)
    guard descriptor >= 0 else { return nil }
    if withSocketAddress({ connect(descriptor, $0, $1) == 0 || errno == EINPROGRESS }) { return descriptor }
    close(descriptor)
    return nil
  }

  /// The address a socket is bound to.
  static func local(of descriptor: CInt) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) {
      getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return result == 0 ? SocketAddress(storage) : nil
  }
}
