import Foundation
import Synchronization
import TestSupport
import Testing

/// What clients notice when a server is told to stop, is killed, or publishes all the time.
@Suite struct EndOfServiceTests {
  static let path = ServeTests.path

  /// A file whose bytes say which one it is from the first to the last.
  static func file(_ number: Int) -> String {
    let rule = "{\"/\":\"/\(number)/*\"}"
    let rules = (0..<64).map { "{\"/\":\"/\(number)/\($0)\"}" }.joined(separator: ",")
    return
      "{\"applinks\":{\"details\":[{\"appIDs\":[\"ABCDE12345.com.example.a\"],\"components\":[\(rules),\(rule)]}]}}\n"
  }

  @Test func SIGTERMUnderLoadFailsNoRequestThatHadBegun() throws {
    let tool = try Tool()
    try tool.write(Self.file(1), to: "site/example.com\(Self.path)")
    let server = try OperatedServer(tool, ["site", "--drain", "3600"])
    let request = "GET \(Self.path) HTTP/1.1\r\nHost: example.com\r\n\r\n"
    // Each has had an answer, so that its connection is the server's.
    let begun = try (0..<48).map { _ in try RawClient(port: server.port) }
    for client in begun {
      client.send(request)
      #expect(client.answer().body == Self.file(1))
    }
    // Others ask without a pause until they are sent away; every answer that begins is whole.
    let torn = Atomic(0)
    let answered = Atomic(0)
    let group = DispatchGroup()
    for _ in 0..<4 {
      let port = server.port
      group.enter()
      // Threads of their own: the shared ones may all be taken by other tests.
      Thread.detachNewThread {
        defer { group.leave() }
        while let client = try? RawClient(port: port) {
          while client.send(request) {
            let (head, body) = client.answer()
            if head.isEmpty { break }
            if body == Self.file(1) {
              answered.add(1, ordering: .relaxed)
            } else {
              torn.add(1, ordering: .relaxed)
            }
            if head.contains("Connection: close") { break }
          }
        }
      }
    }
    while answered.load(ordering: .relaxed) < 200 { sched_yield() }
    // The next requests begin as late as can be: a busy machine must not make them wait for their header's deadline.
    for client in begun { client.send(String(request.prefix(20))) }
    server.signal(SIGTERM)
    while (try? RawClient(port: server.port)) != nil {}
    // Nobody new gets in any more, and whoever had begun is answered.
    for client in begun { #expect(client.send(String(request.dropFirst(20)))) }
    for client in begun {
      let (head, body) = client.answer()
      #expect(head.hasPrefix("HTTP/1.1 200 "))
      #expect(head.contains("Connection: close"))
      #expect(body == Self.file(1))
    }
    group.wait()
    server.process.waitUntilExit()
    #expect(server.process.terminationStatus == 0)
    #expect(torn.load(ordering: .relaxed) == 0)
  }

  @Test func drainingIsTold() throws {
    let tool = try Tool()
    try tool.write(Self.file(1), to: "site/example.com\(Self.path)")
    let server = try OperatedServer(tool, ["site", "--drain", "3600"])
    let client = try RawClient(port: server.port)
    client.send("GET \(Self.path) HTTP/1.1\r\nHost: example.com\r\n\r\n")
    _ = client.answer()
    client.send("GET ")
    server.signal(SIGTERM)
    var status = ""
    // Each answer gives the loops the time to take the signal.
    for _ in 0..<2_000 where status != "draining" {
      status = try server.readiness()["status"] as? String ?? ""
    }
    #expect(status == "draining")
    #expect(server.end() == 0, "a second signal ends it at once")
  }

  @Test func killedInTheMiddleOfPublicationsItComesBackWithTheOldOrTheNewFile() throws {
    let rounds = ProcessInfo.processInfo.environment["LINKSPAN_KILLS"].flatMap { Int($0) } ?? 12
    var random = SystemSeed(20_260_914)
    let tool = try Tool()
    let name = "site/example.com\(Self.path)"
    var number = 1
    try tool.write(Self.file(number), to: name)
    var newest = number
    for round in 0..<rounds {
      let server = try OperatedServer(tool, ["site", "--state", "state", "--history", "3"])
      let least = newest
      // Swapped as fast as can be, so that the death finds one under way; after a few that were acknowledged.
      for _ in 0..<Int(random.next() % 3) {
        number += 1
        try tool.swap(Self.file(number), into: name)
        while try server.next("publication")["outcome"] as? String != "changed" {}
        newest = number
      }
      for _ in 0..<Int(1 + random.next() % 40) {
        number += 1
        try tool.swap(Self.file(number), into: name)
      }
      for _ in 0..<(random.next() % 200_000) { sched_yield() }
      server.signal(SIGKILL)
      server.process.waitUntilExit()
      // Nothing in the folder helps: what was published has to come from the history.
      try tool.swap("{", into: name)
      let back = try OperatedServer(tool, ["site", "--state", "state", "--history", "3"])
      let served = try back.ask(Self.path).dropLast(4)
      let found = (least...number).first { Self.file($0) == served }
      #expect(try #require(found, "round \(round): neither old nor new: \(served.prefix(80))") >= newest)
      #expect(back.end() == 0)
      newest = found ?? newest
      number += 1
      try tool.swap(Self.file(number), into: name)
      newest = max(newest, 1)
    }
  }

  @Test func twoHundredSwapsUnderLoadFailNoRequest() throws {
    let outcome = try Tool().program(
      "/usr/bin/env",
      [
        "LINKSPAN=\(Tool.binary.path)", Fixtures.root.appending(path: "Scripts/soak-publications").path,
        "200",
      ])
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("200 swaps"))
    #expect(outcome.output.contains(" 0 failed, 0 torn"))
  }
}

/// SplitMix64: what a round does is repeated by its seed; when the signal strikes is the machine's.
private struct SystemSeed: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension Tool {
  /// Puts a file in the place of another in one step, as an operator should.
  func swap(_ text: String, into name: String) throws {
    try write(text, to: name + ".new")
    try #require(rename(folder.appending(path: name + ".new").path, folder.appending(path: name).path) == 0)
  }
}
