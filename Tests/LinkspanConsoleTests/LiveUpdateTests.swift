import DeviceRegistry
import LinkspanConsole
import LinkspanCore
import LinkspanCrypto
import LinkspanServer
import RegistryServer
import TestSupport
import Testing

@testable import LinkspanConsole

/// What an open page gets when something changes: little, whatever page it is and however much there is.
@Suite struct LiveUpdateTests {
  private static let time = WallTime("2026-09-14T08:00:00Z")!

  /// As many hosts and metrics as `Scripts/soak-console` has.
  private static func fixture(_ registry: RegistryAPI? = nil) -> ConsoleFixture {
    let fixture = ConsoleFixture(registry: registry)
    fixture.state.withLock { state in
      state.sites.hosts = (0..<10_000).map { ConsoleFixture.host("h\($0).example") }
      state.sites.hosts[9_999] = refused("h9999.example")
      state.metrics = metrics(0)
    }
    return fixture
  }

  private static func refused(_ host: String) -> HostReport {
    var report = ConsoleFixture.host(
      host, .refused, "2 errors in the newest files. The previous version is served.")
    report.errorCount = 2
    report.findings = (1...10).map {
      "\(host)/apple-app-site-association:\($0):18: error[aasa.unknown-key]: 'exlude' is not a component key. iOS ignores it."
    }
    return report
  }

  /// Every number that Health shows, with labels, and each of them another one in each round.
  private static func metrics(_ round: Int) -> String {
    let families = [
      "linkspan_hosts", "linkspan_publication_refused", "linkspan_sites_unreadable", "linkspan_reloads_total",
      "linkspan_certificate_expiry_timestamp_seconds", "linkspan_signed_file_expiry_timestamp_seconds",
      "linkspan_access_log_lines_dropped_total", "linkspan_registry_devices_total",
      "linkspan_registry_refusals_total", "linkspan_registry_failures_total", "linkspan_registry_waiting",
      "linkspan_push_attempts_total", "linkspan_push_backlog", "linkspan_push_outage",
      "process_resident_memory_bytes",
      "process_open_fds",
      "linkspan_requests_total", "linkspan_responses_total", "linkspan_connections",
      "linkspan_connections_limit", "linkspan_connections_refused_total", "linkspan_pending_requests",
    ]
    return families.flatMap { family in
      (1...20).map {
        "\(family){environment=\"production\",reason=\"Reason\($0)\"} \(100_000 * $0 + round)\n"
      }
    }.joined()
  }

  private static func events(_ stream: HTTPBodyStream) -> [String] {
    stream.text.split(separator: "\n\n").map { $0 + "\n\n" }.filter { $0.contains("event: part") }
  }

