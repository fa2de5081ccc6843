import Foundation
import LinkspanCore
import Synchronization

@testable import HTTPEngine
@testable import HTTPTransport

/// A throwaway certificate and the file in which its own authority is told to the tool.
struct LocalCertificate {
  let certificate: ThrowawayCertificate
  init(certificatePEM: [UInt8], keyPEM: [UInt8]) {
    certificate = ThrowawayCertificate(certificatePEM: certificatePEM, keyPEM: keyPEM)
  }

  /// An hour of life around now; an expired one ended a day ago.
  init(_ names: [String] = ["example.com"], isExpired: Bool = false) throws {
    let now = Int64(Date().timeIntervalSince1970)
    certificate = try ThrowawayCertificate.make(
      for: names, from: isExpired ? now - 200_000 : now - 3_600)
  }

  var credentials: TLSCredentials { get throws { try TLSCredentials([TLSIdentity(certificate)]) } }

  func writeAuthority(to tool: Tool) throws {
    try tool.write(String(decoding: certificate.certificatePEM, as: UTF8.self), to: "ca.pem")
  }
}

/// Our own server on a free port of this machine, on a thread of its own, which keeps what it was asked.
final class LocalServer: Sendable {
  private let server: HTTPServer
  private let ended = DispatchSemaphore(value: 0)
  private let log: Log

  private final class Log: Sendable {
    let requests = LockedState<[HTTPRequest]>([])
  }

  var port: UInt16 { server.addresses[0].port }
  var requests: [HTTPRequest] { log.requests.withLock { $0 } }

  init(_ certificate: LocalCertificate?, _ handler: @escaping HTTPHandler) throws {
    let log = Log()
    self.log = log
    var configuration = HTTPServerConfiguration(
      listeners: [.init(credentials: try certificate?.credentials)])
    configuration.deadlines.stop = .milliseconds(100)
    let server = try HTTPServer(configuration) { request in
      log.requests.withLock { $0.append(request) }
      return handler(request)
    }
    self.server = server
    Thread { [ended] in
      do { try server.run() } catch { print("a local server ended: \(error)") }
      ended.signal()
    }.start()
  }

  deinit {
    server.stop()
    ended.wait()
  }
}

/// A server that sends whatever bytes it is told to, over TLS, and does not close before the client does.
final class RawServer: Sendable {
  enum Manner: Sendable {
    /// Takes connections and says nothing, not even TLS.
    case silent
    /// Answers a request with these bytes.
    case sends(String)
    /// Answers with these bytes, one by one, and never ends.
    case trickles(String)
  }

  let port: UInt16
  private let descriptor: Int32
  private let ended = DispatchSemaphore(value: 0)
  private let count = Counter()

  private final class Counter: Sendable {
    let accepted = Atomic(0)
  }

  /// Connections that arrived.
  var accepted: Int { count.accepted.load(ordering: .sequentiallyConsistent) }

  init(_ manner: Manner, _ certificate: LocalCertificate) throws {
    // Its bytes are HTTP/1.1 at best, so it offers nothing else.
    let credentials = try TLSCredentials(
      [TLSIdentity(certificate.certificate)], applicationProtocols: ["http/1.1"])
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let bound = SocketAddress.loopback().withSocketAddress { bind(descriptor, $0, $1) }
    guard bound == 0, listen(descriptor, 16) == 0, let address = SocketAddress.local(of: descriptor) else {
      throw HTTPServerError("no socket: \(String(cString: strerror(errno)))")
    }
    self.descriptor = descriptor
    port = address.port
    Thread { [ended, count] in
      while true {
        let accepted = accept(descriptor, nil, nil)
        guard accepted >= 0 else { break }
        count.accepted.add(1, ordering: .sequentiallyConsistent)
        do { try Self.serve(accepted, manner, credentials) } catch { print("a raw server: \(error)") }
      }
      ended.signal()
    }.start()
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    ended.wait()
    close(descriptor)
  }

  private static func serve(_ accepted: Int32, _ manner: Manner, _ credentials: TLSCredentials) throws {
    _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
    let socket = Socket(accepted)
    if case .silent = manner { return waitForTheEnd(of: socket) }
    let transport = try TLSTransport(server: socket, credentials, readAhead: ReadAhead())
    defer { transport.close(reset: true) }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    /// Whether bytes came; false when the client has gone.
    func read() -> Bool {
      while true {
        switch buffer.withUnsafeMutableBytes({ transport.read(into: $0) }) {
        case .bytes: return true
        case .wouldBlock: wait(accepted, 20_000)
        case .end, .failed: return false
        }
      }
    }
    handshake: while true {
      switch transport.handshake() {
      case .done: break handshake
      case .wouldBlock: wait(accepted, 20_000)
      case .failed: return
      }
    }
    guard read() else { return }
    func write(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      if case .bytes(bytes.count) = bytes.withUnsafeBufferPointer({ transport.write($0) }) { return true }
      return false
    }
    switch manner {
    case .silent: break
    case .sends(let text):
      _ = write(text)
      while read() {}
    case .trickles(let text):
      for character in text + String(repeating: " ", count: 10_000) {
        guard write(String(character)) else { return }
        // Until the client closes, or for the next byte.
        if wait(accepted, 20) > 0, !read() { return }
      }
    }
  }

  private static func waitForTheEnd(of socket: Socket) {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes: continue
      case .wouldBlock: wait(socket.descriptor, 20_000)
      case .end, .failed: return
      }
    }
  }

  @discardableResult
  private static func wait(_ descriptor: Int32, _ patience_ms: Int32) -> Int32 {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, patience_ms)
  }
}
