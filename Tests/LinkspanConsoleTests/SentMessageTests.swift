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
}
