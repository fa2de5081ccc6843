import Testing

@testable import PushStandIn

/// What the stand-in knows of device tokens.
@Suite struct DeviceTokensTests {
  /// By token, and what was told of one token in the order in which it was told.
  @Test func theListIsInTheOrderOfTheTokens() {
    var tokens = DeviceTokens()
    for token in ["c", "a", "d", "b"] {
      tokens.set(.init(topic: "z.example", state: .expired(since: nil)), for: token)
      tokens.set(.init(topic: "a.example"), for: token)
    }
    #expect(tokens.all.map(\.0) == ["a", "a", "b", "b", "c", "c", "d", "d"])
    #expect(tokens.all.map { $0.1.topic } == (0..<4).flatMap { _ in ["z.example", "a.example"] })
    #expect(tokens.count == 4 && !tokens.isEmpty)
  }

  @Test func whatIsToldLaterOfATopicGoesBefore() {
    var tokens = DeviceTokens()
    tokens.set(.init(topic: "a.example"), for: "a")
    tokens.set(.init(topic: "a.example", state: .expired(since: nil)), for: "a")
    #expect(tokens.all.map { $0.1.state } == [.expired(since: nil)])
  }
}
