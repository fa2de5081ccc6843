import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Runs a server on a thread of its own while a test talks to it, and stops it at the end whatever happens.
func withServer<Result>(
  _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
  handler: @escaping HTTPHandler = Conversation.echo, _ body: (HTTPServer) throws -> Result
) throws -> Result {
  try running(HTTPServer(configuration, handler: handler), body)
}

/// The same with a responder.
func withServer<Result>(
  _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
  responder: @escaping HTTPResponder, _ body: (HTTPServer) throws -> Result
) throws -> Result {
  try running(HTTPServer(configuration, responder: responder), body)
}

func running<Result>(_ server: HTTPServer, _ body: (HTTPServer) throws -> Result) throws -> Result {
  let ended = DispatchSemaphore(value: 0)
  let thread = Thread {
    do { try server.run() } catch { Issue.record(error) }
    ended.signal()
  }
  thread.start()
  defer {
    server.stop()
    ended.wait()
  }
  return try body(server)
}

extension HTTPServer {
  var port: UInt16 { addresses[0].port }
}

/// A clock that stands still until it is moved.
final class ManualClock: Sendable {
  private let time = LockedState<Int64>(1_000_000_000)

  var clock: ServerClock {
    ServerClock(monotonic: { self.time.withLock { $0 } }, wall: { 784_111_777 })
  }

  func advance(_ duration: Duration) { time.withLock { $0 += duration.nanoseconds } }
}

/// A TCP connection that sends exactly what it is told to.
final class RawConnection {
  struct Failure: Error { var reason: String }

  let descriptor: Int32

  /// Takes a connection over that a listener accepted.
  init(accepted descriptor: Int32) {
    self.descriptor = descriptor
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  convenience init(port: UInt16) throws {
    self.init()
    try connect(port: port)
  }

  /// A socket that is not connected yet.
  init() {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // A server that fails to answer fails the test instead of holding it.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  func connect(port: UInt16) throws {
    let address = SocketAddress.loopback(port: port)
    guard address.withSocketAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      throw Failure(reason: String(cString: strerror(errno)))
    }
  }

  /// Has the socket send a reset when it is closed.
  func resetAtEnd() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
  }

  /// Whether something has come that was not read yet.
  var hasNews: Bool {
    var news = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&news, 1, 0) > 0
  }

  deinit { close(descriptor) }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// - Returns: False when the peer took less, having closed.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// What comes next; nothing at the end.
  func receive() throws -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &piece, piece.count, 0)
    guard count >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    return Array(piece[..<count])
  }

  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads until what came ends with `suffix`, or the peer closes.
  func read(until suffix: String? = nil) throws -> String {
    var all: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let suffix, String(decoding: all, as: UTF8.self).hasSuffix(suffix) { break }
      let count = recv(descriptor, &piece, piece.count, 0)
      if count == 0 { break }
      guard count > 0 else { throw Failure(reason: String(cString: strerror(errno))) }
      all.append(contentsOf: piece[..<count])
    }
    return String(decoding: all, as: UTF8.self)
  }
}
