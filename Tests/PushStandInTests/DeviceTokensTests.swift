import LinkspanCore
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

  /// PowerShell writes a mark before a text.
  @Test(arguments: ["00fc\r\n11AB com.example.app\n", "[\"00fc\", { token: \"11ab\" }]"])
  func aByteOrderMarkIsNoPartOfAToken(list: String) {
    let source = SourceText(name: "tokens", bytes: [0xEF, 0xBB, 0xBF] + list.utf8)
    guard case .tokens(let tokens) = DeviceTokens.parse(source) else {
      Issue.record("the list is refused")
      return
    }
    #expect(tokens.all.map(\.0) == ["00fc", "11ab"])
  }

  @Test func aListInUTF16IsCalledSo() {
    guard
      case .findings(let findings) = DeviceTokens.parse(
        SourceText(name: "tokens", bytes: [0xFF, 0xFE, 0x30, 0]))
    else {
      Issue.record("the list is taken")
      return
    }
    #expect(findings.map(\.message) == ["The list is in UTF-16; expected UTF-8."])
  }

  @Test func whatIsToldLaterOfATopicGoesBefore() {
    var tokens = DeviceTokens()
    tokens.set(.init(topic: "a.example"), for: "a")
    tokens.set(.init(topic: "a.example", state: .expired(since: nil)), for: "a")
    #expect(tokens.all.map { $0.1.state } == [.expired(since: nil)])
  }
}
