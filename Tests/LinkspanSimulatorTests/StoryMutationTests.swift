import Foundation
import LinkspanCore
import LinkspanSimulator
import SimulatedDevices
import Testing

/// Each story of `Examples/stories` fails where the world it tells of is another: its expectations can fail, and
/// the change that flips each is the one that the story is about.
@Suite struct StoryMutationTests {
  struct Mutation: CustomTestStringConvertible {
    var story: String
    /// What differs from the story as it stands.
    var name: String
    var old: String
    var new: String
    /// `DEVICE LINK` of the expectations that fail, each once.
    var failures: Set<String>

    var testDescription: String { "\(story): \(name)" }
  }

  static let mutations = ofLinks + ofContinuity + ofClips

  private static let ofLinks: [Mutation] = [
    Mutation(
      story: "qa-behind-a-filter", name: "the old device is one with iOS 14 (C1)",
      old: "old: { os: \"ios:13.7\" }", new: "old: { os: \"ios:14.0\" }",
      failures: ["old https://qa.example.com/shop/1"]),
    Mutation(
      story: "qa-behind-a-filter", name: "there is no filter (T5)",
      old: "network: { \"qa.example.com\": { drops: \"crawler\" } },", new: "",
      failures: ["new https://qa.example.com/shop/1", "bench https://qa.example.com/shop/1"]),
    Mutation(
      story: "qa-behind-a-filter", name: "developer mode is off (E13)", old: ", developer: true", new: "",
      failures: ["bench https://qa.example.com/shop/1"]),
    Mutation(
      story: "stale-copy-after-a-fix", name: "the late device comes before the copy has gone (C5)",
      old: "{ wait: \"6h\" }", new: "{ wait: \"4h\" }", failures: ["late-17.4 https://example.com/frames/7"]),
    Mutation(
      story: "stale-copy-after-a-fix", name: "nobody waits for the re-check (V2)",
      old: "{ wait: \"5d\" }", new: "{ wait: \"4d\" }",
      failures: [
        "early-12.4 https://example.com/frames/7", "early-17.4 https://example.com/frames/7",
        "next-17.4 https://example.com/frames/7",
      ]),
    Mutation(
      story: "album-pattern-catches-too-much", name: "the exclusion stays behind the pattern (M4)",
      old: "\"NOT /help/*\", \"NOT /about\", \"/*/*\"", new: "\"/*/*\", \"NOT /help/*\", \"NOT /about\"",
      failures: Set(
        ["9.3", "13.7", "17.4"].flatMap { os in
          ["alice/1", "help/terms/privacy", "about"].map {
            "iphone-\(os) https://photos.example.com/\($0)"
          }
        })),
    Mutation(
      story: "album-pattern-catches-too-much", name: "the pattern wants two parts (P7)",
      old: "paths: [\"/*/*\"]", new: "paths: [\"/*/?*\"]",
      failures: Set(["9.3", "13.7", "17.4"].map { "iphone-\($0) https://photos.example.com/about" })),
    Mutation(
      story: "tracker-redirect", name: "the tracker's file is served, not redirected (T2)",
      old: "{ status: 302, location: \"https://shop.example.com/p/7\" }",
      new:
        "{ file: { applinks: { details: [{ appID: \"ABCDE12345.com.example.shop\", paths: [\"*\"] }], apps: [] } } }",
      failures: Set(["13.7", "17.4"].map { "iphone-\($0) https://click.mailer.example/c/abc123" })),
    Mutation(
      story: "tracker-redirect", name: "the app does not claim its own tracking host (section 10)",
      old: "domains: [\"applinks:shop.example.com\", \"applinks:click.example.com\"]",
      new: "domains: [\"applinks:shop.example.com\"]",
      failures: Set(
        ["13.7", "17.4"].flatMap { os in
          ["click.example.com/c/abc123", "shop.example.com/p/7"].map { "iphone-\(os) https://\($0)" }
        })),
    Mutation(
      story: "tracker-redirect", name: "iOS 11 shows a banner after a redirect (section 10 row 7)",
      old: "os: [\"ios:13.7\", \"ios:17.4\"]", new: "os: [\"ios:13.7\", \"ios:11.4\"]",
      failures: [
        "iphone-11.4 https://shop.example.com/p/7", "iphone-11.4 https://click.example.com/c/abc123",
      ]),
    Mutation(
      story: "tracker-redirect",
      name: "the mail service's links lead there without a redirect (section 10 row 1)",
      old: "from: \"tracker\",\n      through: \"https://click.mailer.example/c/abc123\"",
      new: "from: \"mail\"",
      failures: Set(["13.7", "17.4"].map { "iphone-\($0) https://shop.example.com/p/7" })),
    Mutation(
      story: "same-host-tap", name: "the page is at another host (section 10)",
      old: "page: \"https://example.com/shop/\"", new: "page: \"https://news.example.org/\"",
      failures: Set(["9.3", "13.7", "17.4", "26.0"].map { "iphone-\($0) https://example.com/shop/1" })),
    Mutation(
      story: "same-host-tap", name: "the tap is in Messages instead of the address bar (section 10)",
      old: "from: \"typed\"", new: "from: \"messages\"",
      failures: Set(
        ["9.3", "13.7", "17.4", "26.0"].flatMap { os in
          ["example.com", "open.example.com"].map { "iphone-\(os) https://\($0)/shop/1" }
        })),
    Mutation(
      story: "user-chose-the-browser", name: "the choice is the app (section 10)",
      old: "choose: \"browser\"", new: "choose: \"app\"",
      failures: ["bob https://example.com/shop/1", "carol https://example.com/shop/1"]),
    Mutation(
      story: "user-chose-the-browser", name: "nobody chooses the app again (section 10)",
      old: "{ choose: \"app\", host: \"example.com\", devices: \"bob\" },", new: "",
      failures: ["bob https://example.com/shop/1"]),
    Mutation(
      story: "wildcard-beside-exact-host", name: "the exact host is not claimed (E9)",
      old: "\"applinks:*.example.com\", \"applinks:www.example.com\",", new: "\"applinks:*.example.com\",",
      failures: Set(
        ["13.7", "17.4", "26.0"].flatMap { os in
          ["news/1", "account/keys"].map { "iphone-\(os) https://www.example.com/\($0)" }
        })),
    Mutation(
      story: "wildcard-beside-exact-host", name: "the bare host is claimed too (E8)",
      old: "[\"applinks:*.example.com\", ", new: "[\"applinks:example.com\", \"applinks:*.example.com\", ",
      failures: Set(["13.7", "17.4", "26.0"].map { "iphone-\($0) https://example.com/news/1" })),
    Mutation(
      story: "entitlement-lost-in-resigning", name: "the tool keeps the domains (E19)",
      old: "domains: [\"*\"]", new: "domains: [\"applinks:example.com\"]",
      failures: Set(["13.7", "17.4"].map { "tester-\($0) https://example.com/shop/1" })),
    Mutation(
      story: "entitlement-lost-in-resigning", name: "the good build never comes (V1)",
      old: "{ update: \"mended\", devices: [\"tester\", \"other\"] },", new: "",
      failures: [
        "tester-13.7 https://example.com/shop/1", "tester-17.4 https://example.com/shop/1",
        "other https://example.com/shop/1",
      ]),
    Mutation(
      story: "silent-push-updates-before-open", name: "Alice quit the app (push 7.6)",
      old: "{ device_state: { online: false }, devices: \"bob\" },",
      new: "{ device_state: { online: false }, devices: \"bob\" },"
        + "{ app_state: \"steps\", to: \"force-quit\", devices: \"alice\" },",
      failures: ["alice push 1 to steps"]),
    Mutation(
      story: "silent-push-updates-before-open", name: "Carol waits until the launches are allowed (push 7.9)",
      old: "{ reboot: \"carol\" },", new: "{ reboot: \"carol\" }, { wait: \"6m\" },",
      failures: ["carol push 1 to steps"]),
    Mutation(
      story: "silent-push-never-wakes", name: "the profile has the entitlement (push 2.3)",
      old: "environment: \"none\"", new: "environment: \"production\"",
      failures: ["iphone push 2 to bare"]),
    Mutation(
      story: "silent-push-never-wakes", name: "a debugger is attached (push 7.8)",
      old: "{ wait: \"2h\" },", new: "{ wait: \"2h\" }, { device_state: { debugger: true } },",
      failures: ["iphone push 15 to shop", "iphone push 17 to shop"]),
  ]

