import AppSiteAssociation
import AssociatedDomains
import Foundation
import LinkspanCore
import LinkspanSimulator
import LinkspanSpecification
import LinkspanStories
import SimulatedDevices
import Testing

/// Every way to follow a link is a chain of container, gesture, page and redirects (section 10).
@Suite struct NavigationTests {
  /// A law: one exchange described in two ways gets one answer: what opens, which app, how certain.
  ///
  /// `LINKSPAN_CHAINS` draws another number of them.
  @Test func twoDescriptionsOfOneExchangeAgree() throws {
    let count = ProcessInfo.processInfo.environment["LINKSPAN_CHAINS"].flatMap(Int.init) ?? 2_000
    var chance = SeededGenerator(seed: 29)
    var contradictions: [String] = []
    for start in stride(from: 0, to: count, by: 100) {
      let pairs = (start..<min(start + 100, count)).map { _ in Pair(&chance) }
      let verdicts = try Self.verdicts(pairs, on: Self.releases[Int(chance.draw(0...7))])
      for (pair, verdict) in zip(pairs, verdicts) where verdict.first != verdict.second {
        contradictions.append("\(pair): \(verdict.first.opens) against \(verdict.second.opens)")
      }
    }
    #expect(contradictions.isEmpty, "\(contradictions.prefix(3))")
  }

  static let releases = [
    OSVersion(.iOS, 9, 0), OSVersion(.iOS, 9, 3), OSVersion(.iOS, 11, 4), OSVersion(.iOS, 13, 7),
    OSVersion(.iOS, 17, 4), OSVersion(.iOS, 26, 0), OSVersion(.macOS, 14, 4), OSVersion(.watchOS, 10, 0),
  ]

  static let links = [
    "https://e.test/a", "https://e.test/none", "https://www.e.test/a", "https://other.test/b",
    "https://click.test/1", "https://click.test/2",
  ]

  /// One exchange, twice.
  struct Pair: CustomStringConvertible {
    var link: Int
    var first: WayOfFollowing
    var second: WayOfFollowing
    /// The link of the second, where it is described by what is tapped alone.
    var secondLink: Int

    var description: String {
      "\(NavigationTests.links[link]) by \(first), and \(NavigationTests.links[secondLink]) by \(second)"
    }

    init(_ chance: inout SeededGenerator) {
      func one<Element>(_ all: [Element]) -> Element { all[Int(chance.draw(0...Int64(all.count - 1)))] }
      link = Int(chance.draw(0...Int64(NavigationTests.links.count - 1)))
      secondLink = link
      let through = (0..<chance.draw(1...3)).map { _ in one(NavigationTests.links) }
      let host = one(["e.test", "www.e.test", "other.test", "click.test", "news.test"])
      switch chance.draw(0...5) {
      case 0: (first, second) = (.redirect(through: through), .tracker(through: through))
      case 1:
        // A tap in one app is a tap in another.
        first = .redirect(through: through)
        second = .chain(Navigation(one([.mail, .messages, .notes, .otherApp]), through: through))
      case 2: (first, second) = (.safari(pageHost: host), .chain(Navigation(.browser, page: host)))
      case 3:
        let container = one(Navigation.Container.allCases)
        let gesture = one(container.gestures)
        let page = container == .browser && gesture == .tap ? host : nil
        let chain = Navigation(container, gesture, page: page)
        first = .chain(chain)
        second = NavigationTests.named.first { $0.navigation == chain } ?? .chain(chain)
      case 4: (first, second) = (.tracker(through: []), .messages)
      default:
        // The app of what is tapped opens, or the same way is taken again from its beginning.
        (first, second) = (one(NavigationTests.named), .messages)
        second = .chain(first.navigation)
      }
    }
  }

  static let named: [WayOfFollowing] = [
    .messages, .mail, .notes, .otherApp, .typed, .script, .universalLinksOnly, .webView(identifier: nil),
    .webView(identifier: Stories.app), .ownApp(identifier: Stories.app), .safariViewController, .otherBrowser,
    .inAppBrowser, .qrCode, .nfcTag, .handoff, .spotlight, .clipCard, .smartBanner,
  ]

  struct Answer: Equatable, CustomStringConvertible {
    var opens: String
    var app: String?
    var certainty: Certainty
    var step: LinkVerdict.Step

    init(_ verdict: LinkVerdict) {
      (opens, app, certainty, step) = (verdict.opens, verdict.app, verdict.certainty, verdict.step)
    }

    var description: String { "\(opens) \(app ?? "-") \(certainty) \(step)" }
  }

