import LinkspanCore
import PushProvider
import Testing

/// Device tokens, topics and priorities (push notes 2.1 and 2.3, test rows 10 to 29).
@Suite struct PushAddressTests {
  static let digits = String(repeating: "0A", count: 32)

  @Test(arguments: [
    digits, "<\(digits)>", "<0a0a0a0a 0a0a0a0a 0a0a0a0a 0a0a0a0a 0a0a0a0a 0a0a0a0a 0a0a0a0a 0a0a0a0a>",
    " \(digits.lowercased())\n",
  ])
  func aTokenHasOneForm(text: String) throws {
    #expect(try DeviceToken(text).text == Self.digits.lowercased())
  }

  /// Rows 12, 14 and 15: no length is assumed, and two digits make a byte.
  @Test(arguments: [
    (String(repeating: "z", count: 64), DeviceTokenError.notHexadecimal), ("", .length(0)),
    (String(repeating: "a", count: 63), .oddDigits(63)), (String(repeating: "a", count: 14), .length(14)),
    (String(repeating: "a", count: 514), .length(514)),
    // Two in a row are not one of twice the length, as lines that end with CR alone would be.
    ("\(digits)\r\(digits)", .divided), ("\(digits) \(digits)", .divided),
    ("<\(digits)><\(digits)>", .divided), ("\(digits)\r\n\t\(digits)", .divided),
  ])
  func aMalformedTokenSaysWhy(text: String, reason: DeviceTokenError) {
    #expect(throws: reason) { try DeviceToken(text) }
    #expect(!reason.message.isEmpty)
  }

  @Test(arguments: [16, 108, 160, 200, 512]) func tokensHaveManyLengths(digits: Int) throws {
    #expect(try DeviceToken(String(repeating: "a", count: digits)).text.utf8.count == digits)
  }

  /// Every suffix is recognized, and the longest of two that fit.
  @Test(arguments: PushType.allCases) func aTopicImpliesItsType(type: PushType) throws {
    let topic = try #require(PushTopic("com.example.app" + type.topicSuffix))
    #expect(topic.bundleIdentifier == "com.example.app")
    #expect(topic.impliedType == (type.topicSuffix.isEmpty ? nil : type))
    #expect(topic.fits(type) && topic.expected(for: type) == topic.text)
  }

  @Test func anAppHasATopicForEachSuffix() throws {
    let family = try #require(PushTopic("com.example.app")).family.map(\.text)
    #expect(Set(family) == Set(PushType.allCases.map { "com.example.app" + $0.topicSuffix }))
    #expect(family.count == Set(family).count && family.first == "com.example.app")
    let voip = try #require(PushTopic("com.example.app.voip"))
    #expect(voip.family == [voip])
  }

  @Test func aTopicOfAnotherTypeDoesNotFit() throws {
    // Rows 23 and 24.
    let plain = try #require(PushTopic("com.example.app"))
    #expect(!plain.fits(.voip) && plain.fits(.alert) && plain.fits(.background))
    #expect(plain.expected(for: .liveactivity) == "com.example.app.push-type.liveactivity")
    #expect(try #require(PushTopic("com.example.app.voip-ptt")).impliedType == .pushtotalk)
    // A suffix alone is a bundle identifier, odd as it is.
    #expect(try #require(PushTopic(".voip")).impliedType == nil)
  }

  /// Row 21.
  @Test(arguments: ["com.example.app ", String(repeating: "a", count: 300), "", "com/example"])
  func aMalformedTopicIsNone(text: String) { #expect(PushTopic(text) == nil) }

  /// Rows 28 and 29.
  @Test func prioritiesAreThree() {
    #expect(["1", "5", "10"].map { PushPriority($0)?.rawValue } == [1, 5, 10])
    #expect(["7", "high", "", "05", "+5"].allSatisfy { PushPriority($0) == nil })
    #expect(PushType.background.usualPriority == .powerAware && PushType.alert.usualPriority == .immediate)
  }

  /// Rows 42 and 43.
  @Test func sizesGoByType() {
    for type in PushType.allCases { #expect(type.payloadLimitBytes == (type == .voip ? 5_120 : 4_096)) }
  }
}

/// The typed payload (push notes 5.1).
@Suite struct PushPayloadTests {
  private func text(_ json: String) throws -> String {
    let node = try #require(JSONParser.parse(Array(json.utf8)).root)
    return try #require(PushPayload(node)).json.text
  }

  @Test func aSilentPushIsRightByDefault() {
    #expect(PushPayload.silent.json.text == #"{"aps":{"content-available":1}}"#)
    #expect(PushPayload.alert("Hi").json.text == #"{"aps":{"alert":"Hi"}}"#)
  }

  @Test(arguments: [
    #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B","launch-image":"i","title-loc-key":"K","title-loc-args":["a"],"subtitle-loc-key":"L","subtitle-loc-args":[],"loc-key":"M","loc-args":["b","c"],"sound":"s","action":"x"},"badge":0,"sound":{"critical":1,"name":"default","volume":0.5},"thread-id":"t","category":"c","content-available":1,"mutable-content":1,"target-content-id":"w","interruption-level":"time-sensitive","relevance-score":0.25,"filter-criteria":"f","url-args":["u"]},"custom":{"n":[1,null,true]}}"#,
    #"{"aps":{"alert":{"title":{"loc-key":"K","loc-args":["a"]},"body":{"loc-key":"L"}},"event":"start","timestamp":1,"content-state":{"a":1},"stale-date":2,"dismissal-date":3,"attributes-type":"A","attributes":{},"input-push-token":1,"input-push-channel":"QQ==","content-changed":true}}"#,
    // Nothing is lost: unknown keys, and values of other types than Apple's.
    #"{"aps":{"badge":"1","content-available":true,"interruption-level":"urgent","colour":"red"}}"#,
  ])
  func readingAndWritingLoseNothing(json: String) throws { #expect(try text(json) == json) }

  @Test(arguments: ["[]", "{}", #"{"aps":[]}"#]) func withoutApsThereIsNone(json: String) throws {
    #expect(PushPayload(try #require(JSONParser.parse(Array(json.utf8)).root)) == nil)
  }
}
