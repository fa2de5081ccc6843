package import Glibc

/// Addresses of 127.0.0.0/24.
package enum LoopbackAddress {
  /// - Parameter number: Which address of 127.0.0.0/24, from 1.
  package static func make(number: UInt8 = 1, port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | UInt32(number)).bigEndian
    return address
  }

  package static func with(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> CInt)
    -> CInt
  {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}
