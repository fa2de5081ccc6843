import Glibc
import LoadGenerator

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