  /// - Parameter version: What the page says that it shows; nil for what was loaded.
  private static func stream(_ browser: Browser, version: String? = nil) throws -> HTTPBodyStream {
    let parts = browser.page.ranges(of: "data-part=\"").map { range -> String in
      let rest = browser.page[range.upperBound...]
      let loaded = rest[(rest.firstRange(of: "data-version=\"")!.upperBound)...].prefix { $0 != "\"" }
      let name = rest.prefix { $0 != "\"" }.replacing("&amp;", with: "&")
      return "part=\(URLText.encoded("\(name)@\(version ?? String(loaded))"))"
    }
    return try #require(
      browser.fixture.stream("/live?\(parts.joined(separator: "&"))", cookie: browser.cookie))
  }

  private static func open(_ path: String, _ browser: Browser) throws -> HTTPBodyStream {
    browser.get(path)
    #expect(browser.status == 200, "\(path)")
    return try stream(browser)
  }

  private static let pages =
    Place.allCases.map { "/\($0.rawValue)" } + [
      "/sites?q=h5", "/sites?state=refused&sort=errors", "/sites/h5000.example", "/sites/h1.example",
      "/push/campaigns/1",
    ]

  private static func registry(_ folder: ScratchFolder) throws -> (Registry, RegistryAPI) {
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    let api = RegistryAPI(registry, now: { time })
    for (method, target, body) in [
      (
        "PUT", "/v1/devices/" + String(repeating: "ab", count: 32),
        #"{"topic":"com.example.app","environment":"production"}"#
      ),
      (
        "POST", "/v1/campaigns",
        #"{"topic":"com.example.app","environment":"production","audience":"all","payload":{"aps":{"alert":"Hi"}}}"#
      ),
    ] {
      var request = HTTPRequest(
        method: method, authority: "console", target: target, body: Array(body.utf8))
      request.fields["Content-Type"] = "application/json"
      let answers = WorkQueue<HTTPResponse>(limit: 1)
      api.answer(request, as: "test") { response in _ = answers.add(response) }
      let response = try #require(answers.take(1)?.first)
      #expect(response.status < 300, "\(String(decoding: response.body, as: UTF8.self))")
    }
    return (registry, api)
  }

  /// One host more is refused; then every number of Health is another one.
  @Test func anUpdateIsSmallOnEveryPage() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let fixture = Self.fixture(api)
    let browser = Browser(fixture)
    browser.logIn()
    for (round, path) in Self.pages.enumerated() {
      fixture.state.withLock { $0.sites.hosts[5_000] = ConsoleFixture.host("h5000.example") }
      let stream = try Self.open(path, browser)
      fixture.console.tick()
      #expect(Self.events(stream).isEmpty, "\(path) is as it was loaded")
      fixture.state.withLock { $0.sites.hosts[5_000] = Self.refused("h5000.example") }
      fixture.console.tick()
      let refusal = Self.events(stream)
      #expect(refusal.joined().contains("h5000.example"), "\(path)")
      if path != "/sites/h5000.example" {
        #expect(refusal.joined().utf8.count <= 2_048, "\(path): \(refusal)")
      }
      fixture.state.withLock { $0.metrics = Self.metrics(round + 1) }
      fixture.console.tick()
      let numbers = Self.events(stream)
      #expect(numbers.isEmpty == (path != "/health"), "\(path)")
      for event in refusal + numbers { #expect(event.utf8.count <= 2_048, "\(path): \(event)") }
      stream.close()
    }
  }

  /// Somebody else goes back while a page of the host is open: what is served, its history and its buttons change with it.
  @Test func anOpenPageOfAHostIsNeverBehindItself() throws {
    let fixture = ConsoleFixture()
    fixture.state.withLock { $0.sites.hosts = [ConsoleFixture.host("example.com")] }
    let browser = Browser(fixture)
    browser.logIn()
    let stream = try Self.open("/sites/example.com", browser)
    fixture.console.tick()
    #expect(Self.events(stream).isEmpty)
    let other = Array(
      #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[]}]}}"#.utf8)
    fixture.state.withLock { state in
      var report = ConsoleFixture.host("example.com", .rolledBack, "A reason.")
      let site = AssociationSite(host: "example.com", associationFile: other)
      report.site = site
      report.standing = Standing(.rollback, site, replaced: [nil], actor: "console:eve", since: Self.time)
      state.sites.hosts = [report]
      (state.publicationCount, state.liveNumbers, state.rolledBackTo) = (3, [1, 3], 1)
    }
    fixture.console.tick()
    let events = Self.events(stream).joined()
    for part in Console.HostPart.allCases {
      #expect(events.contains("\"part\":\"\(part.rawValue)?example.com\""), "\(part)")
    }
    browser.get("/sites/example.com")
    let again = try Self.stream(browser)
    fixture.console.tick()
    #expect(Self.events(again).isEmpty, "what was sent is what a page that is loaded now shows")
    // The form of the page is sent by the buttons of its parts.
    #expect(browser.page.contains("formaction=\"/sites/example.com/release\""))
    #expect(browser.page.ranges(of: "name=\"form\"").count == 2, "one of the page, one to log out")
  }

  /// A hundred hosts at once, and a page whose version nobody knows any more: several small events, each with as much as fits.
  @Test(arguments: pages) func muchThatIsNewComesInPieces(path: String) throws {
    let fixture = Self.fixture()
    let browser = Browser(fixture)
    browser.logIn()
    if path.hasPrefix("/push/campaigns") { return }
    let stream = try Self.open(path, browser)
    fixture.state.withLock { state in
      var hosts = state.sites.hosts
      for index in 5_000..<5_100 { hosts[index] = Self.refused("h\(index).example") }
      state.sites.hosts = hosts
    }
    fixture.console.tick()
    let unknown = try Self.stream(browser, version: "old")
    fixture.console.tick()
    for events in [Self.events(stream), Self.events(unknown)] {
      #expect(!events.isEmpty)
      #expect(events.allSatisfy { $0.utf8.count <= 2_048 }, "\(path): \(events.map(\.utf8.count))")
    }
  }

  /// Its script sees no status, and would ask again for ever.
  @Test func aPageWhoseSessionHasEndedIsToldSo() throws {
    let browser = Browser(ConsoleFixture())
    browser.logIn()
    browser.get("/home")
    browser.fixture.advance(seconds: 1_900)
    for _ in 0..<2 {
      browser.get("/live?part=home@1")
      #expect(browser.status == 200 && browser.page == "event: over\ndata:\n\n")
      #expect(browser.fields["Content-Type"] == "text/event-stream")
      // After a logout there is no cookie either.
      browser.cookie = nil
    }
    browser.get("/live")
    #expect(browser.status == 400)
  }

  /// A person has sixteen pages open; those that were left make room at once.
  @Test func pagesThatWereLeftMakeRoom() throws {
    let browser = Browser(ConsoleFixture())
    browser.logIn()
    browser.get("/home")
    let streams = try (0..<LiveParts.limitByUser).map { _ in try Self.stream(browser) }
    #expect(browser.fixture.stream("/live?part=home", cookie: browser.cookie) == nil)
    streams[3].close()
    #expect(browser.fixture.stream("/live?part=home", cookie: browser.cookie) != nil)
    #expect(browser.fixture.stream("/live?part=home", cookie: browser.cookie) == nil)
  }

  /// The names of parts come from a browser, and may be anything.
  @Test func aPartOfAHostWithoutItsHostIsReadOver() throws {
    let browser = Browser(ConsoleFixture())
    browser.logIn()
    for name in Console.HostPart.allCases.map(\.rawValue) + ["sites", "nothing", "%3F", "push%3F"] {
      let stream = try #require(browser.fixture.stream("/live?part=\(name)%40old", cookie: browser.cookie))
      browser.fixture.console.tick()
      #expect(Self.events(stream).allSatisfy { $0.hasPrefix("event: part\n") }, "\(name)")
      stream.close()
    }
  }

  /// The chart of an hour in which every column changes, and every kind of outcome with it.
  @Test func aChartIsOneSmallUpdate() {
    func picture(_ round: Int64) -> String {
      let states: [DeliveryState] = [.accepted, .rejected, .expired]
      let counts = (0..<Int64(60)).flatMap { minute -> [MinuteCount] in
        let number: Int64 = 1_000_000 + minute * 7_919 * round % 900_000
        return states.map { MinuteCount(minute: minute, state: $0, reason: "", number: number) }
      }
      return DeliverySeries(counts, minutes: 0..<60).picture.text
    }
    let steps = LiveDifference.steps(from: picture(1), to: picture(3))
    #expect(JSON.array(steps).bytes.count < 1_900, "\(JSON.array(steps).bytes.count)")
  }
}