  /// What the rules HO, LC and SR say.
  private static let ofContinuity: [Mutation] = [
    Mutation(
      story: "recipe-from-mac-to-phone", name: "the old phone trusts nobody (HO9)",
      old: "authorities: \"recipe-site/authority.pem\",", new: "",
      failures: ["phone-of-2014 https://recipes.example.com/recipes/42"]),
    Mutation(
      story: "recipe-from-mac-to-phone", name: "the app does not claim applinks (HO9)",
      old: ", \"applinks:recipes.example.com\"]", new: "]",
      failures: ["phone https://recipes.example.com/recipes/42"]),
    Mutation(
      story: "draft-from-phone-to-ipad", name: "nothing refuses a large payload (HO3)",
      old: "user_info_limit_bytes: 3072", new: "on: true", failures: ["ipad com.example.notes.draft"]),
    Mutation(
      story: "double-press-race", name: "the phone is a Simulator (SR7)",
      old: "phone: { os: \"ios:10.3\" }", new: "phone: { os: \"ios:10.3\", simulator: true }",
      failures: [
        "phone double-press-race, open in covers-on-background",
        "phone double-press-race, open in forgets-to-uncover",
      ]),
    Mutation(
      story: "cold-start-delivers-twice", name: "the naive app has scenes (LC1)",
      old: "code: { life_cycle: \"app-delegate\", ignores_repeats: false }",
      new: "code: { life_cycle: \"scene\", ignores_repeats: false }", failures: ["phone scheme in naive"]),
    Mutation(
      story: "cold-start-delivers-twice", name: "the hasty app queues links (LC1)", old: ", queues: false",
      new: "",
      failures: ["phone spotlight in hasty"]),
    Mutation(
      story: "recipe-app-with-the-library", name: "the app's router has no route for searches (LC1)",
      old: ", search: \"/search?q={text}\"", new: "", failures: ["phone universal-link in delegate"]),
  ]

