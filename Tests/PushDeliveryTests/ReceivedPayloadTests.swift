import PushProvider
import Testing

@testable import PushDelivery

@Suite struct ReceivedPayloadTests {
  static func read(_ text: String) throws(PayloadProblem) -> ReceivedPayload {
    try ReceivedPayload(Array(text.utf8))
  }

  @Test(
    arguments: [
      (#"{"aps":{"content-available":1}}"#, .one), (#"{"aps":{"content-available":true}}"#, .yes),
      (#"{"aps":{"content-available":0}}"#, .other("0")),
      (#"{"aps":{"content-available":"1"}}"#, .other("\"1\"")), (#"{"aps":{}}"#, .absent),
    ] as [(String, ReceivedPayload.ContentAvailable)])
  func contentAvailable(_ row: (text: String, value: ReceivedPayload.ContentAvailable)) throws {
    #expect(try Self.read(row.text).contentAvailable == row.value)
  }

  /// Where an old server of registrations put the key.
  @Test func aMisplacedKeyIsNamed() throws {
    let outside = try Self.read(#"{"foo":"bar","content-available":1,"aps":{}}"#)
    #expect(outside.misplacedKey == "'content-available' outside 'aps'")
    #expect(!outside.asksForWake)
    #expect(
      try Self.read(#"{"aps":{"content_available":1}}"#).misplacedKey == "'content_available' inside 'aps'")
  }

  @Test func whatIsVisible() throws {
    #expect(try Self.read(#"{"aps":{"alert":{"title":"Hi"}}}"#).alert == "Hi")
    #expect(try Self.read(#"{"aps":{"alert":{"loc-key":"K"}}}"#).alert == "K")
    #expect(try Self.read(#"{"aps":{"alert":{}}}"#).isVisible == false)
    #expect(try Self.read(#"{"aps":{"badge":0}}"#).isVisible)
    #expect(try Self.read(#"{"aps":{"sound":"default"}}"#).isVisible)
    #expect(try Self.read(#"{"aps":{"sound":""}}"#).isVisible == false)
  }

  /// What a push is that does not say it.
  @Test(
    arguments: [
      (#"{"aps":{"event":"end"}}"#, .liveactivity), (#"{"aps":{"content-state":{}}}"#, .liveactivity),
      (#"{"aps":{"event":"end","content-state":{}}}"#, .liveactivity),
      (#"{"aps":{"content-changed":true}}"#, .widgets), (#"{"mdm":"x"}"#, .mdm),
      (#"{"aps":{}}"#, .alert), (#"{"aps":{"content-available":1}}"#, .background),
      (#"{"aps":{"content-available":1,"badge":1}}"#, .alert),
    ] as [(String, PushType)])
  func aTypeIsInferred(_ row: (text: String, type: PushType)) throws {
    #expect(try Self.read(row.text).type == row.type)
  }

  @Test func customKeysAndTheSimulatorsOwn() throws {
    let payload = try Self.read(
      #"{"Simulator Target Bundle":"com.example.app","aps":{},"steps": 4021,"a":{"b":[1]}}"#)
    #expect(payload.custom == ["steps": "4021", "a": #"{"b":[1]}"#])
    #expect(payload.simulatorBundle == "com.example.app")
  }

  @Test(arguments: ["", "[]", "{}", #"{"aps":1}"#, "{", #"{"aps":{},}"#])
  func whatIsNoPayload(_ text: String) {
    do {
      _ = try Self.read(text)
      Issue.record("it was taken")
    } catch {
      #expect(!error.message.isEmpty && !error.help.isEmpty)
    }
  }
}
