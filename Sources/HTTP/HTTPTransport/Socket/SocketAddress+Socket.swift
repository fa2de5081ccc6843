package import CLinkspanPlatform
package import Glibc
package import LinkspanCore

/// An address as system calls take it.
extension SocketAddress {
  /// nil for a family other than IPv4 and IPv6.
  package init?(_ storage: sockaddr_storage) {
    var storage = storage
    switch CInt(storage.ss_family) {
    case AF_INET:
      let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
      self.init(
        octets: withUnsafeBytes(of: address.sin_addr) { Array($0) }, port: UInt16(bigEndian: address.sin_port)
      )
    case AF_INET6:
      let address = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
      self.init(
        octets: withUnsafeBytes(of: address.sin6_addr) { Array($0) },
        port: UInt16(bigEndian: address.sin6_port),
        scope: address.sin6_scope_id)
    default: return nil
    }
  }

  /// AF_INET or AF_INET6.
  package var family: CInt { isIPv6 ? AF_INET6 : AF_INET }

  /// Hands the address to a system call.
  package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
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
  package func beginConnecting() -> CInt? {
    let descriptor = linkspan_tcp_socket(family)
    guard descriptor >= 0 else { return nil }
    if withSocketAddress({ connect(descriptor, $0, $1) == 0 || errno == EINPROGRESS }) { return descriptor }
    close(descriptor)
    return nil
  }

  /// A socket that listens at the address; nil when the system refuses, and `errno` says why.
  package func beginListening(backlog: CInt) -> CInt? {
    let descriptor = linkspan_tcp_socket(family)
    guard descriptor >= 0 else { return nil }
    var on: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    if setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) == 0,
      withSocketAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0
    {
      return descriptor
    }
    let code = errno
    close(descriptor)
    errno = code
    return nil
  }

  /// The address a socket is bound to.
  package static func local(of descriptor: CInt) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) {
      getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &length)
    }
    return result == 0 ? SocketAddress(storage) : nil
  }
}
