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

  @Test func anActivityHasAType() throws {
    for words in [["predict"], ["encode", "--key", Self.key, "--counter", "1"]] {
      let outcome = try Tool().run(["handoff"] + words + ["--activity-type", ""])
      #expect(
        outcome.status == 2 && outcome.errors.contains("an activity type is empty."), "\(outcome.errors)")
    }
  }

  @Test func withoutTheKeyTheRestIsNull() throws {
    let decoded = try Tool().run("handoff", "decode", "4c000c0e000100486402ebbf7995f70751b6", "--json")
    #expect(decoded.status == 0)
    let object = try object(decoded.output)
    #expect(try value(object, "counter") as? Int == 1)
    #expect(try value(object, "activity_hash") is NSNull)
    let copied = try Tool().run("handoff", "decode", "0x4C000C0E000100486402EBBF7995F70751B6", "--json")
    #expect(copied.output == decoded.output)
  }

  /// B.4: what published frames confirm, and what follows from them.
  @Test(arguments: [
    (["--activity-type", "com.apple.mail.mailbox"], "verified", false),
    (["--activity-type", "com.apple.mail.other"], "inferred", false),
    (["--activity-type", "com.example.edit"], "inferred", true),
    (["--activity-type", "com.example.edit", "--team", "ABCDE12345"], "inferred", false),
    (["--app", "Info.plist"], "inferred", true),
    (["--app", "Info.plist", "--team", "ABCDE12345"], "inferred", false),
  ])
  func aPredictionSaysHowSureItIs(words: [String], certainty: String, needsTeam: Bool) throws {
    let tool = try Tool()
    try tool.write(
      """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>
      <key>NSUserActivityTypes</key><array><string>com.apple.example</string></array></dict></plist>
      """, to: "Info.plist")
    let outcome = try tool.run(["handoff", "predict", "--json"] + words)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try object(outcome.output)["certainty"] as? String == certainty)
    #expect(outcome.errors.contains("needs its team") == needsTeam, "\(outcome.errors)")
  }

  /// An app says its types and, signed, its team.
  @Test func anAppSaysItsTeam() throws {
    let tool = try Tool()
    try tool.write(
      """
      <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.app</string>
      <key>CFBundleExecutable</key><string>App</string><key>NSUserActivityTypes</key>
      <array><string>com.example.myapp.editing</string></array></dict></plist>
      """, to: "Payload/App.app/Info.plist")
    let program = SignedProgram.bytes(
      "com.example.app", team: "ABCDE12345", entitlements: BundleClaimsTests.plist(""))
    try Data(program).write(to: tool.folder.appending(path: "Payload/App.app/App"))
    try InspectTests.pack(tool, "App.ipa")
    for path in ["App.ipa", "Payload/App.app"] {
      let outcome = try tool.run("handoff", "predict", "--app", path, "--json")
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
      let answer = try object(outcome.output)
      #expect(answer["team"] as? String == "ABCDE12345")
      #expect(answer["hash"] as? String == "8dff2f595867e5")
    }
    let other = try tool.run("handoff", "predict", "--app", "App.ipa", "--team", "QWERT12345")
    #expect(other.status == 2 && other.errors.contains("is signed by 'ABCDE12345'"), "\(other.errors)")
    let bare = try tool.run("handoff", "predict", "--app", "Payload/App.app/App")
    #expect(bare.status == 2 && bare.errors.contains("is a program, not a bundle"), "\(bare.errors)")
  }

  @Test func aBrokenPropertyListIsNamedWithItsPlace() throws {
    let tool = try Tool()
    try tool.write("<plist version=\"1.0\">\n<dict><key>a</key></dict></plist>", to: "broken.plist")
    let outcome = try tool.run("handoff", "predict", "--team", "ABCDE12345", "--app", "broken.plist")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("error: broken.plist:2:"), "\(outcome.errors)")
  }

  @Test(arguments: ["abc", "ABCDE1234", "ABCDE-2345"]) func anImpossibleTeamIsRefused(team: String) throws {
    for words in [["encode", "--key", Self.key, "--counter", "1"], ["predict"]] {
      let outcome = try Tool().run(
        ["handoff"] + words + ["--team", team, "--activity-type", "com.example.edit"])
      #expect(outcome.status == 2)
      #expect(
        outcome.errors.contains(
          "'--team': expected ten letters and digits, such as ABCDE12345, got '\(team)'"),
        "\(outcome.errors)")
    }
  }

  /// B.3: the time byte repeats, so that nothing but the moment of the frame dates it.
  @Test(arguments: [[], ["--at", "2026-01-01T00:01:00Z"]])
  func onlyTheMomentOfTheFrameDatesIt(words: [String]) throws {
    let decode = ["handoff", "decode", "4c000c0e000100486402ebbf7995f70751b6", "--key", Self.key] + words
    let decoded = try Tool().run(decode + ["--json"])
    #expect(try value(object(decoded.output), "last_used") is NSNull == words.isEmpty)
    let text = try Tool().run(decode).output
    #expect(text.contains("last used") == !words.isEmpty)
    #expect(text.contains("in use when the frame was made"))
  }

  /// Arguments are visible to every user of the machine; files and the environment are not.
  @Test func theKeyComesFromAFileOrTheEnvironmentToo() throws {
    let tool = try Tool()
    try tool.write(Self.key + "\n", to: "key")
    try tool.write("00", to: "short")
    let words =
      ["handoff", "encode", "--counter", "1", "--activity-type", "com.apple.mail.mailbox"]
      + ["--time-byte", "80"]
    let argument = try tool.run(words + ["--key", Self.key])
    let file = try tool.run(words + ["--key-file", "key"])
    let variable = try tool.run(words + ["--key-env", "K"], environment: ["K": Self.key])
    #expect(argument.status == 0)
    #expect(file.output == argument.output && variable.output == argument.output)
    for (more, message) in [
      (["--key-file", "short"], "'--key-file': expected 64 hexadecimal digits"),
      (["--key-env", "NONE"], "'--key-env' names 'NONE', which is not set"),
      (["--key-file", "key", "--key", Self.key], "cannot be combined"),
      ([], "the key is missing"),
    ] {
      let outcome = try tool.run(words + more)
      #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
      #expect(!outcome.errors.contains(Self.key))
    }
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
    (["handoff", "decode", "xyz"], "HEX: expected pairs of hexadecimal digits"),
    (["handoff", "decode", "0600"], "the company identifier is 0x0006"),
    (["handoff", "encode", "--key", "00"], "'--key': expected 64 hexadecimal digits"),
    (
      ["handoff", "encode", "--key", key, "--counter", "70000"],
      "'--counter': expected an integer from 0 to 65535, got '70000'"
    ),
    (
      ["handoff", "predict", "--activity-type", "NOTIFICATION#a", "--team", "ABCDE12345"],
      "kind 4 on the air (B.4, second-hand)"
    ),
    (
      [
        "handoff", "encode", "--key", key, "--counter", "1", "--activity-type", "com.apple.mail.mailbox",
        "--at",
        "2000-12-31T23:59:59Z",
      ], "'--at': expected a time from 2001-01-01T00:00:00.000Z on"
    ),
  ])
  func wrongInputSaysWhy(words: [String], message: String) throws {
    let outcome = try Tool().run(words)
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }
}
