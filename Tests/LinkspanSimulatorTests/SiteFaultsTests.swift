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
}
