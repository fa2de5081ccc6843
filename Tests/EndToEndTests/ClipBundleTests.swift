import Foundation
import Testing

/// An app with an App Clip in it, as `check`, `explain` and stories take it (issue 14).
@Suite struct ClipBundleTests {
  private static let prefix = "ABCDE12345.com.example.app"
  private static let groups = """
    <key>com.apple.security.application-groups</key><array><string>group.com.example.app</string></array>
    """

  private static func entry(_ key: String, _ values: String...) -> String {
    "<key>com.apple.developer.\(key)</key><array>\(values.map { "<string>\($0)</string>" }.joined())</array>"
  }

  private static func info(_ identifier: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>CFBundleExecutable</key><string>App</string>
    <key>CFBundleIdentifier</key><string>\(identifier)</string>
    <key>MinimumOSVersion</key><string>16.0</string></dict></plist>
    """
  }

  /// A folder with a site, `App.ipa` and the experiences of its clip.
  ///
  /// - Parameter parent: The app that the clip's signature names.
  private func tool(parent: String = prefix) throws -> Tool {
    let tool = try Tool()
    let file = """
      {"applinks":{"details":[{"appIDs":["\(Self.prefix)"],"components":[{"/":"/a"}]}]},
       "appclips":{"apps":["\(Self.prefix).Clip"]}}
      """
    try tool.write(file, to: "site/example.com/.well-known/apple-app-site-association")
    try tool.write(
      """
      { clip: { bundle_id: "com.example.app.Clip", minimum_os: "16.0" },
        advanced: [{ url: "https://example.com/table", title: "Table" }] }
      """, to: "experiences.json5")
    let app = "Payload/App.app"
    try bundle(
      tool, app, "com.example.app",
      Self.entry("associated-domains", "applinks:example.com", "appclips:example.com")
        + Self.entry("associated-appclip-app-identifiers", Self.prefix + ".Clip"))
    try bundle(
      tool, app + "/AppClips/Clip.app", "com.example.app.Clip",
      Self.entry("associated-domains", "appclips:example.com")
        + Self.entry("parent-application-identifiers", parent)
        + "<key>com.apple.developer.on-demand-install-capable</key><true/>")
    try InspectTests.pack(tool, "App.ipa")
    return tool
  }

  private func bundle(_ tool: Tool, _ folder: String, _ identifier: String, _ entitlements: String) throws {
    try tool.write(Self.info(identifier), to: folder + "/Info.plist")
    let list =
      "<key>application-identifier</key><string>ABCDE12345.\(identifier)</string>" + entitlements
      + Self.groups
    let program = SignedProgram.bytes(
      identifier, team: "ABCDE12345", entitlements: BundleClaimsTests.plist(list))
    try Data(program).write(to: tool.folder.appending(path: folder + "/App"))
  }

  @Test func aSoundOneHasNoFindings() throws {
    let outcome = try tool().run("check", "site", "--app", "App.ipa", "--json")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }

  /// J4: the clip of another app grants nothing, to the app or to its own clip.
  @Test func anotherAppsClipIsNotItsOwn() throws {
    let tool = try tool()
    let path = "site/example.com/.well-known/apple-app-site-association"
    let file = try String(contentsOf: tool.folder.appending(path: path), encoding: .utf8)
    try tool.write(file.replacing("\(Self.prefix).Clip", with: "ABCDE12345.com.example.apps.Clip"), to: path)
    let outcome = try tool.run("check", "site", "--app", "App.ipa", "--json")
    #expect(outcome.status == 1)
    #expect(try AppIdentityTests.rules(outcome).filter { $0 == "joined.app-not-named" }.count == 2)
  }

  /// AC4, in `check` and before the answer of `explain`.
  @Test func checkHoldsTheClipToItsRules() throws {
    let tool = try tool(parent: "ABCDE12345.com.example.other")
    let outcome = try tool.run("check", "site", "--app", "App.ipa", "--json")
    #expect(outcome.status == 1)
    #expect(try AppIdentityTests.rules(outcome) == ["clip.parent"])
    let explained = try tool.run("explain", "https://example.com/a", "--site", "site", "--app", "App.ipa")
    #expect(
      (explained.output + explained.errors).contains("clip.parent"), "\(explained.output)\(explained.errors)")
  }

  @Test func anArchiveOfXcodeIsReadByItsApp() throws {
    let tool = try tool()
    let files = FileManager.default
    try tool.write("<plist version=\"1.0\"><dict/></plist>", to: "App.xcarchive/Info.plist")
    let products = tool.folder.appending(path: "App.xcarchive/Products/Applications")
    try files.createDirectory(at: products, withIntermediateDirectories: true)
    try files.copyItem(
      at: tool.folder.appending(path: "Payload/App.app"), to: products.appending(path: "App.app"))
    let answer = try tool.run("inspect", "App.xcarchive", "--json").json()
    #expect(answer["kind"] as? String == "xcarchive")
    #expect(answer["bundle_identifier"] as? String == "com.example.app")
    #expect((answer["clips"] as? [Any])?.count == 1)
  }

  @Test func aStoryReadsAppAndClipFromTheBundle() throws {
    let tool = try tool()
    try tool.write(
      """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { "example.com": "site/example.com" },
        apps: { shop: { entitlements: "App.ipa" } },
        clips: { order: { app: "shop", entitlements: "App.ipa", experiences: "experiences.json5" } },
        devices: { phone: { os: "ios:17.4" } },
        script: [
          { invoke: "order", url: "https://example.com/table/7", from: "nfc", expect: "order" },
          { save: "basket", by: "order", in: "group.com.example.app" },
          { install: "shop" },
          { read: "basket", by: "shop", in: "group.com.example.app", expect: "found" },
          { tap: "https://example.com/a", expect: "shop" },
          { invoke: "order", url: "https://example.com/table/7", expect: "order" },
        ],
      }
      """, to: "story.json5")
    let outcome = try tool.run("simulate", "story.json5", "--json")
    #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
    #expect(
      outcome.lines.last?.contains(#""expectations":{"held":3,"failed":1}"#) == true, "\(outcome.output)")
    let failed = try #require(
      outcome.lines.first { $0.contains(#""type":"expectation""#) && $0.contains("false") })
    #expect(failed.contains("opens shop, which receives https://example.com/table/7"), "\(failed)")
  }

  /// AC2: the first one was taken in silence.
  @Test func aStorySaysWhichOfTwoClipsItMeans() throws {
    let tool = try tool()
    try bundle(
      tool, "Payload/App.app/AppClips/Another.app", "com.example.app.Another",
      Self.entry("associated-domains", "appclips:example.com")
        + Self.entry("parent-application-identifiers", Self.prefix)
        + "<key>com.apple.developer.on-demand-install-capable</key><true/>")
    try InspectTests.pack(tool, "App.ipa")
    func simulate(_ more: String) throws -> Tool.Outcome {
      try tool.write(
        """
        {
          start: "2026-09-14T08:00:00Z",
          sites: { "example.com": "site/example.com" },
          apps: { shop: { entitlements: "App.ipa" } },
          clips: { order: { app: "shop", \(more)entitlements: "App.ipa", experiences: "experiences.json5" } },
          devices: { phone: { os: "ios:17.4" } },
          script: [{ invoke: "order", url: "https://example.com/table/7", from: "nfc", expect: "order" }],
        }
        """, to: "story.json5")
      return try tool.run("simulate", "story.json5")
    }
    let open = try simulate("")
    let message =
      "'entitlements' names an app with 2 clips: \(Self.prefix).Another, \(Self.prefix).Clip."
    #expect(open.status == 2 && open.errors.contains(message), "\(open.output)\(open.errors)")
    let meant = try simulate("identifier: \"\(Self.prefix).Clip\", ")
    #expect(meant.status == 0, "\(meant.output)\(meant.errors)")
    #expect(try simulate("identifier: \"\(Self.prefix).None\", ").errors.contains(message))
  }
}
