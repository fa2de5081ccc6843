import Foundation
import LinkspanCore
import TestSupport

/// Stands between clients and a PostgreSQL server, each on a socket in a folder, and goes down when it is told to.
final class PostgresProxy: Sendable {
  private static let name = "/.s.PGSQL.5432"
  /// What a server sends that goes down at once: a notice, without the end of a session that an error is.
  private static let notice: [UInt8] = {
    let fields = Array("SWARNING\0C57P02\0Mgoing down\0\0".utf8)
    return [UInt8(ascii: "N"), 0, 0, 0, UInt8(fields.count + 4)] + fields
  }()

  private let scratch: ScratchFolder
  private let listener: Int32
  /// The sockets of each client and of its connection to the server. They are closed with the proxy.
  private let pairs = LockedState<[(client: Int32, server: Int32)]>([])

  /// Where its socket is.
  var folder: String { scratch.url.path }

  init(to folder: String) throws {
    scratch = try ScratchFolder(inMemory: true)
    let (listener, pairs) = (socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), pairs)
    self.listener = listener
    let path = scratch.url.path + Self.name
    guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      throw POSIXError(.EADDRNOTAVAIL)
    }
    Thread.detachNewThread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.withAddress(folder + Self.name, { connect(server, $0, $1) }) == 0 else { return }
        pairs.withLock { $0.append((client, server)) }
        for (from, to) in [(client, server), (server, client)] {
          Thread.detachNewThread { Self.copy(from, to) }
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    goDown()
  }

  /// Ends every connection; new ones are taken.
  func goDown() {
    let pairs = pairs.withLock { pairs in
      defer { pairs = [] }
      return pairs
    }
    for (client, server) in pairs {
      _ = Self.notice.withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      for end in [client, server] { shutdown(end, Int32(SHUT_RDWR)) }
    }
  }

  private static func copy(_ from: Int32, _ to: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { break }
      var start = 0
      while start < count {
        let written = buffer[start..<count].withUnsafeBytes {
          send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard written > 0 else { return }
        start += written
      }
    }
    shutdown(to, Int32(SHUT_RDWR))
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
