import CLinkspanPlatform
import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Uploads from many connections at the same time, which a server keeps within bounds whether it wants them or not.
///
/// Client and server share a process that nothing else runs in; the clients keep nothing.
@Suite("Memory for bodies")
struct BodyMemoryTests {
  static let http1Count = 800
  static let http2Count = 60
  static let bodyBytes = 1_048_576
  static let growthLimitBytes = 67_108_864

  @Test func staysWithinItsBoundWhenNoBodyIsWanted() async {
    await #expect(processExitsWith: .success) {
      try Self.judge { _, _ in .now(HTTPResponse(status: 405)) }
    }
  }

  @Test func staysWithinItsBoundWhenEveryBodyIsWanted() async {
    await #expect(processExitsWith: .success) {
      try Self.judge { _, _ in
        .afterBody { request in .now(HTTPResponse(status: request.body.count > Self.bodyBytes ? 500 : 200)) }
      }
    }
  }

  /// The end of the arena of a thread that is not the first, which `malloc_trim` leaves alone.
  @Test func givesBackTheFreeEndOfTheLoopsArena() async {
    await #expect(processExitsWith: .success) {
      let growth = LockedState<[Int]>([])
      let thread = Thread {
        // Pages of the program itself become resident when they run for the first time.
        let few = (0..<8).map { _ in [UInt8](repeating: 1, count: 100_000) }
        _ = withExtendedLifetime(few) { AbuseMemoryTests.residentBytes(trims: false) }
        linkspan_release_memory()
        let before = AbuseMemoryTests.residentBytes()
        // Has the allocator keep up to 16 MB at an arena's end.
        free(malloc(8_388_608))
        var blocks = (0..<140).map { _ in [UInt8](repeating: 1, count: 100_000) }
        let full = AbuseMemoryTests.residentBytes(trims: false)
        blocks = []
        withExtendedLifetime(blocks) {}
        linkspan_release_memory()
        growth.withLock { $0 = [full - before, AbuseMemoryTests.residentBytes(trims: false) - before] }
      }
      thread.start()
      while !thread.isFinished { sched_yield() }
      let bytes = growth.withLock(\.self)
      guard !AbuseMemoryTests.isSanitized else { return print("not judged: a sanitizer is at work") }
      #expect(bytes.count == 2 && bytes[0] >= 13_000_000 && bytes[1] <= 1_048_576, "\(bytes)")
    }
  }

  static func judge(_ responder: @escaping HTTPResponder) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let clock = ManualClock()
    var configuration = HTTPServerConfiguration()
    configuration.loops = 1
    configuration.clock = clock.clock
    try withServer(configuration, responder: responder) { server in
      let piece = [UInt8](repeating: 1, count: 65_536)
      // A few first, since pages of the program itself become resident when they run for the first time.
      do {
        let few = (try (0..<8).map { _ in try upload(piece, to: server) }, try streams(piece, to: server))
        withExtendedLifetime(few) {}
      }
      _ = try ServerMetricsTests.settled(server)
      let before = AbuseMemoryTests.residentBytes()
      var most = before
      for _ in 0..<2 {
        var uploads = try (0..<http1Count).map { _ in try upload(piece, to: server) }
        var more = try (0..<http2Count).map { _ in try streams(piece, to: server) }
        #expect(server.metrics[.bodyBytesNow] <= configuration.connections.bodyBytes)
        most = max(most, AbuseMemoryTests.residentBytes(trims: false))
        uploads = []
        more = []
        withExtendedLifetime((uploads, more)) {}
        _ = try ServerMetricsTests.settled(server)
        let releases = server.metrics[.memoryReleases]
        for _ in 0..<1_000 where server.metrics[.memoryReleases] == releases {
          clock.advance(.milliseconds(600))
          _ = try ServerMetricsTests.settled(server)
        }
        #expect(server.metrics[.memoryReleases] > releases)
      }
      let after = AbuseMemoryTests.residentBytes(trims: false)
      let resident = "resident: \(before) bytes before, at most \(most), \(after) after"
      print(resident)
      try ServerMetricsTests.expectTheStart(server)
      #expect(server.metrics[.bodyBytesNow] == 0)
      // A sanitizer keeps a shadow of the memory, and what was freed.
      guard !AbuseMemoryTests.isSanitized else { return print("not judged: a sanitizer is at work") }
      #expect(most - before <= growthLimitBytes, "\(resident)")
      #expect(after <= before + before / 10, "\(resident)")
    }
  }

  /// Sends all of a body but its last byte.
  static func upload(_ piece: [UInt8], to server: HTTPServer) throws -> RawConnection {
    let connection = try RawConnection(port: server.port)
    connection.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bodyBytes)\r\n\r\n")
    for sent in stride(from: 0, to: bodyBytes, by: piece.count) {
      connection.send(sent + piece.count < bodyBytes ? piece : Array(piece.dropLast()))
    }
    return connection
  }

  /// Sends bodies over five streams, as far as windows allow and the server does not end them.
  static func streams(_ piece: [UInt8], to server: HTTPServer) throws -> RawHTTP2 {
    let client = try RawHTTP2(port: server.port)
    let frame = Array(piece.prefix(16_384))
    for stream: UInt32 in [1, 3, 5, 7, 9] {
      client.send(Frames.post(stream))
      for _ in 0..<(bodyBytes / frame.count / 2) {
        // Half a window, after which the server opens it again.
        client.send(Frames.data(stream, frame) + Frames.data(stream, frame))
        let news = try client.read {
          $0.kind == Frames.Kind.windowUpdate && $0.stream == 0
            || $0.kind == Frames.Kind.reset && $0.stream == stream
        }
        if news?.kind == Frames.Kind.reset { break }
      }
    }
    return client
  }
}
