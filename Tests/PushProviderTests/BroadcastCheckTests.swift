import LinkspanCore
import Testing

@testable import PushProvider

/// Broadcasts have at most 5,120 bytes (push notes, 9).
struct BroadcastCheckTests {
  @Test(arguments: [(5_120, false), (5_121, true)])
  func aBroadcastMayHaveSoManyBytes(_ bytes: Int, _ isRefused: Bool) {
    let head = #"{"aps":{"event":"update","timestamp":1700000000,"content-state":{"text":""#
    let tail = #""}}}"#
    let text = head + String(repeating: "x", count: bytes - head.utf8.count - tail.utf8.count) + tail
    let findings = BroadcastCheck.findings(
      in: SourceText(name: "payload", bytes: Array(text.utf8)), priority: .immediate, expiration: 0)
    #expect(findings.contains { $0.message.contains("has at most 5120") } == isRefused)
    #expect(findings.filter { $0.severity == .error }.count == (isRefused ? 1 : 0))
  }
}
