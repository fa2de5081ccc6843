import Foundation
import LinkspanCore
import Testing

@testable import HTTPClientEngine
@testable import HTTPEngine
@testable import HTTPTransport

/// Client and server share a process that nothing else runs in.
@Suite("Memory after abuse")
struct AbuseMemoryTests {
  #if DEBUG
    static let rounds = 30
  #else
    static let rounds = 200
  #endif
  /// After that many the allocator's and the server's own stores have their size.
  static let warmUpRounds = 10
  /// Half a megabyte: a few pages of each thread's arena that the allocator does not give back, and less than 32 bytes
  /// left behind by each case of each of 200 rounds.
  static let boundBytes = 524_288

  @Test func isBackAtTheStartAfterManyRoundsOfEveryCase() async {
    await #expect(processExitsWith: .success) {
      try withServer(HTTP2AbuseTests.configuration(perAddress: 9)) { server in
        for _ in 0..<Self.warmUpRounds { try Self.playAll(server) }
        let before = Self.residentBytes(countsFiles: false)
        for _ in 0..<Self.rounds { try Self.playAll(server) }
        let after = Self.residentBytes(countsFiles: false)
        print("resident: \(before) bytes before, \(after) after \(Self.rounds) rounds")
        // A sanitizer keeps a shadow of the memory, and what was freed.
        guard !Self.isSanitized else { return print("not judged: a sanitizer is at work") }
        #expect(after - before <= Self.boundBytes)
      }
    }
  }

  static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil
  }

  static func playAll(_ server: HTTPServer) throws {
    for abuse in HTTP1Abuse.all { try HTTP1AbuseTests.play(abuse, port: server.port) }
    for abuse in HTTP2Abuse.all { try HTTP2AbuseTests.play(abuse, port: server.port) }
    try ServerMetricsTests.expectTheStart(server)
  }

  /// What the process holds of the machine's memory.
  ///
  /// - Parameters:
  ///   - trims: Without what the allocator keeps for later.
  ///   - countsFiles: With pages of files, such as those of code that runs for the first time between two readings.
  static func residentBytes(trims: Bool = true, countsFiles: Bool = true) -> Int {
    // The system's header of it is in no module.
    typealias Trim = @convention(c) (Int) -> Int32
    if trims, let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").compactMap { Int($0) }
    guard pages.count > 2 else { preconditionFailure("every Linux tells how much memory a process holds") }
    return (countsFiles ? pages[1] : pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
  }
}
