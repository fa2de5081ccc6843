import LinkspanCore
import LinkspanServer
import RegistryDatabases
import RegistryRequests
import RegistryServer
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import LinkspanConsole
@testable import LinkspanDaemon

/// Campaigns that wait for a person, and those that are paused because APNs rejects too much.
@Suite struct CampaignWatchTests {
  private static let now = WallTime("2026-09-14T08:00:00Z")!

  private struct Service {
    let folder: ScratchFolder
    let registry: Registry
    let api: RegistryAPI
    let reports = WorkQueue<String>(limit: 9)
    let watch: CampaignWatch

    init() throws {
      folder = try ScratchFolder()
      registry = try Registry(.sqlite(path: folder.path("registry.db")))
      api = RegistryAPI(registry, now: { CampaignWatchTests.now })
      watch = CampaignWatch(api, percent: 5, leastAnswers: 10) { [reports] in _ = reports.add($0) }
    }

    /// The answer's `id`.
    @discardableResult func post(_ path: String, _ body: String = "") -> String? {
      var request = HTTPRequest(
        method: "POST", authority: "test", target: "/v1/campaigns" + path, body: Array(body.utf8))
      request.fields["Content-Type"] = "application/json"
      let answers = WorkQueue<String?>(limit: 1)
      api.answer(request, as: "test") { _ = answers.add(JSONParser.parse($0.body).root?["id"]?.string) }
      return answers.take(1)?.first ?? nil
    }

    func campaign(_ rest: String = "") throws -> String {
      try #require(
        post(
          "",
          #"{"topic":"com.example.app","environment":"production","audience":"all","payload":{"aps":{"alert":"Hi"}}\#(rest)}"#
        ))
    }

    func pauseReason(_ campaign: String) -> String? {
      let request = HTTPRequest(method: "GET", authority: "test", target: "/v1/campaigns/\(campaign)")
      let answers = WorkQueue<String?>(limit: 1)
      api.answer(request, as: "test") {
        _ = answers.add(JSONParser.parse($0.body).root?["pause_reason"]?.string)
      }
      return answers.take(1)?.first ?? nil
    }

    /// By the campaign's number, as the list has it.
    func listedPauseReasons() -> [String: String] {
      let request = HTTPRequest(method: "GET", authority: "test", target: "/v1/campaigns?state=paused")
      let answers = WorkQueue<[String: String]>(limit: 1)
      api.answer(request, as: "test") { response in
        var reasons: [String: String] = [:]
        for campaign in JSONParser.parse(response.body).root?["campaigns"]?.array ?? [] {
          reasons[campaign["id"]?.string ?? ""] =
            campaign["pause_reason"].map { $0.string ?? $0.typeName } ?? "missing"
        }
        _ = answers.add(reasons)
      }
      return answers.take(1)?.first ?? [:]
    }

    func change(_ sql: String) throws {
      try registry.changeAndWait { store throws(RegistryError) in _ = try store.database.run(sql) }
    }

    func notices() -> [String] {
      let looks = WorkQueue<Bool>(limit: 1)
      watch.look { _ = looks.add(true) }
      _ = looks.take(1)
      return watch.notices.map { "\($0.link) \($0.text)" }
    }
  }

  /// Each update of a Live Activity is a campaign: a hundred newer ones must not hide the large one.
  @Test func anOldCampaignIsGuardedBesideAHundredNewOnes() throws {
    let service = try Service()
    defer { service.registry.stop() }
    // One that starts without devices ends at once.
    let old = try service.campaign(#","paused":true"#)
    service.post("/\(old)/resume")
    for _ in 0..<101 { service.post("/\(try service.campaign())/cancel") }
    try service.change(
      "INSERT INTO outcome_counts (message_id, outcome, reason, number) VALUES (\(old), 'rejected', 'BadTopic', 10)"
    )
    _ = service.notices()
    let words = "Campaign \(old) was paused: APNs rejected 10 of 10 pushes (100 %)."
    #expect(service.reports.take(1) == [words + " Resume or cancel it in the console."])
    #expect(service.notices() == ["/push/campaigns/\(old) \(words)"])
    #expect(service.pauseReason(old) == "rejections")
    let own = try service.campaign(#","paused":true"#)
    #expect(service.listedPauseReasons() == [old: "rejections", own: "null"])
    service.post("/\(own)/cancel")
    service.post("/\(old)/resume")
    #expect(service.notices() == [] && service.pauseReason(old) == nil)
    // Another server of the registry has not seen why, and lets the person's word stand.
    let other = CampaignWatch(service.api, percent: 5, leastAnswers: 10) { [reports = service.reports] in
      _ = reports.add($0)
    }
    service.post("/\(old)/pause")
    for act in ["", "resume"] {
      if !act.isEmpty { service.post("/\(old)/\(act)") }
      let looks = WorkQueue<Bool>(limit: 1)
      other.look { _ = looks.add(true) }
      _ = looks.take(1)
      #expect(other.notices.map(\.text) == (act.isEmpty ? ["Campaign \(old) is paused."] : []))
      #expect(service.pauseReason(old) == nil)
    }
    #expect(service.notices() == [])
  }

  @Test func whatWaitsForAPersonIsNoticedWhoeverPausedIt() throws {
    let service = try Service()
    defer { service.registry.stop() }
    #expect(service.notices() == [])
    let grown = try service.campaign(#","starts_at":"2026-09-15T08:00:00Z","paused":true"#)
    try service.change("UPDATE campaign_options SET grown_to = 15")
    let words =
      "/push/campaigns/\(grown) Campaign \(grown) was paused at its start: 15 match, and it was confirmed for 0 devices."
    #expect(service.notices() == [words])
    let own = try service.campaign(#","paused":true"#)
    #expect(service.notices() == [words, "/push/campaigns/\(own) Campaign \(own) is paused."])
    _ = try service.campaign(#","paused":true"#)
    #expect(service.notices() == [words, "/push 2 campaigns are paused."])
  }
}
