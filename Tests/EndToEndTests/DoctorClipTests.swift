import Foundation
import TestSupport
import Testing

/// What `linkspan doctor`, `explain` and `match` say of an App Clip, which its experiences open and no rule of 'applinks'
/// (J4, AC6, AC15, AC24).
@Suite struct DoctorClipTests {
  private static let clip = "ABCDE12345.com.example.app.Clip"
  private static let link = "https://appclip.apple.com/id?p=com.example.app.Clip"

  /// - Parameter identifier: What the clip is signed with; nil before signing.
  private static func entitlements(_ entries: [String], identifier: String? = clip) -> String {
    let own = identifier.map { "<key>application-identifier</key><string>\($0)</string>" } ?? ""
    let list = entries.map { "<string>\($0)</string>" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>\(own)<key>com.apple.developer.parent-application-identifiers</key>
      <array><string>$(AppIdentifierPrefix)com.example.app</string></array>
      <key>com.apple.developer.associated-domains</key><array>\(list)</array></dict></plist>
      """
  }

  private static func file(clips: String) -> String {
    DoctorTests.file().dropLast() + #","appclips":{"apps":[\#(clips)]}}"#
  }

  private func tool(_ entries: [String], _ clips: String, identifier: String? = clip) throws -> Tool {
    let tool = try Tool()
    try tool.write(Self.file(clips: clips), to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(Self.entitlements(entries, identifier: identifier), to: "Clip.entitlements")
    return tool
  }

  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var entries = ["appclips:example.com"]
    /// The elements of 'apps' under 'appclips'.
    var clips = "\"\(clip)\""
    var identifier: String? = clip
    var cause: String?
    var remedy = ""
  }

  static let rows = [
    Row(testDescription: "a right clip"),
    Row(testDescription: "a right clip before signing", identifier: nil),
    Row(
      testDescription: "another service", entries: ["applinks:example.com"], cause: "entitlement-host",
      remedy: "<string>appclips:example.com</string>"),
    Row(
      testDescription: "no entry", entries: [], cause: "entitlement-missing",
      remedy: "<string>appclips:example.com</string>"),
    Row(
      testDescription: "another clip in the file", clips: "\"ABCDE12345.com.example.app.Other\"",
      cause: "app-not-listed", remedy: "\"appclips\":{\"apps\":[\"\(clip)\"]}"),
    Row(
      testDescription: "no clip in the file", clips: "", identifier: nil, cause: "no-apps",
      remedy: "\"appclips\":{\"apps\":[\"ABCDE12345.com.example.app.Clip\"]}"),
  ]

  @Test(arguments: rows) func theClipIsWhatIsMended(_ row: Row) throws {
    let tool = try tool(row.entries, row.clips, identifier: row.identifier)
    let outcome = try tool.run("doctor", "site", "--app", "Clip.entitlements", "--json")
    let json = try outcome.json()
    let cause = json["cause"] as? [String: Any]
    #expect(cause?["id"] as? String == row.cause, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.status == (row.cause == nil ? 0 : 1))
    let remedy = (cause?["remedy"] as? String) ?? ""
    #expect(remedy.contains(row.remedy) || row.cause == nil, "\(outcome.output)")
    #expect(!outcome.output.contains("??????????") && !outcome.output.contains("applinks:example.com</"))
    if row.cause == nil {
      #expect(json["outcome"] as? String == "an experience can open the clip")
      #expect(
        (json["not_checked"] as? [String])?.contains { $0.contains("linkspan clip url") } == true,
        "\(outcome.output)")
    }
  }

  /// A link to a host whose file and clip are right: its experience is not known.
  @Test func aLinkOfAClipDependsOnItsExperiences() throws {
    let tool = try Tool()
    let certificate = try LocalCertificate(["example.com"])
    try certificate.writeAuthority(to: tool)
    let text = Self.file(clips: "\"\(Self.clip)\"")
    let host = try LocalServer(certificate, DoctorTests.serves(text))
    let cdn = try LocalServer(nil) { _ in FetchCDNTests.copy(text) }
    try tool.write(Self.entitlements(["appclips:example.com"]), to: "Clip.entitlements")
    let answer = try DoctorTests.ask(
      tool, port: host.port, cdn: cdn.port, [DoctorTests.link, "--app", "Clip.entitlements"])
    #expect(answer.id == nil && answer.outcome.status == 2, "\(answer.outcome.output)")
    #expect(answer.json["verdict"] as? String == "unknown")
  }

  /// A bundle's own files say which of the two is the app: the clip beside it is not asked about.
  @Test func aClipAloneIsRefusedWhereRulesDecide() throws {
    let tool = try tool(["appclips:example.com"], "\"\(Self.clip)\"")
    let file = "site/example.com/.well-known/apple-app-site-association"
    for words in [
      ["explain", DoctorTests.link, "--site", "site"], ["match", DoctorTests.link, "--file", file],
    ] {
      let outcome = try tool.run(words + ["--app", "Clip.entitlements"])
      #expect(
        outcome.status == 2 && outcome.errors.contains("is an App Clip")
          && outcome.errors.contains("clip url"),
        "\(outcome.output)\(outcome.errors)")
      // With the app beside it the clip changes nothing.
      try tool.write(DoctorTests.entitlements("applinks:example.com"), to: "App.entitlements")
      let both = try tool.run(words + ["--app", "App.entitlements", "--app", "Clip.entitlements"])
      #expect(both.status == 0 && !both.output.contains(".Clip"), "\(both.output)\(both.errors)")
    }
    let named = try tool.run("match", DoctorTests.link, "--file", file, "--app", Self.clip)
    #expect(named.status == 1 && named.errors.contains("is an App Clip of the file"), "\(named.errors)")
  }

  /// AC24: no file of anybody decides about Apple's link, so nothing is to be published.
  @Test func applesLinkIsAnAppClips() throws {
    let tool = try tool(["appclips:example.com"], "\"\(Self.clip)\"")
    let explained = try tool.run("explain", Self.link, "--site", "site")
    #expect(explained.status == 2 && explained.errors.contains("clip url"), "\(explained.errors)")
    let outcome = try tool.run("doctor", Self.link, "--json")
    let cause = try #require(try outcome.json()["cause"] as? [String: Any])
    #expect(outcome.status == 2 && cause["id"] as? String == "unusable-link", "\(outcome.output)")
    #expect((cause["remedy"] as? String)?.contains("linkspan clip url") == true)
    for text in [explained.errors, outcome.output] {
      #expect(!text.contains("appclip.apple.com/.well-known"))
    }
  }
}
