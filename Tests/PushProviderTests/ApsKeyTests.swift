import LinkspanCore
import Testing

@testable import PushProvider

/// Keys of `aps` in other spellings than Apple's.
@Suite struct ApsKeyTests {
  @Test(
    arguments: [
      ("content_available", "content-available"), ("contentAvailable", "content-available"),
      ("ContentAvailable", "content-available"), ("contentavailable", "content-available"),
      ("content-available", nil), ("contentAvailabl", nil), ("thread_id", "thread-id"),
      ("mutable_content", "mutable-content"), ("staleDate", "stale-date"),
      // These have one spelling.
      ("Alert", nil), ("BADGE", nil), ("", nil),
    ] as [(String, String?)])
  func anotherSpellingIsKnown(name: String, key: String?) {
    #expect(ApsKey.twin(of: name)?.name == key)
  }

  @Test(arguments: ApsKey.all.map(\.name)) func aKeyIsFoundByItsName(name: String) {
    #expect(ApsKey.named(name)?.name == name && ApsKey.twin(of: name) == nil)
  }

  /// What is typed is taken off, what is not stays as it is.
  @Test func whatIsNotTypedIsKeptApart() throws {
    func aps(_ json: String) throws -> Aps {
      let root = try #require(JSONParser.parse(Array(json.utf8)).root)
      return try #require(Aps(root))
    }
    let known = try aps(
      #"{"alert":"Hi","badge":3,"sound":"s","thread-id":"t","category":"c","content-available":1,"mutable-content":1,"event":"end","timestamp":1,"stale-date":2,"attributes-type":"A","input-push-token":1,"content-changed":false}"#
    )
    #expect(known.other.isEmpty && known.badge == 3 && known.isContentAvailable && known.isMutable)
    #expect(known.event == .end && known.timestamp == 1 && known.staleDate == 2 && known.asksForToken)
    #expect(known.isContentChanged == false && known.attributesType == "A" && known.category == "c")
    let others = try aps(#"{"content-available":0,"mutable-content":"1","event":"stop","x":1}"#)
    #expect(others.other.map(\.0) == ["content-available", "mutable-content", "event", "x"])
    #expect(!others.isContentAvailable && !others.isMutable && others.event == nil)
  }
}
