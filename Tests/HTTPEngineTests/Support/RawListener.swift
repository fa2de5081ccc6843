import Foundation
import LinkspanCore

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// A server that does nothing of itself: the test accepts, reads and writes by hand.
final class RawListener {
  let descriptor: Int32
  let address: SocketAddress

  /// - Parameter backlog: Connections that wait to be accepted; one more above it is left without an answer.
  init(backlog: Int32 = 16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    // A client that fails to come fails the test instead of holding it.
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    guard SocketAddress.loopback().withSocketAddress({ bind(descriptor, $0, $1) }) == 0,
      listen(descriptor, backlog) == 0, let address = SocketAddress.local(of: descriptor)
    else { throw RawConnection.Failure(reason: String(cString: strerror(errno))) }
    self.address = address
  }

  deinit { close(descriptor) }

  func accept() throws -> RawConnection {
    let accepted = Glibc.accept(descriptor, nil, nil)
    guard accepted >= 0 else { throw RawConnection.Failure(reason: String(cString: strerror(errno))) }
    return RawConnection(accepted: accepted)
  }

  /// Whether somebody has connected and was not accepted yet.
  var hasVisitor: Bool {
    var news = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&news, 1, 0) > 0
  }
}

/// A server of HTTP/2 over a socket that sends what it is told to and reads frames.
final class RawHTTP2Server {
  let connection: RawConnection
  private var unread: [UInt8] = []
  private var frames: [Frames.Frame] = []

  /// Accepts, sends SETTINGS and reads the preface.
  init(_ listener: RawListener, settings: [(UInt16, UInt32)] = []) throws {
    connection = try listener.accept()
    connection.send(Frames.settings(settings))
    while unread.count < Frames.preface.count { unread += try connection.receive() }
    guard unread.starts(with: Frames.preface) else { throw RawConnection.Failure(reason: "no preface") }
    unread.removeFirst(Frames.preface.count)
    frames = Frames.take(&unread)
  }

  func send(_ bytes: [UInt8]) { connection.send(bytes) }

  /// The next frame that is wanted, those before it being dropped; nil when the client closes first.
  func read(_ isWanted: (Frames.Frame) -> Bool) throws -> Frames.Frame? {
    while true {
      while !frames.isEmpty {
        let frame = frames.removeFirst()
        if isWanted(frame) { return frame }
      }
      let bytes = try connection.receive()
      if bytes.isEmpty { return nil }
      unread += bytes
      frames = Frames.take(&unread)
    }
  }

  /// The stream of the next request.
  func request() throws -> UInt32? { try read { $0.kind == Frames.Kind.headers }?.stream }
}

extension Frames {
  /// Fields of an answer that is 200 (RFC 7541, appendix A, 8).
  static let ok: [UInt8] = [0x88]

  /// RFC 9113, 6.8.
  static func goaway(last: UInt32, _ code: UInt32 = Code.none, _ debug: String = "") -> [UInt8] {
    frame(Kind.goaway, number(last) + number(code) + Array(debug.utf8))
  }
}
