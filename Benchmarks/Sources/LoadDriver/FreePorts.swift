import Glibc

/// Ports of 127.0.0.1 that nobody listens on, for servers that cannot tell which one they took.
enum FreePorts {
  static func show(_ count: Int) throws(LoadError) {
    var ports: [String] = []
    // All are held until the last one is found, or one could come twice.
    for _ in 0..<count {
      let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      guard descriptor >= 0 else { throw .system("socket") }
      var address = LoopbackAddress.make(port: 0)
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let outcome = LoopbackAddress.with(&address) {
        bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
      }
      guard outcome == 0 else { throw .system("bind") }
      ports.append(String(UInt16(bigEndian: address.sin_port)))
    }
    print(ports.joined(separator: " "))
  }
}

enum LoopbackAddress {
  /// - Parameter number: Which address of 127.0.0.0/24, from 1.
  static func make(number: UInt8 = 1, port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | UInt32(number)).bigEndian
    return address
  }

  static func with(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> CInt) -> CInt {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
  }
}
