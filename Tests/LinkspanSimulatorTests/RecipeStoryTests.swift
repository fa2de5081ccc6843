import AppSiteAssociation
import Handoff
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// The recipe of the examples, with one condition of Handoff (HO4 to HO9) taken away at a time.
@Suite struct RecipeStoryTests {
  struct Removal: Sendable, CustomTestStringConvertible {
    var name: String
    var change: @Sendable (inout Story) throws -> Void
    var testDescription: String { name }
  }

  private static let host = "recipes.example.com"

  private static func device(
    _ name: String, _ change: @escaping @Sendable (inout HandoffDevice.Switches) -> Void
  )
    -> @Sendable (inout Story) throws -> Void
  {
    { story in
      let place = try #require(story.devices.firstIndex { $0.name == name })
      change(&story.devices[place].handoff)
    }
  }

  private static func app(_ name: String, _ change: @escaping @Sendable (inout Story.App) -> Void)
    -> @Sendable (inout Story) throws -> Void
  {
    { story in
      let place = try #require(story.apps.firstIndex { $0.name == name })
      change(&story.apps[place])
    }
  }

  /// Every document of the site, changed.
  private static func site(_ change: @escaping @Sendable (inout Site.Document) -> Void)
    -> @Sendable (inout Story) throws -> Void
  {
    { story in
      var documents = try #require(story.sites[host]).documents
      for place in documents.indices { change(&documents[place]) }
      story.sites[host] = Site(documents)
    }
  }

  static let removals: [Removal] = [
    Removal(
      name: "different-team",
      change: app("kitchen") { $0.build.identifier = "OTHER12345.com.example.kitchen" }),
    Removal(
      name: "signed-by-another-developer", change: app("recipes") { $0.continuity.signer = "OTHER12345" }),
    Removal(name: "different-account", change: device("mac") { $0.account = "somebody else" }),
    Removal(name: "handoff-off", change: device("phone") { $0.isHandoffOn = false }),
    Removal(name: "handoff-off", change: device("mac") { $0.isHandoffOn = false }),
    Removal(name: "bluetooth-off", change: device("phone-of-2014") { $0.isBluetoothOn = false }),
    Removal(name: "bluetooth-off", change: device("mac") { $0.isBluetoothOn = false }),
    Removal(name: "too-far", change: device("phone") { $0.isNear = false }),
    Removal(name: "activity-type-not-declared", change: app("kitchen") { $0.continuity.activityTypes = [] }),
    Removal(name: "domain-not-associated", change: app("recipes") { $0.build.entries = [] }),
    Removal(
      name: "domain-not-associated",
      change: site { if $0.path != "/apple-app-site-association" { $0.body = Array("{}".utf8) } }),
    Removal(name: "locked-since-boot", change: device("phone") { $0.isUnlockedSinceBoot = false }),
    Removal(name: "restricted-by-management", change: device("phone") { $0.isRestricted = true }),
    Removal(name: "low-power", change: device("phone") { $0.isLowPower = true }),
    Removal(
      name: "signature-mismatch",
      change: site { document in
        let text = Array("com.example.recipes".utf8)
        guard document.path == "/apple-app-site-association",
          let place = document.body.indices.first(where: { document.body[$0...].starts(with: text) })
        else { return }
        document.body[place] = UInt8(ascii: "C")
      }),
    Removal(name: "expired", change: { $0.start = try #require(WallTime("2034-09-02T08:00:00Z")) }),
    Removal(name: "unknown-authority", change: { $0.authorities = [] }),
    Removal(
      name: "not-signed-data",
      change: site { document in
        if document.path == "/apple-app-site-association" {
          document.body = Array(#"{"activitycontinuation":{"apps":["ABCDE12345.com.example.recipes"]}}"#.utf8)
        }
      }),
  ]

  private func story() throws -> Story { try Stories.example("stories/recipe-from-mac-to-phone.json5") }

  @Test(arguments: removals) func failsWithTheNameOfWhatIsMissing(_ removal: Removal) throws {
    var story = try story()
    try removal.change(&story)
    let result = try Simulation.run(story)
    #expect(!result.failures.isEmpty)
    #expect(result.failures.contains { $0.actual.contains(removal.name) }, "\(result.failures.map(\.actual))")
    #expect(result.violations.isEmpty)
  }

  @Test func theBrowserOpensWithoutTheApp() throws {
    let result = try Simulation.run(try story())
    let offers = result.events.filter { $0.kind == "offer" && $0.party == "phone-without-app" }
    #expect(offers.map { $0.text("opens") } == ["browser"])
  }

  /// What is on the air is encrypted by the real codec, and read by the other side.
  @Test func aFrameIsOnTheAir() throws {
    let result = try Simulation.run(try story())
    let sent = result.events.filter { $0.kind == "advertise" }
    let heard = result.events.filter { $0.kind == "hear" }
    #expect(!sent.isEmpty && sent.count == heard.count)
    #expect(sent.map { $0.text("hash") } == heard.map { $0.text("hash") })
    #expect(Set(sent.map { $0.text("data") }).count == sent.count)
    for event in sent { #expect(event.text("data")?.hasPrefix("4c000c0e00") == true) }
  }

  /// A page of 2014 went to the app through the signed file, and today's through applinks.
  @Test func bothErasHaveTheirWay() throws {
    let result = try Simulation.run(try story())
    let offers = result.events.filter { $0.kind == "offer" }
    func via(_ device: String) -> [String?] { offers.filter { $0.party == device }.map { $0.text("via") } }
    #expect(via("phone-of-2014") == ["activitycontinuation"])
    #expect(via("phone") == ["applinks"])
    #expect(via("ipad") == ["activity-type"])
  }
}
