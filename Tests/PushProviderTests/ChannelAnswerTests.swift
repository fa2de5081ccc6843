import LinkspanCore
import PushProvider
import Testing

/// Answers about broadcast channels (push notes 6).
@Suite struct ChannelAnswerTests {
  private static let channel = "dHN0LXNyY2gtY2hubA=="
  private static let broadcast = ChannelRequest.publish(
    .init(channel: channel, priority: .immediate, expiration: 0, payload: Array("{}".utf8)))

  private func answer(
    _ request: ChannelRequest, _ status: Int, _ fields: HTTPFields = [:], _ body: String = ""
  ) -> ChannelAnswer {
    ChannelAnswer(HTTPResponse(status: status, fields: fields, body: Array(body.utf8)), to: request)
  }

  @Test func whatAppleDocumentsIsRead() {
    #expect(
      answer(.create(.none), 201, ["apns-channel-id": Self.channel, "apns-request-id": "a"])
        == .created(Self.channel))
    #expect(
      answer(.read(Self.channel), 200, [:], #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
        == .storage(.newest))
    #expect(answer(.list, 200, [:], #"{"channels":["QQ==","Qg=="]}"#) == .channels(["QQ==", "Qg=="]))
    #expect(answer(.delete(Self.channel), 204) == .deleted)
    #expect(answer(Self.broadcast, 200, ["apns-request-id": "a"]) == .published("a"))
    #expect(answer(Self.broadcast, 200, ["apns-unique-id": "u"]) == .published(nil))
  }

  /// Rows 72, 73 and 76, and a page of something between.
  @Test(arguments: [
    (400, #"{"reason":"ChannelNotRegistered"}"#, true), (404, #"{"reason":"BadPath"}"#, true),
    (400, #"{"reason":"BadExpirationDate"}"#, false), (200, "<html>", false), (503, "", false),
  ])
  func everythingElseIsARefusal(status: Int, body: String, isGone: Bool) {
    for request in [ChannelRequest.create(.newest), .read(Self.channel), .list, Self.broadcast] {
      let answer = answer(request, status, [:], body)
      guard case .refused(let refusal) = answer else {
        Issue.record("\(request) took \(status) \(body)")
        continue
      }
      #expect(refusal.status == status && answer.isGone == isGone && !refusal.channelAdvice.isEmpty)
    }
  }

  @Test(arguments: [
    ("QQ==", true), ("", false), ("?", false), (String(repeating: "QUJD", count: 129), false),
  ])
  func anIdentifierIsBase64(text: String, isOne: Bool) {
    #expect(ChannelIdentifier.isOne(text) == isOne)
  }
}
