import AppSiteAssociation
import AssociatedDomains
import AssociationDelivery
import Foundation
import LinkspanCore
import PushProvider
import TestSupport
import Testing

@testable import LinkspanSimulator
@testable import LinkspanStories
@testable import PushDelivery
@testable import SimulatedDevices

/// Every invariant is a check that can fail: a step in which all hold, with one thing changed, breaks it.
@Suite struct InvariantTests {
  /// A change that makes a good step bad.
  struct Doctored: Sendable, CustomTestStringConvertible {
    var invariant: String
    var action: StoryStep.Action
    var os: OSVersion
    var change: @Sendable (inout StepRecord) -> Void

    var testDescription: String { invariant }

    init(
      _ invariant: String, _ action: StoryStep.Action = Good.wait, os: OSVersion = OSVersion(.iOS, 17, 4),
      _ change: @escaping @Sendable (inout StepRecord) -> Void
    ) {
      self.invariant = invariant
      self.action = action
      self.os = os
      self.change = change
    }
  }

  static func broken(_ step: StepRecord) -> [String] {
    Invariant.all.filter { invariant in
      var watcher = invariant.watcher()
      return !watcher.problems(step).isEmpty
    }
    .map(\.name)
  }

  @Test(arguments: [
    OSVersion(.iOS, 9, 2), OSVersion(.iOS, 13, 7), OSVersion(.iOS, 17, 4),
  ]) func aGoodMomentBreaksNothing(_ os: OSVersion) throws {
    for action in [Good.wait, Good.tap, Good.install, Good.choose, .delete(apps: [], devices: [])] {
      #expect(Self.broken(try Good.step(action, os)) == [])
    }
  }

  @Test(arguments: cases) func aDoctoredMomentBreaksIt(_ doctored: Doctored) throws {
    var step = try Good.step(doctored.action, doctored.os)
    doctored.change(&step)
    #expect(Self.broken(step).contains(doctored.invariant))
  }

  @Test func everyInvariantHasADoctoredMoment() {
    let ofTwoSteps: Set<String> = ["force-quit-means-asleep"]
    #expect(Set(Self.cases.map(\.invariant)).union(ofTwoSteps) == Set(Invariant.all.map(\.name)))
  }

  /// The page lists what is checked, in the same order and words.
  @Test func thePageListsEveryInvariant() throws {
    let page = try String(
      contentsOf: Fixtures.root.appending(path: "Documentation/swarm.md"), encoding: .utf8)
    let rows = Invariant.all.map { invariant in
      "| `\(invariant.name)` | \(invariant.sentence) | \(invariant.rules.joined(separator: ", ")) | "
        + "\(invariant.certainty.rawValue) |"
    }
    let table: [String] = page.split(separator: "\n").suffix(rows.count).map(String.init)
    #expect(table == rows)
  }

  @Test func namesAreUniqueAndSentencesWhole() {
    #expect(Set(Invariant.all.map(\.name)).count == Invariant.all.count)
    for invariant in Invariant.all {
      #expect(invariant.sentence.hasSuffix("."))
      #expect(!invariant.rules.isEmpty)
    }
  }

  static let cases: [Doctored] =
    links + fetches + records + checks + pushes + InvariantTests.continuity

  static let pushes: [Doctored] = [
    // push 7.12, 7.13: it is delivered, and then dropped as well.
    Doctored("one-fate-a-push") { $0.events = [Good.push(.woke), Good.push(.dropped)] },
    // It is held after it woke the app.
    Doctored("one-fate-a-push") { $0.events = [Good.push(.woke), Good.push(.held)] },
    // Two wait in APNs for one app.
    Doctored("one-fate-a-push") { $0.events = [Good.push(.stored), Good.push(.stored, 2)] },
    // Nothing at all happens to it.
    Doctored("one-fate-a-push", Good.pushing) { $0.events = [] },
    // push 7.5: its handler is told twice, or though it woke nobody.
    Doctored("no-handler-twice") { $0.events = [Good.push(.woke), Good.push(.woke)] },
    Doctored("no-handler-twice") {
      $0.events = [Good.push(.woke), Good.push(.finished), Good.push(.killed)]
    },
    Doctored("no-handler-twice") { $0.events = [Good.push(.finished)] },
  ]

