import Foundation
import Testing

/// `linkspan handoff` as a person runs it.
@Suite struct HandoffCommandTests {
  static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

  private func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func value(_ object: [String: Any], _ name: String) throws -> Any {
    let field = try #require(object[name] as? [String: Any], "\(name)")
    #expect(field["certainty"] is String)
    return try #require(field["value"])
  }

  /// B.2: this project's first vector, there and back.
  @Test func encodesAndDecodes() throws {
    let encoded = try Tool().run(
      "handoff", "encode", "--key", Self.key, "--counter", "1", "--team", "ABCDE12345", "--activity-type",
      "com.example.myapp.editing", "--option", "webpage-url", "--time-byte", "80")
    #expect(encoded.output == "4c000c0e000100486402ebbf7995f70751b6\n")
    let decoded = try Tool().run(
      "handoff", "decode", "4c000c0e000100486402ebbf7995f70751b6", "--key", Self.key, "--team", "ABCDE12345",
      "--activity-type", "com.example.myapp.editing", "--json")
    #expect(decoded.status == 0)
    let object = try object(decoded.output)
    #expect(try value(object, "counter") as? Int == 1)
    #expect(try value(object, "activity_hash") as? String == "8dff2f595867e5")
    #expect(try value(object, "activity_type") as? String == "com.example.myapp.editing")
    #expect(try value(object, "options") as? [String] == ["webpage-url"])
    #expect(!decoded.output.contains(Self.key))
  }

  @Test func withoutTheKeyTheRestIsNull() throws {
    let decoded = try Tool().run("handoff", "decode", "4c000c0e000100486402ebbf7995f70751b6", "--json")
    #expect(decoded.status == 0)
    let object = try object(decoded.output)
    #expect(try value(object, "counter") as? Int == 1)
    #expect(try value(object, "activity_hash") is NSNull)
  }

  @Test func aFlippedByteIsRefused() throws {
    let decoded = try Tool().run(
      "handoff", "decode", "4c000c0e000100486402ebbf7995f70751b7", "--key", Self.key, "--json")
    #expect(decoded.status == 1)
    #expect(try object(decoded.output)["plausible"] as? Bool == false)
  }

  @Test func typesThatDifferInCaseCollide() throws {
    let outcome = try Tool().run(
      "handoff", "predict", "--team", "ABCDE12345", "--activity-type", "com.example.Edit", "--activity-type",
      "com.example.edit")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("collides with com.example.Edit"))
  }

  @Test(arguments: [
    (["handoff", "decode", "xyz"], "HEX expected pairs of hexadecimal digits"),
    (["handoff", "decode", "0600"], "the company identifier is 0x0006"),
    (["handoff", "encode", "--key", "00"], "'--key' expected 64 hexadecimal digits"),
    (
      ["handoff", "encode", "--key", key, "--counter", "70000"],
      "'--counter' expected an integer from 0 to 65535, got '70000'"
    ),
  ])
  func wrongInputSaysWhy(words: [String], message: String) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
