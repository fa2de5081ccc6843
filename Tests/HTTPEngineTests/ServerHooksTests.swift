import LinkspanCore
import Synchronization
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

@Suite("What a server tells whoever runs it")
struct ServerHooksTests {
  @Test func hasAnObserverForEachLoop() throws {
    let loops = LockedState<[Int]>([])
    var configuration = HTTPServerConfiguration()
    configuration.loops = 3
    configuration.loopObserver = { loop in
      loops.withLock { $0.append(loop) }
      return { _ in }
    }
    try withServer(configuration, handler: { _ in .text(200, "x") }) { _ in }
    #expect(loops.withLock { $0 } == [0, 1, 2])
  }

  @Test func tellsOnceThatItStops() throws {
    let count = Atomic(0)
    var configuration = HTTPServerConfiguration()
    configuration.whenStopping = { count.add(1, ordering: .relaxed) }
    let server = try HTTPServer(configuration) { _ in .text(200, "x") }
    #expect(!server.isStopping)
    server.stop()
    server.stop()
    #expect(server.isStopping)
    #expect(count.load(ordering: .relaxed) == 1)
    try server.run()
  }

  @Test func aSocketThatWasHandedOverIsLeftListening() throws {
    let listener = try ListenerSocket(HTTPServerConfiguration.Listener(), backlog: 16)
    var configuration = HTTPServerConfiguration(listeners: [.init(descriptor: listener.descriptor)])
    configuration.loops = 2
    for _ in 0..<2 {
      try withServer(configuration, handler: { _ in .text(200, "x") }) { server in
        #expect(server.port == listener.address.port)
        let connection = try RawConnection(port: server.port)
        connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try connection.read(until: "x\n").hasPrefix("HTTP/1.1 200 "))
      }
    }
  }
}