  /// What the rules AC say.
  private static let ofClips: [Mutation] = [
    Mutation(
      story: "clip-hands-over-to-the-app", name: "the old device has iOS 15.4 (AC29)",
      old: "old: { os: \"ios:15.2\" }", new: "old: { os: \"ios:15.4\" }",
      failures: ["old token in keychain"]),
    Mutation(
      story: "clip-hands-over-to-the-app", name: "the app is not in the clip's App Group (AC28)",
      old: "\"appclips:cafe.example.com\"],\n      groups: [\"group.com.example.shop\"],",
      new: "\"appclips:cafe.example.com\"],",
      failures: Set(["old", "new"].map { "\($0) basket in group.com.example.shop" })),
    Mutation(
      story: "clip-hands-over-to-the-app", name: "the café's file lists the clip (AC6)",
      old: "{ file: { applinks: { apps: [], details: [] } } }",
      new: "{ file: { appclips: { apps: [\"ABCDE12345.com.example.shop.Clip\"] } } }",
      failures: Set(["old", "new"].map { "\($0) https://cafe.example.com/table-1" })),
    Mutation(
      story: "clip-and-push-with-the-library", name: "the clip's router knows no table",
      old: "routes: { table: \"/t/{number:int}\" },", new: "routes: { table: \"/x/{number:int}\" },",
      failures: Set(["7", "8"].map { "phone https://tables.example/t/\($0)" })),
  ]

  @Test(arguments: mutations) func fails(_ mutation: Mutation) throws {
    let result = try Self.run(mutation.story) { try Self.replacing(mutation.old, by: mutation.new, in: $0) }
    #expect(Set(result.failures.map { "\($0.device) \($0.link)" }) == mutation.failures)
  }

  @Test func everyStoryHasAMutation() {
    #expect(
      Set(Self.mutations.map { "stories/\($0.story).json5" }) == Set(ExampleStoryTests.names.dropFirst()))
  }

  /// iOS 14 in the place of iOS 13 flips the verdict; without the filter it flips back (C1, T5).
  @Test func theReleaseFlipsTheQAHostAndTheFilterFlipsItBack() throws {
    func verdict(_ change: (String) throws -> String) throws -> String {
      let taps = try Self.run("qa-behind-a-filter", change).taps
      let first = try #require(taps.first { $0.row.device.name == "old" })
      return Stories.words(first.row.verdict)
    }
    func newer(_ text: String) throws -> String {
      try Self.replacing("old: { os: \"ios:13.7\" }", by: "old: { os: \"ios:14.0\" }", in: text)
    }
    #expect(try verdict { $0 } == "app through applinks:qa.example.com")
    #expect(try verdict(newer) == "browser fetch")
    #expect(
      try verdict {
        try Self.replacing("{ drops: \"crawler\" }", by: "{}", in: try newer($0))
      } == "app through applinks:qa.example.com")
  }

  private static func run(_ name: String, _ change: (String) throws -> String) throws -> SimulationResult {
    try Simulation.run(
      try Stories.besideExamples(try change(try Stories.exampleText("stories/\(name).json5"))))
  }

  /// - Throws: When the story has no such text any more, so that no mutation is idle.
  private static func replacing(_ old: String, by new: String, in text: String) throws -> String {
    let range = try #require(text.range(of: old), "the story has no '\(old)'")
    return text.replacingCharacters(in: range, with: new)
  }
}
