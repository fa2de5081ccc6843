import Testing

@testable import LoadGenerator

@Suite struct LeanTLSTests {
  static func digest(_ hex: String) -> LeanTLSContext.Digest {
    var digest = LeanTLSContext.Digest()
    for (index, place) in stride(from: 0, to: 64, by: 2).enumerated() {
      let start = hex.index(hex.startIndex, offsetBy: place)
      digest[index] = UInt8(hex[start...].prefix(2), radix: 16)!
    }
    return digest
  }

  /// The numbers of RFC 8448, 3: the early secret, and what is derived from it for the handshake.
  @Test func derivesAsTheStandardDoes() throws {
    let context = try LeanTLSContext(host: "shop.example")
    let early = Self.digest("33ad0a1c607ec03b09e6cd9893680ce210adf300aa1f2660e1b22e10f170f92a")
    let zeros = LeanTLSContext.Digest()
    #expect(withUnsafeBytes(of: zeros) { context.authenticate($0, with: zeros) } == early)
    #expect(
      context.expand(early, "derived", context.hashOfNothing)
        == Self.digest("6f2615a108c702c5678f54fc9dbab69716c076189c48250cebeac3576c3611ba"))
  }

  static let serverHello: [UInt8] =
    [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0x13, 0x01, 0, 0, 46]
    + [0, 43, 0, 2, 3, 4] + [0, 51, 0, 36, 0, 0x1D, 0, 32] + [UInt8](repeating: 9, count: 32)

  @Test func readsWhatAServerChose() throws {
    let hello = try #require(ServerHello(Self.serverHello[...]))
    #expect(Self.serverHello[hello.share].allSatisfy { $0 == 9 } && hello.share.count == 32)
  }

  @Test func refusesEachPieceOfAHello() {
    for count in 0..<Self.serverHello.count {
      #expect(ServerHello(Self.serverHello[..<count]) == nil, "\(count)")
    }
    #expect(ServerHello((Self.serverHello + [0])[...]) == nil)
  }

  /// Another suite, another version, another group, and lengths that lead out of the message.
  @Test(arguments: [34, 36, 39, 41, 45, 48, 49, 51, 53])
  func refusesWhatWasNotOffered(place: Int) {
    var hello = Self.serverHello
    hello[place] ^= 0x40
    #expect(ServerHello(hello[...]) == nil)
  }

  static let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n"

  static func report(_ priorities: String, answer: String) throws -> (
    probe: TargetProbe, report: Rehearsal.Report?
  ) {
    let server = try #require(SecureServer(priorities, answer: answer))
    defer { server.stop() }
    var target = LoadTarget()
    target.port = server.port
    target.tls = true
    target.offersMoreTLS = true
    let probe = try TargetProbe(target, usesCertificateHost: true)
    guard probe.takesLeanTLS else { return (probe, nil) }
    target.usesLeanTLS = true
    var plan = Rehearsal.Plan(connections: [20])
    plan.patienceSeconds = 30
    var rehearsal = try Rehearsal(plan, at: target)
    return (probe, try rehearsal.run { _, _ in })
  }

  @Test(arguments: [
    "Content-Length: 5000\r\n\r\n" + String(repeating: "x", count: 5_000),
    "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n07d0;x=y\r\n" + String(repeating: "\n", count: 2_000)
      + "\r\n0\r\nA: b\r\n\r\n",
    "\r\n" + String(repeating: "x", count: 3_000),
  ])
  func answersOfEachFraming(rest: String) throws {
    let (probe, report) = try Self.report("NORMAL", answer: Self.answer + rest)
    #expect(probe.status == 200 && probe.certificateHost == "shop.example")
    #expect(report?.held == 20, "\(String(describing: report?.failures))")
  }

  /// Such a server is a target as well, by the library's sessions.
  @Test(arguments: [
    "NORMAL:-GROUP-ALL:+GROUP-SECP256R1", "NORMAL:-CIPHER-ALL:+AES-256-GCM", "NORMAL:-VERS-ALL:+VERS-TLS1.2",
  ])
  func aServerThatWantsSomethingElse(priorities: String) throws {
    let (probe, _) = try Self.report(priorities, answer: Self.answer + "Content-Length: 2\r\n\r\n{}")
    #expect(probe.status == 200 && !probe.takesLeanTLS)
  }

  @Test func anotherStatusIsNamed() throws {
    let (probe, report) = try Self.report(
      "NORMAL", answer: "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
    #expect(probe.status == 503 && probe.takesLeanTLS)
    #expect(report?.failures == ["answer-503": 20])
  }

  /// What is no TLS at all fails, and counts as such.
  @Test func aServerInClearText() throws {
    let server = try #require(CountingServer { _ in .answer })
    defer { server.stop() }
    var target = LoadTarget()
    target.port = server.port
    target.tls = true
    target.usesLeanTLS = true
    var rehearsal = try Rehearsal(Rehearsal.Plan(connections: [10]), at: target)
    let report = try rehearsal.run { _, _ in }
    #expect(report.held == 0 && report.failures.values.reduce(0, +) == 10)
    #expect(report.failures.keys.allSatisfy { $0.hasPrefix("handshake-") }, "\(report.failures)")
  }
}
