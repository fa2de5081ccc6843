import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("Loops of a server")
struct ServerLoopsTests {
  static func configuration(loops: Int) -> HTTPServerConfiguration {
    var configuration = HTTPServerConfiguration()
    configuration.loops = loops
    return configuration
  }

  /// Open connections until both loops have answered one: the kernel deals them out by their ports.
  static func connections(_ server: HTTPServer, until isEnough: () -> Bool) throws -> [RawConnection] {
    var connections: [RawConnection] = []
    while !isEnough(), connections.count < 500 {
      let connection = try RawConnection(port: server.port)
      connection.send(HTTPServerTests.get)
      _ = try connection.read(until: "\r\n\r\n")
      connections.append(connection)
    }
    return connections
  }

  /// The threads a handler was called on.
  final class Threads: Sendable {
    private let threads = LockedState<Set<UInt>>([])
    var count: Int { threads.withLock { $0.count } }
    func note() { threads.withLock { _ = $0.insert(UInt(pthread_self())) } }
  }

  @Test func answerOnOnePortEachOnAThreadOfItsOwn() throws {
    let threads = Threads()
    let echo: HTTPHandler = { request in
      threads.note()
      return Conversation.echo(request)
    }
    try withServer(Self.configuration(loops: 3), handler: echo) { server in
      _ = try Self.connections(server) { threads.count == 3 }
      #expect(threads.count == 3)
    }
  }

  @Test func countTheConnectionsOfOneAddressTogether() throws {
    let threads = Threads()
    var configuration = Self.configuration(loops: 3)
    configuration.connections.perAddress = 40
    let echo: HTTPHandler = { request in
      threads.note()
      return Conversation.echo(request)
    }
    try withServer(configuration, handler: echo) { server in
      var held: [RawConnection] = []
      for _ in 0..<40 {
        let connection = try RawConnection(port: server.port)
        connection.send(HTTPServerTests.get)
        #expect(try connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        held.append(connection)
      }
      #expect(threads.count > 1)
      for _ in 0..<10 {
        let next = try RawConnection(port: server.port)
        next.send(HTTPServerTests.get)
        #expect((try? next.read(until: "\r\n\r\n")) ?? "" == "")
      }
    }
  }

  @Test func allStopAndCloseTheirIdleConnections() throws {
    let threads = Threads()
    let echo: HTTPHandler = { request in
      threads.note()
      return Conversation.echo(request)
    }
    try withServer(Self.configuration(loops: 2), handler: echo) { server in
      let idle = try Self.connections(server) { threads.count == 2 }
      #expect(threads.count == 2)
      server.stop()
      for connection in idle { #expect(try connection.read() == "") }
    }
  }

  /// Who has connected before the stop is answered.
  @Test func letInWhoHasConnectedBeforeTheStop() throws {
    let (entered, goes) = (Gate(), Gate())
    let handler: HTTPHandler = { request in
      if request.path == "/wait" {
        entered.open()
        goes.wait()
      }
      return .text(200, "ok")
    }
    try withServer(Self.configuration(loops: 1), handler: handler) { server in
      let first = try RawConnection(port: server.port)
      first.send(HTTPServerTests.get)
      _ = try first.read(until: "ok\n")
      // The loop has let in whoever was there, and comes to this request in a turn of its own.
      first.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
      entered.wait()
      let late = try RawConnection(port: server.port)
      late.send(HTTPServerTests.get)
      server.stop()
      goes.open()
      #expect(try first.read(until: "ok\n").hasPrefix("HTTP/1.1 200"))
      #expect(try late.read(until: "ok\n").hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func allAskAHandlerThatWasReplaced() throws {
    let threads = Threads()
    let first: HTTPHandler = { request in
      threads.note()
      return Conversation.echo(request)
    }
    try withServer(Self.configuration(loops: 2), handler: first) { server in
      let connections = try Self.connections(server) { threads.count == 2 }
      server.replaceResponder { _, _ in .now(.text(200, "new")) }
      for connection in connections {
        connection.send(HTTPServerTests.get)
        #expect(try connection.read(until: "new\n").hasPrefix("HTTP/1.1 200"))
      }
    }
  }

  @Test func areAsManyAsTheCoresThisProcessMayUse() throws {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") })
    let bits = line.dropFirst("Cpus_allowed:".count).compactMap { $0.hexDigitValue?.nonzeroBitCount }.reduce(
      0, +)
    #expect(UsableCores.count == bits)
  }
}