  /// push 7.6: it takes two steps to break it.
  @Test func aForceQuitAppThatIsWokenBreaksIt() throws {
    let invariant = try #require(Invariant.all.first { $0.name == "force-quit-means-asleep" })
    func problems(after second: StoryStep.Action) throws -> [String] {
      var watcher = invariant.watcher()
      var change = PushAppChange(app: 0, devices: [0])
      change.life = .forceQuit
      _ = watcher.problems(try Good.step(.push(.app(change)), OSVersion(.iOS, 17, 4)))
      var step = try Good.step(second, OSVersion(.iOS, 17, 4))
      step.events = [Good.push(.woke)]
      return watcher.problems(step)
    }
    #expect(try problems(after: Good.wait) == ["\(Stories.app) was woken on iphone after a force-quit"])
    #expect(try problems(after: .reboot(devices: [0])) == [])
    #expect(try problems(after: .launch(apps: [0], devices: [0])) == [])
  }

  /// Two months of many hosts in one step, each of which Apple's CDN crawls and devices check again and again: every question
  /// is found among those of its own host and entry.
  @Test func manyCrawlsOfManyHostsAreChecked() throws {
    let hosts = (0..<25).map { "h\($0).test" }
    let text = """
      {
        start: "2026-09-14T08:00:00Z",
        sites: { \(hosts.map { "\"\($0)\": { body: \"{}\" }" }.joined(separator: ", ")) },
        apps: {
          shop: {
            identifier: "\(Stories.app)", domains: [\(hosts.map { "\"applinks:\($0)\"" }.joined(separator: ", "))],
          },
        },
        devices: { iphone: { os: "ios:17.4", count: 20 } },
        script: [{ install: "shop" }, { wait: "60d" }],
      }
      """
    let result = try Simulation.run(try Stories.inline(text))
    #expect(result.violations.isEmpty)
    #expect(result.events.count { $0.kind == "crawl" } > 500)
  }

  static let links: [Doctored] = [
    // Section 8: no stored file speaks for it.
    Doctored("opens-only-what-the-file-allows", Good.tap) { $0.after[0].records[0].siteApproval = .denied },
    // Section 10: the user chose the browser.
    Doctored("opens-only-what-the-file-allows", Good.tap) { $0.after[0].records[0].userApproval = .denied },
    // Section 1: it is not installed.
    Doctored("opens-only-what-the-file-allows", Good.tap) { $0.after[0].apps = [] },
    // M4: the file has no rule for the path.
    Doctored("opens-only-what-the-file-allows", Good.tap) {
      $0.taps[0].link = LinkURL("https://e.test/private")
    },
    // Section 10 row 15: nobody chose the app on the Mac.
    Doctored("opens-only-what-the-file-allows", Good.tap, os: OSVersion(.macOS, 14, 4)) { _ in },
    Doctored("opens-what-everything-allows", Good.tap) { $0.taps[0].verdict.app = nil },
    Doctored("exact-host-before-wildcard", Good.tap) { step in
      var wildcard = step.after[0].records[0]
      wildcard.domain = Good.domain("applinks:*.test")
      step.after[0].records.append(wildcard)
      step.taps[0].verdict.domain = wildcard.domain
    },
    Doctored("the-way-of-following-counts", Good.tap) { $0.taps[0].way = .typed },
    Doctored("the-way-of-following-counts", Good.tap) { $0.taps[0].way = .ownApp(identifier: Stories.app) },
    Doctored("the-way-of-following-counts", Good.tap) { $0.taps[0].way = .safari(pageHost: "e.test") },
    Doctored("the-way-of-following-counts", Good.tap) { $0.taps[0].way = .script },
    Doctored("the-way-of-following-counts", Good.tap) { $0.taps[0].way = .webView(identifier: Stories.app) },
    Doctored("following-asks-nobody", Good.tap) { $0.exchanges = [Good.exchange($0)] },
  ]

