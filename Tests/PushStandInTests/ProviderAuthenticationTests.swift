import Foundation
import LinkspanCore
import LinkspanCrypto
import PushTerms
import Testing

@testable import PushStandIn

/// The test table of the push notes (11), by number: provider tokens.
@Suite struct ProviderAuthenticationTests {
  private func authorize(_ request: inout HTTPRequest, _ token: String) {
    request.fields["authorization"] = "bearer " + token
  }

  /// What a fresh stand-in says to one push with that token.
  private func verdict(_ token: String, at change: Duration = .zero) throws -> String {
    var exchange = try Exchange()
    exchange.now = exchange.now.advanced(by: change)
    return try exchange.push { authorize(&$0, token) }.verdict
  }

  private func issued(_ seconds: Int) -> String {
    String(Exchange.start.milliseconds / 1000 + Int64(seconds))
  }

  /// Rows 44 and 45.
  @Test(arguments: [nil, "bearer", "bearer ", "Basic YTpi"])
  func aPushWithoutATokenIsRefused(_ authorization: String?) throws {
    var exchange = try Exchange()
    #expect(
      try exchange.push { $0.fields["authorization"] = authorization }.verdict == "403 MissingProviderToken")
  }

  @Test func theSchemeIsReadWithoutCase() throws {
    var exchange = try Exchange()
    let token = try Exchange.jwt(issued: exchange.seconds(0))
    #expect(try exchange.push { $0.fields["authorization"] = "Bearer " + token }.verdict == "200")
  }

  /// Row 46.
  @Test func aSignatureByAnotherKeyIsRefused() throws {
    let token = try Exchange.jwt(issued: issued(-60), signedBy: Exchange.otherKey.get())
    #expect(try verdict(token) == "403 InvalidProviderToken")
  }

  /// Row 46: one changed character of each part.
  @Test func aChangedTokenIsRefused() throws {
    let token = try Exchange.jwt(issued: issued(-60))
    let bytes = Array(token.utf8)
    for index in stride(from: 0, to: bytes.count, by: 3) {
      var changed = bytes
      changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      let text = String(decoding: changed, as: UTF8.self)
      #expect(try verdict(text) == "403 InvalidProviderToken", "character \(index)")
    }
  }

  /// Row 47.
  @Test(arguments: ["HS256", "RS256", "none"])
  func anotherAlgorithmIsRefused(_ algorithm: String) throws {
    let token = try Exchange.jwt(issued: issued(-60), algorithm: algorithm)
    #expect(try verdict(token) == "403 InvalidProviderToken")
  }

  @Test(arguments: ["", "a.b", "a.b.c.d", "e30.e30.", "%%.%%.%%", String(repeating: "a", count: 10_000)])
  func aTextThatIsNoTokenIsRefused(_ text: String) throws {
    let wanted = text.isEmpty ? "403 MissingProviderToken" : "403 InvalidProviderToken"
    #expect(try verdict(text) == wanted)
  }

  @Test func anUnknownKeyAndAForeignTeamAreRefused() throws {
    #expect(
      try verdict(Exchange.jwt(issued: issued(-60), key: "K9K9K9K9K9")) == "403 InvalidProviderToken")
    #expect(
      try verdict(Exchange.jwt(issued: issued(-60), team: "X9X9X9X9X9")) == "403 InvalidProviderToken")
  }

  /// Rows 48, 49 and 51.
  @Test(arguments: [
    (-3_601, "403 ExpiredProviderToken"), (-3_600, "200"), (-3_599, "200"), (0, "200"), (299, "200"),
    (300, "200"), (301, "403 InvalidProviderToken"),
    (600, "403 InvalidProviderToken"),
  ])
  func theAgeIsJudged(_ seconds: Int, _ verdict: String) throws {
    #expect(try self.verdict(Exchange.jwt(issued: issued(seconds))) == verdict)
  }

  /// A token that was right when it first came grows old.
  @Test func aRememberedTokenExpires() throws {
    var exchange = try Exchange()
    let token = try Exchange.jwt(issued: issued(0))
    #expect(try exchange.push { authorize(&$0, token) }.verdict == "200")
    exchange.now = exchange.now.advanced(by: .seconds(3_600))
    #expect(try exchange.push { authorize(&$0, token) }.verdict == "200")
    exchange.now = exchange.now.advanced(by: .seconds(1))
    #expect(try exchange.push { authorize(&$0, token) }.verdict == "403 ExpiredProviderToken")
  }

  /// Row 50: seconds and milliseconds, as a number and as a string; Python's `time.time()` has a fraction.
  @Test(arguments: ["\"1799999940\"", "1799999940000", "\"1799999940000\"", "1799999940.25"])
  func theIssueTimeIsReadAsSendersWriteIt(_ issued: String) throws {
    #expect(try verdict(Exchange.jwt(issued: issued)) == "200")
  }

  @Test(arguments: ["true", "null", "\"soon\"", "-1", "1e9", "99999999999999999999"])
  func anIssueTimeThatIsNoneIsRefused(_ issued: String) throws {
    #expect(try verdict(Exchange.jwt(issued: issued)) == "403 InvalidProviderToken")
  }

  /// Rows 52 and 53.
  @Test(arguments: [(19, "429 TooManyProviderTokenUpdates"), (20, "200"), (21, "200")])
  func tokensChangeEveryTwentyMinutesAtMost(_ minutes: Int, _ verdict: String) throws {
    var exchange = try Exchange()
    _ = try exchange.push()
    exchange.now = exchange.now.advanced(by: .seconds(minutes * 60))
    // B signs anew at each moment.
    #expect(try exchange.push().verdict == verdict)
  }

  /// Set back by hours, it refused every new token until it had caught up.
  @Test func aClockThatIsSetBackStartsTheTwentyMinutesAnew() throws {
    var exchange = try Exchange()
    #expect(try exchange.push().verdict == "200")
    let refusal = "429 TooManyProviderTokenUpdates"
    for (minutes, verdict) in [(-120, refusal), (19, refusal), (2, "200")] {
      exchange.now = exchange.now.advanced(by: .seconds(minutes * 60))
      #expect(try exchange.push().verdict == verdict, "\(minutes)")
    }
  }

  /// The clock that issued the tokens may tell as well as the one that saw them.
  @Test func tokensThatWereMadeTwentyMinutesApartMayFollowEachOther() throws {
    var exchange = try Exchange()
    let tokens = try [-1_300, 0].map { try Exchange.jwt(issued: issued($0)) }
    #expect(try exchange.push { authorize(&$0, tokens[0]) }.verdict == "200")
    #expect(try exchange.push { authorize(&$0, tokens[1]) }.verdict == "200")
    #expect(
      try exchange.push { authorize(&$0, tokens[0]) }.verdict == "429 TooManyProviderTokenUpdates")
  }

  @Test func afterATokenTooManyTheOldOneIsStillGood() throws {
    var exchange = try Exchange()
    let tokens = try [-60, 0].map { try Exchange.jwt(issued: issued($0)) }
    #expect(try exchange.push { authorize(&$0, tokens[0]) }.verdict == "200")
    #expect(
      try exchange.push { authorize(&$0, tokens[1]) }.verdict == "429 TooManyProviderTokenUpdates")
    #expect(try exchange.push { authorize(&$0, tokens[0]) }.verdict == "200")
  }

  /// Row 54.
  @Test func anotherConnectionMayHaveItsOwnToken() throws {
    var exchange = try Exchange()
    _ = try exchange.push()
    exchange.reconnect()
    #expect(try exchange.push { authorize(&$0, try Exchange.jwt(issued: issued(0))) }.verdict == "200")
  }

  /// Row 55.
  @Test func aConnectionStaysWithItsKey() throws {
    var exchange = try Exchange { $0.keys[1].topics = ["com.example.app"] }
    _ = try exchange.push()
    let other = try Exchange.jwt(
      issued: issued(0), key: "K2K2K2K2K2", signedBy: Exchange.otherKey.get())
    #expect(try exchange.push { authorize(&$0, other) }.verdict == "403 UnrelatedKeyIdInToken")
    exchange.reconnect()
    #expect(try exchange.push { authorize(&$0, other) }.verdict == "200")
  }

  @Test func keysOfOneTopicMayFollowEachOther() throws {
    var exchange = try Exchange {
      $0.keys[0].topics = ["com.example.app"]
      $0.keys[1].topics = ["com.example.app", "com.other.app"]
    }
    _ = try exchange.push()
    let other = try Exchange.jwt(
      issued: issued(0), key: "K2K2K2K2K2", signedBy: Exchange.otherKey.get())
    #expect(try exchange.push { authorize(&$0, other) }.verdict == "200")
  }

  @Test func aKeyForOneTopicPushesNoOther() throws {
    var exchange = try Exchange {
      $0.keys[0].topics = ["com.other.app"]
      $0.tokens = .init()
    }
    #expect(try exchange.push().verdict == "400 TopicDisallowed")
    #expect(
      try exchange.push {
        $0.fields["apns-topic"] = "com.other.app.voip"; $0.fields["apns-push-type"] = "voip"
      }
      .verdict == "200")
  }

  /// Row 56.
  @Test func aKeyOfOneEnvironmentIsRefusedInTheOther() throws {
    var exchange = try Exchange {
      $0.keys[0].environment = .sandbox
      $0.environment = .production
    }
    #expect(try exchange.push().verdict == "403 BadEnvironmentKeyIdInToken")
  }

  /// Row 57.
  @Test func aConnectionStaysWithItsTeam() throws {
    var exchange = try Exchange()
    _ = try exchange.push()
    let other = try Exchange.jwt(
      issued: issued(0), key: "K3K3K3K3K3", team: "X3X3X3X3X3", signedBy: Exchange.otherKey.get())
    #expect(try exchange.push { authorize(&$0, other) }.verdict == "403 InvalidProviderToken")
    exchange.reconnect()
    #expect(try exchange.push { authorize(&$0, other) }.verdict == "200")
  }
}
