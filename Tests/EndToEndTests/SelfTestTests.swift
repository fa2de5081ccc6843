import Foundation
import Testing

/// `linkspan self-test`: what an installation has and lacks.
@Suite struct SelfTestTests {
  @Test func thisInstallationLacksNothingThatIsNeeded() throws {
    let tool = try Tool()
    let outcome = try tool.run("self-test", "--json")
    #expect(outcome.status == 0, "\(outcome.output)")
    let checks = try #require(try outcome.json()["checks"] as? [[String: Any]])
    let states = Dictionary(
      checks.map { ($0["check"] as? String ?? "", $0["state"] as? String ?? "") }, uniquingKeysWith: { $1 })
    for name in [
      "program", "check, match, serve", "random numbers", "TLS", "device registry", "a port on loopback",
    ] {
      #expect(states[name] == "ok", "\(name)")
    }
    for check in checks where check["state"] as? String != "ok" {
      #expect((check["help"] as? String)?.isEmpty == false, "\(check)")
    }
    #expect(try tool.run("self-test").output.contains("Nothing that is needed is missing."))
  }

  @Test func saysWhatIsMissing() throws {
    let tool = try Tool()
    let outcome = try tool.run("self-test", environment: ["TMPDIR": "/nonexistent"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("nothing can be written in /nonexistent"))
    #expect(outcome.output.contains("Make room there, or set TMPDIR."))
  }

  @Test func asksARunningServer() throws {
    let tool = try Tool()
    let nobody = try tool.run("self-test", "--server", "http://127.0.0.1:1")
    #expect(nobody.status == 1)
    #expect(nobody.output.contains("Does 'serve' run with --admin 127.0.0.1:1?"))
    let wrong = try tool.run("self-test", "--server", "nonsense")
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("'--server': expected a URL such as http://127.0.0.1:9464."))
  }
}