  static let fetches: [Doctored] = [
    Doctored("no-fetch-before-install") { step in
      step.before[0].apps = []
      step.before[0].records = []
    },
    Doctored("no-fetch-before-install") { $0.exchanges[0].request = Good.throughCDN("other.test") },
    Doctored("nothing-after-delete") { $0.action = .delete(apps: [], devices: [0]) },
    Doctored("offline-asks-nothing") { $0.before[0].isOnline = false },
    Doctored("negative-cache-honoured") { Good.crawl(&$0, [0, 3599], isGood: false) },
    Doctored("positive-cache-honoured") { Good.crawl(&$0, [0, 21_599], isGood: true) },
    Doctored("only-the-cdn-is-asked") { $0.exchanges[0].request = Good.direct(.wellKnown) },
    Doctored("old-releases-ask-the-host", os: OSVersion(.iOS, 13, 7)) {
      $0.exchanges[0].request = Good.throughCDN("e.test")
    },
    Doctored("the-release-decides-the-place", os: OSVersion(.iOS, 9, 2)) {
      $0.exchanges[0].request = Good.direct(.wellKnown)
    },
    Doctored("the-release-decides-the-place") { step in
      step.exchanges[0].request = Good.direct(.root)
    },
    Doctored("the-crawler-stays-outside") { step in
      step.facts["e.test"] = HostFacts()
      step.facts["e.test"]?.privateAddress = "10.0.0.5"
      Good.crawl(&step, [0], isGood: true)
    },
    Doctored("no-redirect-is-followed") { step in
      Good.crawl(&step, [0], isGood: true)
      step.exchanges[0].request = Good.throughCDN("elsewhere.test")
    },
  ]

  static let records: [Doctored] = [
    Doctored("one-record-a-key") { $0.after[0].records.append($0.after[0].records[0]) },
    Doctored("no-record-without-its-app") { $0.after[0].apps = [] },
    Doctored("no-record-without-its-app") { $0.after[0].apps[0].entries = ["applinks:other.test"] },
    Doctored("a-mode-needs-its-device") {
      $0.after[0].records[0].domain = Good.domain("applinks:e.test?mode=developer")
    },
    Doctored("a-mode-needs-its-device") { step in
      step.after[0].records[0].domain = Good.domain("applinks:e.test?mode=developer+managed")
      step.after[0].traits.isManaged = true
    },
    Doctored("wildcards-since-9.3", os: OSVersion(.iOS, 9, 2)) {
      $0.after[0].records[0].domain = Good.domain("applinks:*.e.test")
    },
    Doctored("approved-means-named") { $0.after[0].records[0].file = nil },
    Doctored("approved-means-named") {
      $0.after[0].records[0].file = Good.file(naming: "FGHIJ67890.com.other")
    },
    Doctored("no-file-beyond-the-limit") {
      $0.after[0].records[0].file?.body = Array(repeating: 0x20, count: 131_073)
    },
    // E6, E7: the file of another host.
    Doctored("the-file-is-the-hosts-own") { $0.published = ["www.e.test": $0.published["e.test"] ?? []] },
    Doctored("the-file-is-the-hosts-own") { $0.after[0].records[0].file?.body.removeLast(3) },
  ]

