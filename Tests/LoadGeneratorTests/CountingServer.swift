import Foundation

/// A server that decides by the number of a connection what becomes of it; in a thread of its own, on a free port.
final class CountingServer: @unchecked Sendable {
  enum Treatment: Sendable {
    case answer
    case reset
    /// Nothing is answered for a second, this connection and those behind it included.
    case stall
  }

  let port: UInt16
  private let descriptor: Int32
  private let treatment: @Sendable (Int) -> Treatment
  private let ended = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - isIPv6: On ::1 in place of 127.0.0.1.
  ///   - treatment: By the number of the connection, from 0.
  init?(isIPv6: Bool = false, _ treatment: @escaping @Sendable (Int) -> Treatment) {
    self.treatment = treatment
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var storage = sockaddr_storage()
    var size = socklen_t(isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
    withUnsafeMutableBytes(of: &storage) { bytes in
      if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        bytes.storeBytes(of: address, as: sockaddr_in6.self)
      } else {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        bytes.storeBytes(of: address, as: sockaddr_in.self)
      }
    }
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, 4_096) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    // The port has the same place in both forms of address.
    port = withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    guard isBound else {
      close(descriptor)
      return nil
    }
    Thread.detachNewThread { [self] in serve() }
  }

  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    ended.wait()
    close(descriptor)
  }

  private static let answer = Array(
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{}"
      .utf8)

  private func serve() {
    var number = 0
    var memory = [UInt8](repeating: 0, count: 4_096)
    while true {
      let client = accept(descriptor, nil, nil)
      if client < 0 { break }
      let treatment = treatment(number)
      number += 1
      if treatment == .reset {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        close(client)
        continue
      }
      // A server that hangs: waits for news of nothing.
      if treatment == .stall { poll(nil, 0, 1_000) }
      _ = recv(client, &memory, memory.count, 0)
      _ = send(client, Self.answer, Self.answer.count, Int32(MSG_NOSIGNAL))
      shutdown(client, Int32(SHUT_WR))
      close(client)
    }
    ended.signal()
  }
}
