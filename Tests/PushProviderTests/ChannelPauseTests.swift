import LinkspanCore
import PushProvider
import Testing

/// A `Retry-After` of APNs' about channels is waited for, as one about pushes is.
@Suite struct ChannelPauseTests {
  private static let begin = WallTime(milliseconds: 1_800_000_000_000)
  private static let create = ChannelRequest.create(.none)

  private func read(_ channel: String) -> ChannelRequest { .read(channel) }

  private func refusal(_ status: Int, _ after: String?) -> ChannelAnswer {
    var fields = HTTPFields()
    if let after { fields["Retry-After"] = after }
    return ChannelAnswer(HTTPResponse(status: status, fields: fields), to: Self.create)
  }

  private func left(_ pause: ChannelPause, _ request: ChannelRequest, seconds: Int) -> Duration? {
    let now = Self.begin.advanced(by: .seconds(seconds))
    guard case .refused(let answer) = pause.answer(to: request, of: "com.example.app", from: "apns", at: now)
    else { return nil }
    return answer.retryAfter
  }

  private func pause(_ answer: ChannelAnswer, _ request: ChannelRequest) -> ChannelPause {
    var pause = ChannelPause()
    pause.note(answer, to: request, of: "com.example.app", from: "apns", at: Self.begin)
    return pause
  }

  @Test func aFailingServerIsLeftAloneForAsLongAsItAsks() {
    let pause = pause(refusal(503, "7"), Self.create)
    #expect(left(pause, Self.create, seconds: 0) == .seconds(7))
    #expect(left(pause, read("QQ=="), seconds: 6) == .seconds(1))
    #expect(left(pause, Self.create, seconds: 7) == nil)
    #expect(pause.answer(to: Self.create, of: "com.example.app", from: "other", at: Self.begin) == nil)
  }

  @Test func tooManyRequestsAreAboutOneChannel() {
    let pause = pause(refusal(429, "7"), read("QQ=="))
    #expect(left(pause, read("QQ=="), seconds: 1) == .seconds(6))
    #expect(left(pause, read("Qg=="), seconds: 1) == nil)
    #expect(left(pause, Self.create, seconds: 1) == nil)
  }

  @Test(arguments: [nil, "0", "soon"])
  func withoutATimeNothingIsHeldBack(_ after: String?) {
    #expect(left(pause(refusal(503, after), Self.create), Self.create, seconds: 0) == nil)
  }

  /// As long as a push waits at most, and not until a clock that was set back has caught up.
  @Test func noPauseIsLongerThanFifteenMinutes() {
    let pause = pause(refusal(503, "86400"), Self.create)
    #expect(left(pause, Self.create, seconds: 0) == .seconds(900))
    #expect(left(pause, Self.create, seconds: 900) == nil)
    #expect(left(pause, Self.create, seconds: -3_600) == nil)
  }
}