/// Who is logged in, and until when.
@Suite struct ConsoleSessionsTests {
  private static let user = ConsoleUser(
    name: "ada",
    password: PasswordHash(Array("twelve characters".utf8), salt: [UInt8](repeating: 1, count: 16)),
    createdAt: WallTime(milliseconds: 0))

  /// Beyond a thousand the one that was seen longest ago ends.
  @Test func thereAreAThousandAtMost() {
    let sessions = ConsoleSessions()
    for number in 0..<1_000 { sessions.begin(Self.user, secret: "\(number)", at: .milliseconds(number)) }
    let now = Duration.seconds(2)
    #expect(sessions.session("0", at: now, isActive: false) != nil)
    _ = sessions.session("0", at: now)
    sessions.begin(Self.user, secret: "one more", at: now)
    #expect(sessions.session("1", at: now) == nil)
    for secret in ["0", "2", "999", "one more"] {
      #expect(sessions.session(secret, at: now) != nil, "\(secret)")
    }
  }

  @Test(arguments: [(200, true), (201, false)]) func aSessionKnowsTwoHundredForms(count: Int, isKnown: Bool) {
    let sessions = ConsoleSessions()
    sessions.begin(Self.user, secret: "s", at: .zero)
    for number in 0..<count { sessions.add(form: "\(number)", to: "s") }
    #expect((sessions.take(form: "0", of: "s") == .first) == isKnown)
    #expect(sessions.take(form: "\(count - 1)", of: "s") == .first)
    #expect(sessions.take(form: "\(count - 1)", of: "s") == .again)
    #expect(sessions.take(form: "1", of: "another") == .unknown)
  }

  /// Half an hour without a request, and twelve hours in all; looking on is no request.
  @Test func aSessionEnds() {
    let (idle, whole, just) = (Duration.seconds(1_800), Duration.seconds(43_200), Duration.nanoseconds(1))
    let sessions = ConsoleSessions()
    sessions.begin(Self.user, secret: "s", at: .zero)
    #expect(sessions.session("s", at: idle - just, isActive: false) != nil)
    #expect(sessions.session("s", at: idle) == nil)
    sessions.begin(Self.user, secret: "t", at: .zero)
    var now = Duration.zero
    while now + idle - just < whole {
      now += idle - just
      #expect(sessions.session("t", at: now) != nil)
    }
    #expect(sessions.session("t", at: whole - just) != nil)
    #expect(sessions.session("t", at: whole) == nil)
  }
}
