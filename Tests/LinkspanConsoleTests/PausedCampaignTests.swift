import DeviceRegistry
import LinkspanCore
import RegistryServer
import TestSupport
import Testing

@testable import LinkspanConsole

/// Campaigns that a server has paused because APNs rejects too much of them.
@Suite struct PausedCampaignTests {
  private static let payload =
    #"{"topic":"com.example.app","environment":"production","audience":"all","payload":{"aps":{"alert":"Hi"}},"paused":true}"#

  /// On its own page and in the list; one that a person has paused says nothing of the kind.
  @Test func theConsoleSaysWhy() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let api = RegistryAPI(registry, now: { WallTime("2026-09-14T08:00:00Z")! })
    func post(_ path: String, _ body: String, as actor: String) throws -> String {
      var request = HTTPRequest(
        method: "POST", authority: "test", target: "/v1/campaigns" + path, body: Array(body.utf8))
      request.fields["Content-Type"] = "application/json"
      let answers = WorkQueue<String?>(limit: 1)
      api.answer(request, as: actor) {
        _ = answers.add(JSONParser.parse($0.body).root?["id"]?.string)
      }
      return try #require(answers.take(1)?.first ?? nil)
    }
    let own = try post("", Self.payload, as: "console:ada")
    let other = try post("", Self.payload, as: "console:ada")
    // One that starts without devices ends at once.
    _ = try post("/\(other)/resume", "", as: "console:ada")
    _ = try post("/\(other)/pause", "", as: RegistryAPI.automatic)
    let browser = Browser(ConsoleFixture(registry: api))
    browser.logIn()
    browser.get("/push/campaigns/\(other)")
    #expect(
      browser.page.contains(
        "It was paused because APNs rejected too much of it. Look at the reasons, and resume or cancel it."),
      "\(browser.page)")
    browser.get("/push/campaigns/\(own)")
    #expect(browser.page.contains("paused") && !browser.page.contains("APNs rejected"), "\(browser.page)")
    browser.get("/push")
    let told = browser.page.split(separator: ">paused: APNs rejected too much of it</td>").count - 1
    #expect(told == 1 && browser.page.contains(">paused</td>"), "\(browser.page)")
  }
}
