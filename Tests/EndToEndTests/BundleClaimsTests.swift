import Foundation
import Testing

/// `--app` takes bundles (issue 14): what counts is what the signature says.
@Suite struct BundleClaimsTests {
  static let domains = """
    <key>com.apple.developer.associated-domains</key><array><string>applinks:example.com</string></array>
    """
  static let star = """
    <key>com.apple.developer.associated-domains</key><array><string>*</string></array>
    """
  static let file =
    #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a"}]}]}}"#

  /// A folder with a site, `App.app` and `App.ipa`.
  static func tool(signed: String) throws -> Tool {
    let tool = try Tool()
    try tool.write(file, to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(plist(domains), to: "App.entitlements")
    let info = InspectTests.info.replacing(
      "<dict><key>CFBundleIdentifier</key>",
      with: "<dict><key>CFBundleExecutable</key><string>App</string><key>CFBundleIdentifier</key>")
    try tool.write(info, to: "Payload/App.app/Info.plist")
    let identifier = "<key>application-identifier</key><string>ABCDE12345.com.example.app</string>"
    // As some tools sign: blanks before the declaration.
    let entitlements = "\n  " + plist(identifier + signed)
    let program = SignedProgram.bytes("com.example.app", team: "ABCDE12345", entitlements: entitlements)
    try Data(program).write(to: tool.folder.appending(path: "Payload/App.app/App"))
    try InspectTests.pack(tool, "App.ipa")
    return tool
  }

  static func plist(_ body: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"# + body + "</dict></plist>"
  }

  @Test(arguments: ["App.ipa", "Payload/App.app", "Payload/App.app/App"])
  func aSignedAppIsCheckedAgainstItsHosts(_ path: String) throws {
    let tool = try Self.tool(signed: Self.domains)
    let outcome = try tool.run("check", "site", "--app", path, "--json")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(try AppIdentityTests.rules(outcome).isEmpty)
  }

  /// What `inspect` says of the profile inside, `check` says too; `doctor` names it, since no device installs the app.
  @Test func aProfileOfAnotherAppIsTold() throws {
    let tool = try Self.tool(signed: Self.domains)
    let profile = Self.plist(
      "<key>ExpirationDate</key><date>2024-05-01T00:00:00Z</date><key>Entitlements</key><dict>"
        + "<key>application-identifier</key><string>ABCDE12345.com.example.other</string></dict>")
    try tool.write(profile, to: "Payload/App.app/embedded.mobileprovision")
    for words in [["inspect", "Payload/App.app"], ["check", "site", "--app", "Payload/App.app"]] {
      let outcome = try tool.run(words + ["--json"])
      #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
      for rule in ["profile-unsigned", "profile-other-app", "profile-expired"] {
        #expect(outcome.output.contains("signature.\(rule)\""), "\(words) \(rule)")
      }
    }
    let doctor = try tool.run("doctor", "site", "--app", "Payload/App.app", "--json").json()
    let cause = try #require(doctor["cause"] as? [String: Any])
    #expect(cause["id"] as? String == "app-not-installed" && cause["owner"] as? String == "app")
    #expect("\(doctor["not_checked"] ?? "")".contains("expired at 2024-05-01"), "\(doctor)")
  }

  /// A profile by itself has expired as one in an app has; its property list, as a Mac prints it, is not signed.
  @Test func aProfileByItselfIsCheckedToo() throws {
    let tool = try Self.tool(signed: Self.domains)
    func write(_ day: String) throws {
      let profile = Self.plist(
        "<key>ExpirationDate</key><date>\(day)T00:00:00Z</date><key>TeamIdentifier</key><array>"
          + "<string>ABCDE12345</string></array><key>Entitlements</key><dict><key>application-identifier</key>"
          + "<string>ABCDE12345.com.example.app</string></dict>")
      try tool.write(profile, to: "App.mobileprovision")
    }
    for words in [
      ["site", "--app", "App.entitlements", "--app", "App.mobileprovision"],
      ["site", "App.mobileprovision"], ["App.mobileprovision"],
    ] {
      try write("2024-05-01")
      let outcome = try tool.run(["check"] + words + ["--json"])
      #expect(try AppIdentityTests.rules(outcome) == ["signature.profile-expired"], "\(words)")
      try write("2999-05-01")
      #expect(try AppIdentityTests.rules(try tool.run(["check"] + words + ["--json"])).isEmpty, "\(words)")
    }
    try write("2024-05-01")
    let doctor = try tool.run(
      "doctor", "site", "--app", "App.entitlements", "--app", "App.mobileprovision", "--json")
    #expect("\(try doctor.json()["not_checked"] ?? "")".contains("expired at 2024-05-01"), "\(doctor.output)")
  }

  /// A file about an app may be a SITE by itself, and so may the app; named twice it counts once.
  @Test(arguments: ["App.ipa", "Payload/App.app", "Payload/App.app/App"])
  func anAppAmongTheSitesIsTheApp(_ path: String) throws {
    let tool = try Self.tool(signed: Self.domains)
    let answer = try tool.run("check", "site", "--app", path, "--json").output
    for words in [["site", path], [path, "site"], ["site", path, "--app", path]] {
      let outcome = try tool.run(["check"] + words + ["--json"])
      #expect(outcome.status == 0 && outcome.output == answer, "\(outcome.output)\(outcome.errors)")
    }
    let alone = try tool.run("check", path)
    #expect(alone.status == 0 && alone.output.contains("1 file: "), "\(alone.output)\(alone.errors)")
  }

  @Test func theClassicLossIsNamed() throws {
    for signed in [Self.star, ""] {
      let tool = try Self.tool(signed: signed)
      let outcome = try tool.run(
        "check", "site", "--app", "App.ipa", "--app", "App.entitlements", "--json")
      #expect(outcome.status == 1)
      let rules = try AppIdentityTests.rules(outcome)
      #expect(
        rules.contains("signature.domains-lost") && !rules.contains("joined.claims-nothing"), "\(rules)")
      #expect(outcome.output.contains("'App.entitlements' has 'applinks:example.com'"), "\(outcome.output)")
      #expect(outcome.output.contains("entitlement-lost"))
      let explained = try tool.run(
        "explain", "https://example.com/a", "--site", "site", "--app", "App.ipa", "--app", "App.entitlements",
        "--why")
      #expect(explained.status == 1)
      #expect(explained.output.contains("The signature claims "), "\(explained.output)")
    }
  }

  @Test func explainMatchAndStoriesTakeBundles() throws {
    let tool = try Self.tool(signed: Self.domains)
    #expect(
      try tool.run("explain", "https://example.com/a", "--site", "site", "--app", "App.ipa").status == 0)
    let file = "site/example.com/.well-known/apple-app-site-association"
    let matched = try tool.run(
      "match", "https://example.com/a", "--file", file, "--app", "Payload/App.app", "--json")
    #expect(matched.status == 0)
    #expect(matched.output.contains("ABCDE12345.com.example.app"))
  }

  @Test func aBrokenBundleIsAnErrorWithItsReason() throws {
    let tool = try Self.tool(signed: Self.domains)
    try tool.write("PK\u{3}\u{4}", to: "cut.ipa")
    let outcome = try tool.run("check", "site", "--app", "cut.ipa")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("cut.ipa: error[bundle.truncated]"), "\(outcome.errors)")
    let empty = try tool.run("check", "site", "--app", "site")
    #expect(empty.status == 2)
    #expect(empty.errors.contains("It contains no app"), "\(empty.errors)")
  }
}