  static func verdicts(_ pairs: [Pair], on os: OSVersion) throws -> [(first: Answer, second: Answer)] {
    var story = try Stories.inline(
      """
      { start: "2026-09-14T08:00:00Z",
        sites: { "e.test": { file: \(Stories.file(["/a"])) }, "click.test": { file: \(Stories.file(["/1"])) } },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test", "applinks:click.test"] } },
        devices: { phone: { os: "\(os)" } },
        links: [\(links.map { "\"\($0)\"" }.joined(separator: ", "))],
        script: [{ install: "app" }] }
      """)
    let place = story.script[0].location
    for pair in pairs {
      for (link, way) in [(pair.link, pair.first), (pair.secondLink, pair.second)] {
        story.script.append(
          StoryStep(.tap(links: [link], way: way, devices: [0], expectations: []), at: place))
      }
    }
    let taps = try Simulation.run(story).taps
    try #require(taps.count == pairs.count * 2)
    return pairs.indices.map {
      (Answer(taps[$0 * 2].row.verdict), Answer(taps[$0 * 2 + 1].row.verdict))
    }
  }

  /// The app of what is tapped opens, with the certainty of that tap: nothing redirects.
  @Test func theTappedLinkComesFirst() throws {
    let result = try Stories.run(
      sites: "\"e.test\": { file: \(Stories.file(["/a"])) }", domains: "\"applinks:e.test\"",
      devices: "device: { os: \"ios:17.4\" }",
      script: """
        { install: "app" },
        { tap: "https://e.test/a", from: "mail", expect: "app" },
        { tap: "https://other.test/b", from: "tracker", through: "https://e.test/a", expect: "app" },
        { tap: "https://e.test/b", container: "mail", through: ["https://x.test/", "https://e.test/a"], expect: "unknown" },
        { tap: "https://e.test/none", container: "mail", through: "https://x.test/", expect: "browser" },
        { tap: "https://e.test/a", container: "safari-view-controller", gesture: "load", expect: "browser" },
        { tap: "https://e.test/a", container: "webview", app: "app", expect: "browser" },
        { tap: "https://e.test/a", container: "notes", gesture: "choose-browser", expect: "browser" },
        { tap: "https://e.test/a", container: "mail", expect: { opens: "browser", step: "user-choice" } }
        """)
    #expect(result.failures.map(\.actual) == [])
    #expect(result.violations.isEmpty)
    #expect(result.taps[0].row.verdict.certainty == result.taps[1].row.verdict.certainty)
  }

  /// Each cell has its source, and a disputed one names both sides; between the releases of the table nothing changes.
  @Test func everyCellHasItsSource() {
    let table = NavigationTable()
    #expect(Set(table.rows.map(\.navigation.container)) == Set(Navigation.Container.allCases))
    let all = (9...26).flatMap { major in [0, 1, 2, 3, 4].map { OSVersion(.iOS, major, $0) } }
    for row in table.rows {
      let urls = row.navigation.urls(to: LinkURL("https://shop.example/a"))
      for cell in row.cells {
        guard let rule = cell.rule else { continue }
        let known = rule.rules.compactMap(SpecificationRule.named)
        #expect(known.count == rule.rules.count && !known.isEmpty, "\(rule.rules)")
        if cell.words == "disputed" {
          #expect(known.contains { $0.certainty == .disputed && $0.source.contains(";") })
        }
        if cell.words == "unknown" { #expect(rule.certainty == .open) }
      }
      for os in all {
        let place = NavigationTable.releases.lastIndex { ($0.os.major, $0.os.minor) <= (os.major, os.minor) }!
        guard let rule = row.cells[place].rule else { continue }
        #expect(row.navigation.rule(urls, at: urls.count - 1, on: os) == rule, "\(row.gesture), \(os)")
      }
    }
  }

  @Test(arguments: [
    ("container: \"pigeon\"", "'pigeon' is not a container of links."),
    ("container: \"mail\", gesture: \"type\"", "'type' moves no link in 'mail'."),
    ("container: \"mail\", from: \"mail\"", "'from' names a way, and 'container' describes one."),
    ("container: \"browser\"", "A tap in Safari needs its 'page'."),
    ("container: \"mail\", page: \"https://e.test/\"", "'page' goes with a tap in 'browser'."),
    (
      "container: \"mail\", app: \"app\"",
      "'app' goes with 'webview' and with the gesture 'open' of 'other-app'."
    ),
    ("gesture: \"tap\"", "'gesture' is only allowed with 'container'."),
  ])
  func wrongChainsAreTold(words: String, message: String) throws {
    let text = """
      { sites: { "e.test": { file: \(Stories.file(["/a"])) } },
        apps: { app: { identifier: "\(Stories.app)", domains: ["applinks:e.test"] } },
        devices: { phone: { os: "ios:17.4" } }, script: [{ tap: "https://e.test/a", \(words) }] }
      """
    guard case .findings(let findings) = StoryParser.parse(SourceText(name: "story", text), reader: .none)
    else {
      Issue.record("the story is read")
      return
    }
    #expect(
      findings.map(\.message).contains { $0.hasPrefix(String(message.dropLast())) },
      "\(findings.map(\.message))")
  }
}
