import LinkspanCore
import Testing

@testable import LinkspanConsole

@Suite struct SentMessageTests {
  /// What a campaign has not made yet is counted where there will be more of it, and then all counts are its devices.
  @Test(arguments: [("running", 36), ("paused", 36), ("scheduled", 36), ("cancelled", 0), ("completed", 0)])
  func theCountsAreAsManyAsItsDevices(state: String, unmade: Int) throws {
    let text =
      #"{"state":"\#(state)","devices":40,"deliveries":{"open":2,"accepted":1,"rejected":1,"expired":0,"cancelled":0}}"#
    let message = SentMessage(try #require(JSONParser.parse(Array(text.utf8)).root))
    #expect(message.unmade == unmade)
    #expect(message.done == 2 && message.all == 40)
  }

  /// What the API says of a campaign is on its page, and what the API does its buttons do.
  @Test func aScheduledCampaignSaysWhatItWillDo() throws {
    let text = #"""
      {"state":"scheduled","starts_at":"2026-12-24T08:00:00.000Z","next_start":"2026-12-25T08:00:00.000Z","devices":40,
       "repeat":"FREQ=WEEKLY","occurrence":2,"quiet_hours":{"from":"22:00","to":"08:00"},
       "cap":{"count":2,"per_s":86400},
       "template":true,"languages":["de"],"variants":[{"name":"b","share":0.5,"devices":1}],"holdout":0.1,
       "grown_to":50,"pause_reason":"rejections","shares":{"own":0,"holdout":4,"capped":0}}
      """#
    let message = SentMessage(try #require(JSONParser.parse(Array(text.utf8)).root))
    #expect(message.changes == [.pause, .cancel])
    #expect(message.nextStart == WallTime("2026-12-25T08:00:00Z"))
    #expect(message.isScheduled && message.grownTo == 50 && message.isPausedForRejections)
    #expect(
      message.options.map { "\($0.name): \($0.text)" } == [
        "Repeats: FREQ=WEEKLY, occurrence 2", "Quiet hours: 22:00 to 08:00",
        "At most: 2 to a person in 86400 s", "Holdout: 0.1", "Languages: default, de",
        "Template: yes", "Variants: b, share 0.5: 1 device",
        "Nothing sent: 4 devices held out",
      ])
  }

  /// Devices of the holdout and beyond the cap are not waited for.
  @Test func whatGetsNothingIsNotStillToCome() throws {
    let text =
      #"{"state":"running","devices":40,"deliveries":{"open":2,"accepted":20},"shares":{"own":22,"holdout":4,"capped":1}}"#
    let message = SentMessage(try #require(JSONParser.parse(Array(text.utf8)).root))
    #expect(message.all == 35 && message.unmade == 13)
  }

  /// Of one that was made days before it started, or that waits for clocks, the pace says nothing.
  @Test(arguments: [
    "\"starts_at\":null", "\"starts_at\":\"2026-12-24T08:00:00.000Z\"", "\"local_time\":\"09:00\"",
    "\"quiet_hours\":{\"from\":\"22:00\",\"to\":\"08:00\"}",
  ])
  func thePaceIsThatSinceItsStart(member: String) throws {
    let text = """
      {"state":"running",\(member),"created_at":"2026-12-20T08:00:00.000Z","devices":40,
       "deliveries":{"open":0,"accepted":20,"rejected":0,"expired":0,"cancelled":0}}
      """
    let message = SentMessage(try #require(JSONParser.parse(Array(text.utf8)).root))
    let now = try #require(WallTime("2026-12-20T08:01:00Z"))
    #expect(message.secondsLeft(at: now) == (member.hasSuffix("null") ? 60 : nil))
  }
}
