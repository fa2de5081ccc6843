import AppSiteAssociation
import LinkExplanation
import LinkspanCore
import LinkspanSimulator
import LinkspanStories
import SimulatedDevices
import Testing

/// Explaining a link costs no more than its budget, whatever a legal file holds.
@Suite struct BoundedExplanationTests {
  private static let app = "ABCDE12345.com.example.app"

  private static func situation(_ rules: [String], link: String = "https://example.com/a1/b") -> Situation {
    let text =
      #"{"applinks":{"details":[{"appIDs":["\#(app)"],"components":[\#(rules.joined(separator: ","))]}]}}"#
    var story = Story(name: "bounded", start: WallTime(milliseconds: 0))
    story.sites = [
      "example.com": Site([
        .init(path: AssociationLocation.wellKnown.rawValue, body: Array(text.utf8))
      ])
    ]
    story.apps = [
      .init(name: app, build: AppBuild(identifier: app, entries: ["applinks:example.com"], kind: .appStore))
    ]
    story.devices = [DeviceTraits(name: "phone", os: OSVersion(.iOS, 26))]
    story.script = [StoryStep(.install(apps: [0], devices: [0]), at: .init(file: "bounded"))]
    return Situation(story, device: 0, link: link, way: .typed)
  }

  @Test func worldsShareTheFilesThatWereCompiled() async throws {
    var situation = Self.situation([#"{"/":"/zzz"}"#])
    var player = WorldPlayer()
    _ = try player.play(situation)
    situation.way = .messages
    _ = try player.play(situation)
    situation.story.script.append(StoryStep(.reinstall(apps: [0], devices: [0]), at: .init(file: "bounded")))
    _ = try player.play(situation)
    #expect(await player.readCount == 1)
  }

  /// Files of 74 KB in which no single change helps ran for minutes: every pair and every three changes were tried, each in
  /// a world that compiled the file anew.
  @Test func stopsWithinItsStepsAndSaysSo() throws {
    let rules = (0..<200).map { #"{"/":"/\#(String(repeating: "*a", count: 20))\#($0)"}"# }
    let situation = Self.situation(rules)
    let steps = 4_000_000
    let explanation = try Explanation(situation, work: WorkBudget(steps: steps))
    #expect(!explanation.isDecided)
    #expect(explanation.chain.verdict.isDecided)
    #expect(explanation.json.text.contains(#""decided":false"#))
    #expect(explanation.notKnown.contains { $0.hasPrefix("whether other changes would help") })
    // The last world that is played may cost more than is left.
    #expect(explanation.spentSteps < 2 * steps)
  }

  /// A change to a rule that could not hold for the link with it is not worth a world.
  @Test func rulesThatCouldNotHoldAreNotPlayed() throws {
    let rules = (0..<100).map { #"{"/":"/\#(String(repeating: "*a", count: 20))\#($0)"}"# }
    var situation = Self.situation(rules)
    situation.way = .messages
    let explanation = try Explanation(situation)
    #expect(explanation.isDecided)
    #expect(explanation.changes.count == 1)
    #expect(explanation.spentSteps < 3_000_000)
  }

  /// The changes that are left are found whatever stands before their rule.
  @Test(arguments: [
    ("/a1/b", #"Add "caseSensitive": false to rule 1"#),
    ("/%611/c", #"Add "percentEncoded": false to rule 2"#),
  ])
  func rulesThatCouldHoldArePlayed(path: String, change: String) throws {
    let rules = [#"{"/":"/zzz"}"#, #"{"/":"/A1/B"}"#, #"{"/":"/a1/c"}"#]
    var situation = Self.situation(rules, link: "https://example.com\(path)")
    situation.way = .messages
    let changes = try Explanation(situation).changes.joined().map { $0.what }
    #expect(changes.first?.hasPrefix(change) == true, "\(changes)")
  }

  @Test func aLinkThatCannotBeComparedIsNotDecided() throws {
    let rule = #"{"/":"/*\#(String(repeating: "?a", count: 30_000))b*"}"#
    let link = "https://example.com/" + String(repeating: "a", count: 60_000)
    var situation = Self.situation([rule], link: link)
    situation.way = .messages
    let explanation = try Explanation(situation, work: WorkBudget(steps: 4_000_000))
    #expect(!explanation.chain.verdict.isDecided)
    #expect(!explanation.isDecided)
    #expect(explanation.changes.isEmpty)
    #expect(explanation.json.text.contains(#""opens":null"#))
  }

  @Test func anOrdinaryFileIsDecided() throws {
    let explanation = try Explanation(Self.situation([#"{"/":"/zzz"}"#]))
    #expect(explanation.isDecided)
  }
}
