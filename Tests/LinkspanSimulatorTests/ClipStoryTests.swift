import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import Testing

/// App Clips in stories: what their entrances open, and what the app takes over (AC15, AC22, AC23, AC28 to AC30).
@Suite struct ClipStoryTests {
  private static let experiences = """
    { clip: { bundle_id: "com.example.shop.Clip" }, advanced: [{ url: "https://example.com/shop", title: "Shop" }] }
    """

  private func run(
    os: String = "ios:17.4", file: String = "{ appclips: { apps: [\"ABCDE12345.com.example.shop.Clip\"] } }",
    domains: String = "[\"appclips:example.com\"]", appGroups: String = "[\"group.a\"]",
    clipGroups: String = "[\"group.a\"]", script: String
  ) throws -> SimulationResult {
    try Simulation.run(
      try Stories.inline(
        """
        { start: "2026-09-14T08:00:00Z",
          sites: { "example.com": { file: \(file) } },
          apps: { shop: { identifier: "ABCDE12345.com.example.shop", domains: [], groups: \(appGroups) } },
          clips: { order: { app: "shop", domains: \(domains), groups: \(clipGroups), experiences: \(Self.experiences) } },
          devices: { phone: { os: "\(os)" } },
          script: [\(script)] }
        """))
  }

  private let visit = "{ invoke: \"order\", url: \"https://example.com/shop/1\" },"

  private func failures(_ result: SimulationResult) -> [String] {
    result.failures.map { "\($0.link): expected \($0.expected); it \($0.actual)" }
  }

  @Test(
    arguments: [
      ("qr", "https://example.com/shop/1", "Shop"), ("nfc", "https://example.com/shop/1", "Shop"),
      ("banner", "https://example.com/shop/1", "Shop"), ("messages", "https://example.com/shop/1", "Shop"),
      ("maps", "https://example.com/shop", "Shop"), ("app-clip-code", "https://example.com/shop/1", "Shop"),
    ]) func entrance(_ name: String, received: String, card: String) throws
  {
    let result = try run(
      script: """
        { invoke: "order", url: "https://example.com/shop/1", from: "\(name)",
          expect: { opens: "order", receives: "\(received)", card: "\(card)" } }
        """)
    #expect(failures(result) == [])
    #expect(result.checks.count == 1)
  }