  static let checks: [Doctored] = [
    Doctored("approval-survives-what-passes") { step in
      step.exchanges[0].result = .failed(.timedOut)
      step.after[0].records[0].siteApproval = .unspecified
    },
    Doctored("approval-survives-what-passes", os: OSVersion(.iOS, 13, 7)) { step in
      step.exchanges[0].result = .answered(.text(503, "Service Unavailable"))
      step.after[0].records[0].file = nil
      step.after[0].records[0].siteApproval = .denied
    },
    // Lost by one check and given back by the next, before anybody looks.
    Doctored("approval-survives-what-passes") { step in
      var lost = step.exchanges[0]
      lost.result = .failed(.timedOut)
      step.exchanges = [lost] + step.exchanges
      step.exchanges[1].time += .seconds(11_000)
      Good.announce(&step, after_s: 10_900, retries: 1, site: .unspecified)
    },
    Doctored("a-refusal-follows-the-switch", os: OSVersion(.iOS, 13, 7)) {
      $0.exchanges[0].result = .answered(.text(404, "Not Found"))
    },
    Doctored("a-refusal-follows-the-switch", os: OSVersion(.iOS, 13, 7)) { step in
      step.story.deviceSwitches.keepsApprovalAfterRefusal = true
      step.exchanges[0].result = .answered(.text(404, "Not Found"))
      step.after[0].records[0].siteApproval = .denied
    },
    Doctored("the-users-choice-outlives-re-checks") { $0.before[0].records[0].userApproval = .denied },
    Doctored("the-users-choice-outlives-re-checks", Good.choose) {
      $0.after[0].records[0].userApproval = .approved
    },
    Doctored("the-users-choice-outlives-re-checks", Good.longPress) { _ in },
    Doctored("no-re-check-too-early") {
      $0.before[0].records[0].nextCheck = $0.exchanges[0].started + .seconds(1)
    },
    Doctored("no-re-check-forgotten") { $0.after[0].records[0].nextCheck = $0.began + .seconds(86_400) },
    Doctored("no-re-check-forgotten") { $0.after[0].records[0].nextCheck = nil },
    // V2: 3 hours is for failures.
    Doctored("the-next-check-is-in-time") { Good.announce(&$0, after_s: 10_900, retries: 0) },
    // R1: the ninth failure in a row waits a week.
    Doctored("the-next-check-is-in-time") { Good.announce(&$0, after_s: 10_900, retries: 9) },
    Doctored("the-next-check-is-in-time") { Good.announce(&$0, after_s: 430_000, retries: 8) },
    // R1: a refusal is not retried.
    Doctored("the-next-check-is-in-time") {
      Good.announce(&$0, after_s: 10_900, retries: 1, problem: .refused)
    },
    Doctored("an-install-asks-for-every-file", Good.install) {
      $0.after[0].records[0].lastChecked = $0.began - .seconds(1)
    },
    Doctored("time-never-runs-back") { Good.crawl(&$0, [9, 8], isGood: true) },
  ]
}

/// A step in which everything is well: one device with one app, and one approved entry that was just re-checked.
enum Good {
  static let wait = StoryStep.Action.wait(.seconds(86_400))
  static let tap = StoryStep.Action.tap(links: [0], way: .messages, devices: [0], expectations: [])
  static let install = StoryStep.Action.install(apps: [0], devices: [0])
  /// The user takes the browser from the menu, which is remembered.
  static let longPress = StoryStep.Action.tap(
    links: [0], way: .longPress(browser: true), devices: [0], expectations: [])
  static let choose = StoryStep.Action.choose(browser: true, host: "e.test", devices: [0])

  static let pushing = StoryStep.Action.push(
    .send(
      PushSending(
        payload: .null, app: 0, devices: [0], push: SentPush(payload), expectations: [])))

  static let payload: ReceivedPayload = {
    let text = #"{"aps":{"content-available":1}}"#
    guard let payload = try? ReceivedPayload(Array(text.utf8)) else { preconditionFailure("it can be read") }
    return payload
  }()

  /// What the trace says of a push to the app.
  static func push(_ kind: DeliveryEvent.Kind, _ number: Int = 1) -> Event {
    let delivery = DeliveryEvent(
      time: WallTime(milliseconds: 0), kind: kind, push: number, app: "com.example.app",
      provenance: Provenance([], .documented))
    return Event(
      time: began, wallTime: WallTime(milliseconds: 0), party: "iphone",
      what: PushHappening.delivery(delivery, app: Stories.app))
  }

  static let began: Duration = .seconds(1000)

  static func domain(_ text: String) -> AssociatedDomain {
    guard let domain = try? AssociatedDomain(text) else { preconditionFailure("'\(text)' is no entry") }
    return domain
  }

  static func file(naming app: String) -> StoredFile {
    let body = Array(
      "{\"applinks\":{\"apps\":[],\"details\":[{\"appID\":\"\(app)\",\"paths\":[\"/a\"]}]}}".utf8)
    guard let file = AssociationContent(body).file else { preconditionFailure("the file can be read") }
    return StoredFile(matcher: AssociationMatcher(file), body: body, digest: "")
  }

