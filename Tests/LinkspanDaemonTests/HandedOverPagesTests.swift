import Dispatch
import Foundation
import LinkspanCore
import LinkspanServer
import LinkspanSystem
import Synchronization
import TestSupport
import Testing

@testable import HTTPEngine
@testable import LinkspanDaemon

@Suite("Requests that are handed over, as operators see them")
struct HandedOverPagesTests {
  /// One request is worked for, for three seconds of its clock, and one finds no room.
  @Test func areOnThePageAndInTheLogWithTheTimeTheyTook() throws {
    let folder = try ScratchFolder()
    let clients = ForwardedClient(trusted: [])
    let file = folder.path("access.log")
    let log = try AccessLog(file, .json, clients) { _ in }
    try log.start()
    let pages = OperatorPages(log, clients, connectionLimit: 1, version: "1")
    let (entered, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let seconds = Atomic<Int64>(0)
    var configuration = HTTPServerConfiguration()
    configuration.loops = 1
    configuration.offload.workers = 1
    configuration.offload.waiting = 0
    configuration.clock = ServerClock(
      monotonic: { seconds.load(ordering: .relaxed) * 1_000_000_000 }, wall: { 0 })
    configuration.loopObserver = { _ in pages.observer() }
    let server = try HTTPServer(configuration) { _, _ in
      .offload {
        entered.signal()
        mayGo.wait()
        return .text(200, "done")
      }
    }
    pages.show(server)
    try DetachedThread.start { try? server.run() }
    let page = {
      String(
        decoding: pages.response(to: HTTPRequest(authority: "a", target: "/metrics")).body, as: UTF8.self)
    }

    let one = try RawClient(port: server.addresses[0].port)
    one.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    entered.wait()
    #expect(page().contains("linkspan_pending_requests 1\n"))
    let two = try RawClient(port: server.addresses[0].port)
    two.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(two.answer().head.hasPrefix("HTTP/1.1 503 "))
    seconds.store(3, ordering: .relaxed)
    mayGo.signal()
    #expect(one.answer().head.hasPrefix("HTTP/1.1 200 "))

    let end = page()
    #expect(end.contains("linkspan_pending_requests 0\n"))
    #expect(end.contains("linkspan_handed_over_total 1\n"))
    #expect(end.contains("linkspan_handed_over_refused_total{reason=\"queue_full\"} 1\n"))
    #expect(end.contains("status=\"503\",protocol=\"HTTP/1.1\"} 1\n"))
    #expect(end.contains("linkspan_request_duration_seconds_bucket{le=\"1\"} 1\n"))
    #expect(end.contains("linkspan_request_duration_seconds_bucket{le=\"10\"} 2\n"))
    #expect(end.contains("linkspan_request_duration_seconds_sum 3.000000000\n"))
    server.stop()
    log.end()
    let lines = try folder.text("access.log").split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.contains("\"status\":503,") == true)
    #expect(lines.first?.contains("\"duration_us\":0,") == true)
    #expect(lines.last?.contains("\"duration_us\":3000000,") == true)
  }
}
