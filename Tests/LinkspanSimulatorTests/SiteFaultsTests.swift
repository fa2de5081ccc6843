import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

@Suite struct SiteFaultsTests {
  static let file = HTTPResponse(
    status: 200, fields: ["Content-Type": "application/json"], body: Array("{\"applinks\":{}}".utf8))

  static func faults(_ texts: [(String, String)]) throws -> SiteFaults {
    var faults = SiteFaults()
    for (name, value) in texts { #expect(faults.set(name, to: value) == nil) }
    return faults
  }

  @Test(
    arguments: [
      ([("status", "503")], 503, "text/plain; charset=utf-8"),
      ([("redirect", "https://e.test/")], 302, "text/plain; charset=utf-8"),
      ([("redirect", "https://e.test/"), ("status", "301")], 301, "text/plain; charset=utf-8"),
      ([("login", "true")], 200, "text/html; charset=utf-8"),
      ([("content_type", "text/html")], 200, "text/html"),
      ([("content_type", "none")], 200, nil), ([], 200, "application/json"),
    ] as [([(String, String)], Int, String?)])
  func eachChangesTheAnswer(texts: [(String, String)], status: Int, type: String?) throws {
    let answer = try Self.faults(texts).applied(to: Self.file)
    #expect(answer.status == status)
    #expect(answer.fields["Content-Type"] == type)
    #expect((answer.fields["Location"] != nil) == texts.contains { $0.0 == "redirect" })
  }

  @Test func aCutFileEndsWhereItWasCut() throws {
    #expect(try Self.faults([("cut_bytes", "5")]).applied(to: Self.file).body == Array("{\"app".utf8))
  }

  @Test(
    arguments: [
      ("everybody", "curl/8", true), ("crawler", "AASA-Bot/1.0.0", true), ("crawler", "curl/8", false),
      ("devices", "com.apple.swcd (unknown version) CFNetwork/0 Darwin/23.4.0", true),
      ("devices", "AASA-Bot/1.0.0", false),
    ])
  func concernsOnlyWhomItShould(filter: String, agent: String, isConcerned: Bool) throws {
    #expect(try Self.faults([("for", filter)]).concern(agent) == isConcerned)
  }

  @Test(
    arguments: [
      ("status", "199"), ("status", "x"), ("delay_ms", "-1"), ("gzip", "yes"), ("for", "nobody"),
      ("redirect", ""), ("redirect", "a\r\nb"), ("cut_bytes", "-1"), ("type", "a\nb"), ("stauts", "503"),
      ("network", "slow"), ("break_bytes", "x"),
    ])
  func whatCannotBeIsRefused(name: String, value: String) {
    var faults = SiteFaults()
    #expect(faults.set(name, to: value) != nil)
    #expect(faults == SiteFaults())
  }

  @Test(
    arguments: [
      ("status", "200"), ("status", "599"), ("delay_ms", "0"), ("delay_ms", "600000"), ("cut_bytes", "0"),
      ("break_bytes", "0"), ("content_type", "a b~"), ("redirect", "!~"), ("network", "trickle"),
      ("for", "everybody"), ("gzip", "false"), ("login", "false"), ("agent", ""),
    ])
  func whatIsWithinBoundsIsTaken(name: String, value: String) {
    var faults = SiteFaults()
    #expect(faults.set(name, to: value) == nil)
  }

  @Test(
    arguments: [
      ("status", "600"), ("delay_ms", "600001"), ("break_bytes", "-1"), ("content_type", "a\u{7F}"),
      ("content_type", "\u{1F}"), ("redirect", "a b"), ("redirect", "\u{7F}"), ("login", "1"),
    ])
  func whatIsBeyondBoundsIsRefused(name: String, value: String) {
    var faults = SiteFaults()
    #expect(faults.set(name, to: value) != nil && faults == SiteFaults())
  }

  /// Each is set at its own place.
  @Test func aFaultIsSetAtItsPlace() throws {
    let faults = try Self.faults([
      ("status", "201"), ("delay_ms", "7"), ("cut_bytes", "8"), ("break_bytes", "9"), ("login", "true"),
      ("network", "reset"), ("for", "crawler"), ("agent", "x"),
    ])
    #expect(faults.status == 201 && faults.delay_ms == 7 && faults.cutBytes == 8 && faults.breakBytes == 9)
    #expect(faults.showsLogin && !faults.compresses && faults.network == .reset && faults.filter == .crawler)
    #expect(faults.agent == "x" && faults.redirect == nil && faults.type == nil)
    #expect(try Self.faults([("gzip", "true")]).compresses)
    #expect(try Self.faults([("break_bytes", "5")]).applied(to: Self.file).body == Self.file.body)
    #expect(try Self.faults([("cut_bytes", "0")]).applied(to: Self.file).body.isEmpty)
  }

  /// T6: only user agents that contain a text.
  @Test(arguments: [
    ("curl", "curl/8", true), ("curl", "AASA-Bot/1.0.0", false), ("", "curl/8", true),
  ])
  func aFaultMayConcernOneAgent(text: String, agent: String, isConcerned: Bool) throws {
    #expect(try Self.faults([("agent", text)]).concern(agent) == isConcerned)
    #expect(try !Self.faults([("agent", text), ("for", "crawler")]).concern("curl/8"))
  }
}
