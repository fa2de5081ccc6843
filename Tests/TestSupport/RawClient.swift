import Foundation

/// A socket of our own: curl has no way to hold one, or to stop in the middle.
package final class RawClient: @unchecked Sendable {
  private let descriptor: Int32

  /// - Throws: When nobody listens there.
  package init(port: some BinaryInteger) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let outcome = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard outcome == 0 else { throw Refused() }
    // An answer that never comes ends the test instead of holding it up.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  package struct Refused: Error {}

  @discardableResult
  package func send(_ text: String) -> Bool {
    Foundation.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) == text.utf8.count
  }

  /// One answer, by its Content-Length; what came until the end when it is cut short.
  package func answer() -> (head: String, body: String) {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let text = String(decoding: bytes, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let head = String(text[..<end.lowerBound])
        let body = String(text[end.upperBound...])
        let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.output.1) } ?? 0
        if body.utf8.count >= length { return (head, body) }
      }
      let count = recv(descriptor, &piece, piece.count, 0)
      guard count > 0 else { return (text, "") }
      bytes += piece.prefix(count)
    }
  }
}