  static func step(_ action: StoryStep.Action, _ os: OSVersion) throws -> StepRecord {
    let build = AppBuild(identifier: Stories.app, entries: ["applinks:e.test"])
    let traits = DeviceTraits(name: "iphone", os: os)
    var story = Story(name: "good", start: WallTime(milliseconds: 0))
    story.apps = [.init(name: "app", build: build)]
    story.devices = [traits]
    story.links = ["https://e.test/a"]
    var record = AssociationRecord(app: Stories.app, domain: domain("applinks:e.test"), installation: 1)
    let stored = file(naming: Stories.app)
    record.siteApproval = .approved
    record.lastChecked = .zero
    record.nextCheck = began + .seconds(10)
    record.file = stored
    let before = DeviceSnapshot(traits: traits, apps: [build], records: [record])
    record.lastChecked = began + .seconds(11)
    record.nextCheck = began + .seconds(430_000)
    if case .choose = action { record.userApproval = .denied }
    let after = DeviceSnapshot(traits: traits, apps: [build], records: [record])
    let verdict = LinkVerdict(
      app: Stories.app, step: .pattern, reason: "it matches", rules: ["M4"], certainty: .documented,
      domain: record.domain)
    var step = StepRecord(
      story: story, index: 0, action: action, began: began, events: [],
      exchanges: [], taps: [], before: [before], after: [after], published: ["e.test": [stored.body]],
      facts: [:])
    switch action {
    case .wait, .install: step.exchanges = [exchange(step)]
    case .tap:
      step.taps = [.init(device: 0, link: LinkURL("https://e.test/a"), way: .messages, verdict: verdict)]
    default: break
    }
    return step
  }

  /// The device's question about its entry, answered with the file.
  static func exchange(_ step: StepRecord) -> Exchange {
    let traits = step.before[0].traits
    let location: AssociationLocation = traits.os.readsWellKnownAndWildcards ? .wellKnown : .root
    let request = traits.os.fetchesThroughCDN ? throughCDN("e.test") : direct(location)
    return Exchange(
      started: began + .seconds(10), time: .seconds(1), party: "iphone", connection: "iphone 1",
      version: .http2, request: request,
      result: .answered(HTTPResponse(status: 200, body: step.published["e.test"]?[0] ?? [])),
      cause: cause("\(Stories.app) applinks:e.test"))
  }

  /// Crawls that many seconds after the step began.
  static func crawl(_ step: inout StepRecord, _ times_s: [Int], isGood: Bool) {
    let answer = HTTPResponse(status: isGood ? 200 : 404)
    step.events += times_s.map { time_s in
      event(
        step, time_s, "cdn",
        Crawl(
          host: "e.test", found: CrawlResult(urls: [], result: .answered(answer)), cause: .unknown,
          answer: answer, keeps: .zero))
    }
    step.exchanges += times_s.map { time_s in
      let time = began + .seconds(time_s)
      return Exchange(
        started: time, time: .zero, party: "cdn", connection: "cdn 1", version: .http1,
        request: direct(.wellKnown),
        result: .answered(HTTPResponse(status: 200)), cause: cause("e.test"))
    }
  }

  static func throughCDN(_ host: String) -> HTTPRequest {
    HTTPRequest(authority: ContentDeliveryNetwork.host, target: "/a/v1/\(host)")
  }

  static func direct(_ location: AssociationLocation) -> HTTPRequest {
    HTTPRequest(authority: "e.test", target: location.rawValue)
  }

  static func cause(_ lane: String) -> FetchCause {
    var cause = FetchCause.unknown
    cause.lane = lane
    return cause
  }

  /// A check that has just ended and says when the next one is.
  static func announce(
    _ step: inout StepRecord, after_s: Int, retries: Int, site: AssociationRecord.Approval = .approved,
    problem: FetchProblem.Kind? = nil
  ) {
    var record = step.after[0].records[0]
    record.retries = retries
    record.problem = problem.map {
      FetchProblem(kind: $0, reason: "", change: "", rules: [], certainty: .documented)
    }
    record.nextCheck = .seconds(1011 + after_s)
    record.siteApproval = site
    let check = EntryCheck(record: record, reason: .weekly, route: .cdn, url: "")
    step.events.append(event(step, 11, "iphone", DeviceHappening.checked(check)))
  }

  static func event(_ step: StepRecord, _ time_s: Int, _ party: String, _ what: any Happening) -> Event {
    let time = began + .seconds(time_s)
    return Event(time: time, wallTime: step.story.start.advanced(by: time), party: party, what: what)
  }
}
