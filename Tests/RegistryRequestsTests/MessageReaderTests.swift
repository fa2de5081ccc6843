import LinkspanCore
import PushProvider
import PushTerms
import Testing

@testable import RegistryRequests

/// What a client asks to be sent: each value at its bounds, and what is said of one beside them.
@Suite struct MessageReaderTests {
  private static let head =
    #""topic":"com.example.app","environment":"production","payload":{"aps":{"alert":"Hi"}}"#

  private func campaign(_ rest: String) throws -> (request: CampaignRequest?, problems: [InputProblem]) {
    let bytes = Array("{\(Self.head),\"audience\":\"all\"\(rest)}".utf8)
    var reader = MessageReader()
    let request = reader.campaign(try #require(JSONParser.parse(bytes).root), bytes)
    return (request, reader.problems)
  }

  /// An editor ends a payload's file with a line end, which stands before the comma then: the same command counted as another
  /// request, and a new key would have sent it twice.
  @Test(arguments: ["", "\n", " \r\n\t"]) func aRequestIsTheSameWhateverItConfirms(blanks: String) {
    let start = "{\"topic\":\"a\",\"payload\":{\"aps\":{}}\(blanks)"
    let plain = Array("\(start)}".utf8)
    for text in ["\(start),\"confirm\":4}", "\(start),\(blanks)\"confirm\":\(blanks)1000}"] {
      #expect(MessageReader.withoutConfirmation(Array(text.utf8)) == plain, "\(text)")
    }
    #expect(MessageReader.withoutConfirmation(plain) == plain)
    let first = Array("{\"confirm\":4,\(start.dropFirst())}".utf8)
    #expect(MessageReader.withoutConfirmation(first) == plain)
  }

  @Test(arguments: [("", false), (#","paused":false"#, false), (#","paused":true"#, true)])
  func aCampaignWaitsWhereItIsTold(rest: String, isPaused: Bool) throws {
    let (request, problems) = try campaign(rest)
    #expect(problems.isEmpty)
    #expect(request?.isPaused == isPaused)
  }

  @Test(arguments: ["1", "\"true\"", "[]"]) func aPauseIsTrueOrFalse(value: String) throws {
    let (request, problems) = try campaign(#","paused":\#(value)"#)
    #expect(request == nil && problems == [InputProblem("/paused", "Expected true or false.")])
  }

  @Test(arguments: [
    ("throttle_per_second", "0", false), ("throttle_per_second", "1", true),
    ("throttle_per_second", "1000000", true), ("throttle_per_second", "1000001", false),
    ("confirm", "-1", false), ("confirm", "0", true), ("confirm", "1000000000000", true),
    ("confirm", "1000000000001", false), ("local_time", "\"23:59\"", true),
    ("local_time", "\"24:00\"", false),
    ("local_time", "9", false),
  ])
  func aValueHasBounds(name: String, value: String, isTaken: Bool) throws {
    let (request, problems) = try campaign(",\"\(name)\":\(value)")
    #expect((request != nil) == isTaken)
    #expect(problems.map(\.pointer) == (isTaken ? [] : ["/" + name]))
  }

  /// 1798099200 is 8 o'clock of that day. 0 asks APNs to try once, whenever that is (push spec, `apns-expiration`).
  @Test(arguments: [(0, true), (1_798_099_199, false), (1_798_099_200, false), (1_798_099_201, true)])
  func aPushMustNotExpireBeforeItsCampaignStarts(expiration: Int, isTaken: Bool) throws {
    let (request, problems) = try campaign(
      #","starts_at":"2026-12-24T08:00:00Z","expiration":\#(expiration)"#)
    #expect((request != nil) == isTaken)
    let problem = InputProblem("/expiration", "The push expires before the campaign starts.")
    #expect(problems == (isTaken ? [] : [problem]))
  }

  @Test(arguments: [(0, true), (1, false), (1_798_099_201, false)])
  func aRepetitionHasNoMomentToExpireAt(expiration: Int, isTaken: Bool) throws {
    let (request, problems) = try campaign(
      #","starts_at":"2026-12-24T08:00:00Z","repeat":"FREQ=DAILY;COUNT=3","expiration":\#(expiration)"#)
    #expect((request != nil) == isTaken)
    #expect(problems.first?.pointer == (isTaken ? nil : "/expiration"))
  }

  /// A channel is an app's: of the topics with a suffix, only the one of Live Activities stands for it.
  @Test(
    arguments: [
      ("com.example.app", "com.example.app"), ("com.example.app.push-type.liveactivity", "com.example.app"),
      ("com.example.app.voip", nil), ("com.example.app.complication", nil),
    ] as [(String, String?)])
  func aChannelIsOfAnApp(topic: String, app: String?) throws {
    let root = JSONParser.parse(Array("{\"topic\":\"\(topic)\",\"environment\":\"sandbox\"}".utf8)).root
    var reader = MessageReader()
    let order = reader.channel(try #require(root), isNew: true)
    #expect(order?.topic == app)
    #expect(order.map { $0.environment == .sandbox } ?? true)
    #expect(
      reader.problems
        == (app == nil
          ? [InputProblem("/topic", "Expected the app's bundle identifier, without a suffix.")] : []))
  }

  /// An "é" in one character, and in two: two aliases and two tags, as the store has them.
  @Test func textsThatLookAlikeAreTwo() throws {
    let both = #"["jos\u00e9","jose\u0301","jos\u00e9"]"#
    let bytes = Array("{\(Self.head),\"aliases\":\(both)}".utf8)
    var reader = MessageReader()
    let request = reader.notification(try #require(JSONParser.parse(bytes).root), bytes)
    #expect(request?.aliases.map { Array($0.utf8).count } == [5, 6])
    let body = Array(#"{"topic":"com.example.app","environment":"production","tags":\#(both)}"#.utf8)
    var devices = DeviceReader()
    let device = devices.registration(
      try #require(JSONParser.parse(body).root), token: try DeviceToken("00fc13adff785122"),
      at: WallTime(milliseconds: 0))
    #expect(device?.attributes.tags.map { Array($0.utf8).count } == [5, 6])
    var audience = Audience()
    (audience.tags, audience.withoutTags) = (["jos\u{E9}"], ["jose\u{301}"])
    #expect(audience.contradiction { $0 } == nil)
    audience.withoutTags.append("jos\u{E9}")
    #expect(audience.contradiction { $0 }?.condition == "without_tags")
  }

  @Test(arguments: [#""""#, #""a\nb""#, #""a\u202eb""#, "7"])
  func aCollapseIdentifierIsToldItsOwnLimit(_ value: String) throws {
    let (request, problems) = try campaign(",\"collapse_id\":\(value)")
    #expect(request == nil)
    #expect(
      problems == [
        InputProblem(
          "/collapse_id",
          "Expected a string of 1 to 64 bytes without control characters, bidirectional controls, U+FFFD and"
            + " halves of surrogate pairs.")
      ])
  }

  /// The header's value is where the request has it, and is said once.
  @Test func aBroadcastPointsAtItsHeaders() throws {
    let aps = #"{"event":"update","timestamp":1796000000,"content-state":{}}"#
    let bytes = Array("{\"payload\":{\"aps\":\(aps)},\"expiration\":1}".utf8)
    var reader = MessageReader()
    _ = reader.broadcast(try #require(JSONParser.parse(bytes).root), bytes, to: "dHN0LXNyY2gtY2hubA==")
    #expect(reader.warnings.map(\.pointer) == ["/expiration"])
  }

  @Test(arguments: [
    (#","relevance_score":"50""#, "/relevance_score", "Expected a number, such as 50."),
    (#","stale_at":1764560000000"#, "/stale_at", "'stale_at' is in milliseconds. Write Unix seconds."),
    (#","stale_at":-1"#, "/stale_at", "Expected an integer from 0 to 100000000000."),
    (
      #","alert":{"title":{"key":"K"}}"#, "/alert/title",
      "Expected a text, or an object such as {\"loc-key\":\"GOAL\",\"loc-args\":[\"A\"]}."
    ),
    (#","alert":{"sound":1}"#, "/alert/sound", "Expected the name of a sound, such as \"default\"."),
    (
      #","alert":{"subtitle":"A"}"#, "/alert/subtitle",
      "A Live Activity's alert has 'title', 'body' and 'sound'."
    ),
    (
      #","alert":"A""#, "/alert",
      "Expected an object such as {\"title\":\"Kick-off\",\"body\":\"A-B\"}."
    ),
    (
      #","audience":"all","aliases":["ann"]"#, "/aliases",
      "'aliases' goes with neither 'query' nor 'audience'."
    ),
    (
      #","query":{"tags":["a"]},"tokens":["00"]"#, "/tokens",
      "'tokens' goes with neither 'query' nor 'audience'."
    ),
  ])
  func anActivityIsRefused(_ rest: String, _ pointer: String, _ message: String) throws {
    let text = #"{"topic":"com.example.app","environment":"production"\#(rest)}"#
    var reader = MessageReader()
    let node = try #require(JSONParser.parse(Array(text.utf8)).root)
    #expect(reader.activity(node, at: WallTime(milliseconds: 0)) { _ in nil } == nil)
    #expect(reader.problems == [InputProblem(pointer, message)])
  }
}

/// Push notes, 5.1: in a Live Activity's alert, title and body may be keys of the app's texts, and the sound is inside.
@Suite struct ActivityAlertTests {
  @Test func anAlertIsSentAsItIsGiven() throws {
    let alert = #"{"title":{"loc-key":"GOAL","loc-args":["A"]},"body":"1-0","sound":"default"}"#
    let text =
      #"{"topic":"com.example.app","environment":"production","tokens":["00"],"attributes_type":"G","attributes":{},"#
      + #""content_state":{},"alert":\#(alert)}"#
    var reader = MessageReader(ofActivity: true)
    let node = try #require(JSONParser.parse(Array(text.utf8)).root)
    let read = try #require(
      reader.activity(node, at: WallTime(milliseconds: 0)) { _ in nil }, "\(reader.problems)")
    #expect(String(decoding: read.message, as: UTF8.self).contains(#""alert":\#(alert)"#))
  }
}

/// Which members of a stored text this build does not read.
@Suite struct StoredFormTests {
  @Test(
    arguments: [
      (#"{"a":1,"b":[1,2]}"#, #"{"a":1,"b":[1,2],"c":3}"#, []), (#"{"a":1,"new":2}"#, #"{"a":1}"#, ["/new"]),
      (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":3}}"#, ["/a/c"]), (#"{"a/b":1}"#, "{}", ["/a~1b"]),
      (#"{"l":[{"x":1},{"x":2,"y":3}]}"#, #"{"l":[{"x":1},{"x":2}]}"#, ["/l/1/y"]),
      (#"{"l":[{"x":1}]}"#, #"{"l":[{"x":1},{"x":2}]}"#, ["/l"]), (#"{"l":[1,2]}"#, #"{"l":[1]}"#, ["/l"]),
      (#"{"l":[]}"#, #"{"l":[]}"#, []), ("{", "{}", [""]),
    ] as [(String, String, [String])])
  func namesWhatIsNotRead(stored: String, written: String, pointers: [String]) throws {
    let form = try #require(JSONParser.parse(Array(written.utf8)).root).json
    #expect(StoredForm.unread(stored, writtenAs: form) == pointers)
  }
}