  /// Nothing can be downloaded; one that is there opens.
  @Test func anOfflineDeviceOpensOnlyAClipThatIsOnIt() throws {
    let result = try run(
      script: """
        { device_state: { online: false } },
        { invoke: "order", url: "https://example.com/shop/1", expect: "order" },
        { device_state: { online: true } },
        { invoke: "order", url: "https://example.com/shop/1", expect: "order" },
        { device_state: { online: false } },
        { invoke: "order", url: "https://example.com/shop/2", expect: "order" },
        { remove_clip: "order" },
        { invoke: "order", url: "https://example.com/shop/3", expect: "browser" }
        """)
    #expect(
      failures(result) == [
        "https://example.com/shop/1: expected order; it opens browser: the device is offline, and the clip is not on it"
      ])
    #expect(result.checks.count == 4)
  }

  /// A failed expectation stands where it is written, not where its step begins.
  @Test func anExpectationAboutDataHasItsPlace() throws {
    let result = try run(script: "{ read: \"a\", by: \"order\", in: \"container\",\nexpect: \"found\" }")
    #expect(result.failures.map { $0.location.start?.column } == [9])
  }

  @Test func advancedExperiencesAreNotOpenedByOtherApps() throws {
    let result = try run(
      script: """
        { invoke: "order", url: "https://example.com/shop/1", from: "other-app", expect: "order" }
        """)
    #expect(
      failures(result) == [
        "https://example.com/shop/1: expected order; it opens browser: It begins with the registered "
          + "'https://example.com/shop', the longest that fits; This entrance does not open an experience of the kind "
          + "'advanced'"
      ])
  }

  /// AC22: what was there before is opened again; what was not is not shown.
  @Test func theAppLibraryNeedsAnEarlierVisit() throws {
    let before = "{ invoke: \"order\", from: \"app-library\", expect: \"browser\" },"
    let after = """
      { invoke: "order", from: "app-library", expect: { opens: "order", receives: "https://example.com/shop/1" } },
      { invoke: "order", from: "notification", expect: { opens: "order", receives: "nothing" } },
      { remove_clip: "order" },
      { invoke: "order", from: "app-switcher", expect: "browser" }
      """
    #expect(failures(try run(script: before + visit + after)) == [])
  }

  @Test(
    arguments: [
      ("{ applinks: {} }", "[\"appclips:example.com\"]", "does not list 'ABCDE12345.com.example.shop.Clip'"),
      (
        "{ appclips: { apps: [\"ABCDE12345.com.example.shop.Clip\"] } }", "[\"applinks:example.com\"]",
        "entitlement lacks 'appclips:example.com'"
      ),
    ]) func aDomainThatIsNotAssociated(_ file: String, domains: String, reason: String) throws
  {
    let result = try run(
      file: file, domains: domains,
      script: "{ invoke: \"order\", url: \"https://example.com/shop/1\", expect: \"order\" }")
    #expect(result.failures.count == 1)
    #expect(result.failures.first?.actual.contains(reason) == true)
  }

  /// AC28: the group of both stays, another one of the clip goes with it.
  @Test(arguments: [("group.a", "found"), ("group.b", "missing"), ("container", "missing")])
  func installationKeeps(_ place: String, _ answer: String) throws {
    let result = try run(
      clipGroups: "[\"group.a\", \"group.b\"]",
      script: visit + """
        { save: "basket", by: "order", in: "\(place)" },
        { read: "basket", by: "order", in: "\(place)", expect: "found" },
        { install: "shop" },
        { read: "basket", by: "shop", in: "\(place)", expect: "\(answer)" }
        """)
    #expect(failures(result) == [])
  }

  @Test func aGroupThatTheAppDoesNotHaveIsNamed() throws {
    let result = try run(
      appGroups: "[]",
      script: visit + """
        { save: "basket", by: "order", in: "group.a" }, { install: "shop" },
        { read: "basket", by: "shop", in: "group.a", expect: "found" }
        """)
    #expect(
      failures(result) == [
        "basket in group.a: expected found for shop; it was missing: 'group.a' is not among the App Groups of 'shop'"
      ])
    let finding = try #require(result.findings.first)
    #expect(finding.rule == "story.expectation")
  }

  /// AC29, on both sides of iOS 15.4.
  @Test(arguments: [("ios:15.3", "missing"), ("ios:15.4", "found"), ("ios:18.0", "found")])
  func keychain(_ os: String, _ answer: String) throws {
    let result = try run(
      os: os,
      script: visit + """
        { save: "token", by: "order", in: "keychain" }, { install: "shop" },
        { read: "token", by: "shop", in: "keychain", expect: "\(answer)" },
        { save: "secret", by: "shop", in: "keychain" }, { delete: "shop" },
        { invoke: "order", url: "https://example.com/shop/1" },
        { read: "secret", by: "order", in: "keychain", expect: "missing" }
        """)
    #expect(failures(result) == [])
  }

  /// AC30: the system removes a clip with its data.
  @Test func aRemovedClipLeavesNothing() throws {
    let result = try run(
      script: visit + """
        { save: "basket", by: "order", in: "group.a" }, { remove_clip: "order" }, { install: "shop" },
        { read: "basket", by: "shop", in: "group.a", expect: "missing" }
        """)
    #expect(failures(result) == [])
  }

  @Test func isWrittenAndReadAgain() throws {
    let story = try Stories.example("stories/clip-hands-over-to-the-app.json5")
    #expect(!story.clips.isEmpty)
    try StoryWriterTests.expectSame(story)
  }

  @Test(
    arguments: [
      ("{ invoke: \"ordr\", url: \"https://example.com/\" }", "The story has no clip 'ordr'."),
      ("{ invoke: \"order\" }", "The invocation has no 'url'."),
      ("{ invoke: \"order\", from: \"app-library\", url: \"https://example.com/\" }", "has no URL."),
      ("{ save: \"basket\", by: \"order\", in: \"folder\" }", "'folder' is not a place for data."),
      ("{ read: \"basket\", in: \"container\" }", "The step 'read' has no 'by'."),
      (
        "{ invoke: \"order\", url: \"https://example.com/\", expect: \"safari\" }",
        "neither the clip nor its app."
      ),
    ]) func mistakes(_ step: String, message: String) throws
  {
    let text = """
      { start: "2026-09-14T08:00:00Z", apps: { shop: { identifier: "ABCDE12345.com.example.shop" } },
        clips: { order: { app: "shop", experiences: \(Self.experiences) } },
        devices: { phone: { os: "ios:17.4" } }, script: [\(step)] }
      """
    guard case .findings(let findings) = StoryParser.parse(SourceText(name: "s", text), reader: .none) else {
      Issue.record("the story has no findings")
      return
    }
    #expect(findings.count == 1)
    #expect(findings.first?.message.hasSuffix(message) == true, "\(findings.first?.message ?? "")")
  }
}
