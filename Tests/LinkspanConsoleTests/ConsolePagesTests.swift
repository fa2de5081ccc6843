import DeviceRegistry
import LinkspanConsole
import LinkspanCore
import LinkspanServer
import PushProvider
import PushTerms
import RegistryRequests
import RegistryServer
import Synchronization
import TestSupport
import Testing

/// What the pages show and do.
@Suite struct ConsolePagesTests {
  private static func loggedIn(_ fixture: ConsoleFixture) -> Browser {
    let browser = Browser(fixture)
    browser.logIn()
    return browser
  }

  @Test func storedNamesShowAsText() {
    let fixture = ConsoleFixture()
    let evil = "<script>alert(1)</script>\"'&\u{202E}"
    fixture.state.withLock {
      var report = ConsoleFixture.host(evil, .refused, evil)
      report.findings = [evil]
      $0.sites.hosts = [report]
      $0.sites.problem = evil
    }
    let browser = Self.loggedIn(fixture)
    for path in [
      "/sites", "/sites/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/links?url=\(evil)", "/health",
      "/devices?alias=\(evil)",
    ] {
      browser.get(path)
      #expect(!browser.page.contains("<script>alert"), "\(path)")
      #expect(!browser.page.contains("\u{202E}"), "\(path)")
    }
    browser.get("/sites")
    #expect(browser.page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
  }

  @Test(arguments: [
    ("/sites/example.com/", "/sites/example.com"), ("/home/", "/home"),
    ("/sites/?state=live", "/sites?state=live"),
    ("/health//", "/health"), ("/login/", "/login"),
  ])
  func aSlashBehindAPageLeadsToIt(_ path: String, _ page: String) {
    let fixture = ConsoleFixture()
    let browser = Self.loggedIn(fixture)
    browser.get(path)
    #expect(browser.status == 303 && browser.fields["Location"] == page)
    for path in ["/nothing/", "//example.com/"] {
      browser.get(path)
      #expect(browser.status == 404, "\(path)")
    }
  }

  /// Such as a push with a payload of a megabyte.
  @Test func whatTheServerRefusesItselfIsAPage() {
    let answer = ConsoleFixture().console.answer(
      toRefused: RefusedRequest(
        method: "POST", target: "/push", status: 413, reason: "the body is larger than 262144 bytes"))
    #expect(answer.status == 413 && answer.fields["Content-Type"] == "text/html; charset=utf-8")
    #expect(answer.fields["Content-Security-Policy"] != nil)
    let page = String(decoding: answer.body, as: UTF8.self)
    #expect(
      page.contains(
        "The body is larger than 262144 bytes. Nothing was done; go back to change what you sent."))
  }

  /// Nobody knows whether it was done (503 after the deadline).
  @Test func anAnswerThatTookTooLongIsNotCalledUndone() {
    let answer = ConsoleFixture().console.answer(
      toRefused: RefusedRequest(
        method: "POST", target: "/push", status: 503, reason: "the answer took too long", mayBeDone: true))
    let page = String(decoding: answer.body, as: UTF8.self)
    #expect(page.contains("The answer took too long. Look whether it was done before you send it again."))
    #expect(!page.contains("Nothing was done"))
  }

  @Test func showsAHostWithItsHistory() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/sites/example.com")
    #expect(browser.status == 200)
    #expect(browser.page.contains("https://example.com/buy<"))
    #expect(browser.page.contains("matches no rule before, opens the app now"))
    #expect(browser.page.contains("Roll back to publication 1"))
    browser.get("/sites/other.example")
    #expect(browser.status == 404)
    browser.get("/sites/example.com/cdn")
    #expect(browser.page.contains("It answers: 404."))
    #expect(browser.page.contains("It has no file, so devices since iOS 14 that ask now get none."))
  }

  @Test func afterARollbackOnlyTheNewestPublicationIsLive() {
    let fixture = ConsoleFixture()
    fixture.state.withLock {
      $0.publicationCount = 3
      $0.liveNumbers = [1, 3]
    }
    let browser = Self.loggedIn(fixture)
    browser.get("/sites/example.com")
    #expect(browser.page.split(separator: "<span class=\"good\">served</span>").count == 2)
    #expect(browser.page.contains("Roll back to publication 1"))
  }

  // MARK: - Attention first

  /// What a person sees without scrolling: the first 1,800 characters of a page's text.
  private static func firstScreen(_ page: String) -> String {
    var text = ""
    var isTag = false
    for character in page[(page.firstRange(of: "<body>")?.lowerBound ?? page.startIndex)...] {
      if character == "<" { isTag = true }
      if !isTag { text.append(character) }
      if character == ">" { isTag = false }
    }
    return String(text.prefix(1_800))
  }

  private static func fixture(hosts: Int) -> ConsoleFixture {
    let fixture = ConsoleFixture()
    fixture.state.withLock { state in
      state.sites.hosts = (0..<hosts).map { ConsoleFixture.host("h\($0).example") }
      state.sites.hosts[hosts - 1] = ConsoleFixture.host(
        "broken.example", .refused, "1 error in the newest files.")
      state.sites.hosts[hosts - 1].errorCount = 1
    }
    return fixture
  }

  @Test(arguments: Place.allCases) func everyPageNamesTheRefusedHostFirst(place: Place) {
    let browser = Self.loggedIn(Self.fixture(hosts: 10_000))
    browser.get("/\(place.rawValue)")
    #expect(Self.firstScreen(browser.page).contains("broken.example"), "\(place)")
    #expect(browser.page.contains("<a href=\"/sites/broken.example\">broken.example</a>"))
  }

  @Test func aStateIsFoundLikeAName() {
    let browser = Self.loggedIn(Self.fixture(hosts: 501))
    browser.get("/sites?q=refused")
    #expect(browser.page.contains("<p class=\"soft\">1 host</p>"))
    browser.get("/sites?q=h49")
    #expect(browser.page.contains("<p class=\"soft\">11 hosts</p>"), "h49 and h490 to h499")
    browser.get("/sites?sort=host&page=3")
    #expect(browser.page.contains("Page 3 of 6"))
    #expect(browser.page.contains("href=\"/sites?sort=host&amp;page=4\" rel=\"next\""))
  }

  @Test(arguments: [
    "bücher", "BÜCHER.example", " xn--bcher ", "bcher-kva", "büch", "ÜCHER.ex", "bücher.example.",
  ])
  func aHostIsFoundAsPeopleWriteIt(text: String) {
    let fixture = Self.fixture(hosts: 9)
    fixture.state.withLock { $0.sites.hosts[4] = ConsoleFixture.host("xn--bcher-kva.example") }
    let browser = Self.loggedIn(fixture)
    browser.get("/sites?q=\(URLText.encoded(text))")
    #expect(browser.page.contains("<p class=\"soft\">1 host</p>"), "\(text)")
    #expect(browser.page.contains("<a href=\"/sites/xn--bcher-kva.example\">"), "\(text)")
  }

  /// A device looks about every five days from its installation on (V2), so that each has its own time.
  @Test func eachSimulatedDeviceLooksFromItsInstallationOn() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/cohort?host=example.com")
    let rows = browser.page.split(separator: "<td data-label=\"Device\">").dropFirst().map { row in
      row.split(separator: "</td>").map { cell in
        String(cell.split(separator: ">").last ?? "")
      }
    }
    let after = rows.filter { $0[0].hasPrefix("iOS 13.3, app installed ") }.map {
      "\($0[0].dropFirst(24)): \($0[1]), \($0[3])"
    }
    #expect(
      after == [
        "right after: the host itself, +11s", "9 days before: the host itself, +20h 58m",
        "4 days before: the host itself, +22h 25m", "13 days before: the host itself, +1d 20h",
        "2 days before: the host itself, +2d 22h", "6 days before: the host itself, +3d 21h",
        "11 days before: the host itself, +3d 21h",
      ])
  }

  @Test(arguments: ["b%C3%BCcher.example", "XN--BCHER-KVA.example"], ["", "/draft", "/cdn"])
  func aHostsPageIsFoundAsPeopleWriteIt(name: String, rest: String) {
    let fixture = Self.fixture(hosts: 9)
    fixture.state.withLock { $0.sites.hosts[4] = ConsoleFixture.host("xn--bcher-kva.example") }
    let browser = Self.loggedIn(fixture)
    browser.get("/sites/\(name)\(rest)")
    #expect(browser.fields["Location"] == "/sites/xn--bcher-kva.example\(rest)", "\(name)")
  }

  // MARK: - Login

  @Test(arguments: [
    ("/sites?q=a", "/sites?q=a"), ("//evil.example/", "/home"), ("/\\evil.example", "/home"),
    ("https://evil.example/", "/home"), ("/\t/evil.example", "/home"), ("/login", "/home"), ("", "/home"),
  ])
  func aLoginGoesOnWhereThePersonWanted(next: String, place: String) {
    let browser = Browser(ConsoleFixture())
    browser.get("/login?next=\(URLText.encoded(next))")
    browser.post(
      "/login", [("name", "ada"), ("password", ConsoleFixture.password), ("next", next)])
    #expect(browser.fields["Location"] == place)
  }

  @Test func aDeepLinkIsKeptThroughTheLogin() {
    let browser = Browser(ConsoleFixture())
    browser.get("/sites/example.com?x=1")
    #expect(browser.fields["Location"] == "/login?next=%2Fsites%2Fexample.com%3Fx%3D1")
  }

  @Test func aCampaignIsForEveryDeviceOrForSome() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let browser = Self.loggedIn(
      ConsoleFixture(registry: RegistryAPI(registry, now: { WallTime("2026-09-14T08:00:00Z")! })))
    browser.get("/push")
    let form = [
      ("topic", "com.example.app"), ("environment", "production"), ("payload", #"{"aps":{"alert":"Hi"}}"#),
    ]
    browser.post("/push", form + [("do", "estimate"), ("tag", "beta"), ("everybody", "yes")])
    #expect(browser.page.contains("exclude each other"))
    browser.post("/push", form + [("do", "send")])
    #expect(browser.page.contains("Fill in the token of a device, or an alias."), "\(browser.page)")
  }

  /// A registry with three devices, of which two need no confirmation.
  private static func registry(_ folder: ScratchFolder, _ more: [String] = []) throws -> (
    Registry, RegistryAPI
  ) {
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    var options = RegistryAPI.Options()
    options.askAbove = 2
    let api = RegistryAPI(registry, options, now: { WallTime("2026-09-14T08:00:00Z")! })
    for number in 1...3 {
      var request = HTTPRequest(
        method: "PUT", authority: "console",
        target: "/v1/devices/" + String(repeating: "0\(number)", count: 32),
        body: Array(
          (#"{"topic":"com.example.app","environment":"production","alias":"ann""#
            + (more.isEmpty ? "" : "," + more[number - 1]) + "}").utf8))
      request.fields["Content-Type"] = "application/json"
      let answers = WorkQueue<HTTPResponse>(limit: 1)
      api.answer(request, as: "test") { response in _ = answers.add(response) }
      #expect(answers.take(1)?.first?.status == 201)
    }
    return (registry, api)
  }

  static let answers: [(fields: [(String, String)], answer: String)] = [
    (
      [("topic", ""), ("do", "send"), ("token", "ab")],
      "The notification has errors. “App”: “App” is missing: the app&#39;s bundle identifier."
    ),
    ([("do", "estimate"), ("everybody", "yes"), ("local_time", "25:99")], "“At their local time”: Expected"),
    ([("do", "estimate"), ("everybody", "yes"), ("throttle", "0")], "“Pushes a second”: Expected"),
    (
      [("do", "estimate"), ("everybody", "yes"), ("payload", #"{"aps":{"alert":"Hi {{alias|you}}"}}"#)],
      "is sent as it is written"
    ),
    ([("do", "send"), ("token", "zz")], "“Token”: It is not a device token"),
    (
      [("do", "send"), ("token", "abcd"), ("alias", "ann")],
      "“Token” and “Alias” exclude each other here. Clear one of them."
    ),
    ([("do", "sent"), ("token", String(repeating: "01", count: 32))], "No problems found in the payload."),
    ([("token", String(repeating: "01", count: 32))], "No problems found in the payload."),
  ]

  static let refusals: [(fields: [(String, String)], field: String, words: String)] = [
    ([("starts_at", "tomorrow")], "starts_at", "Expected a moment such as"),
    ([("repeat", "FREQ=NEVER")], "repeat", "FREQ"),
    (
      [("quiet_from", "22:00")], "quiet_from",
      "Expected two times of day with two digits each, “Quiet from” and “Quiet to”, such as"
    ),
    (
      [("quiet_from", "22:00"), ("quiet_to", "22:00")], "quiet_from",
      "Expected two different times, “Quiet from” and “Quiet to”, such as"
    ),
    (
      [("cap_count", "2")], "cap_count",
      "Expected a number of pushes, “Most per person”, and a time in seconds, “Within seconds”, such as"
    ),
    ([("cap_count", "two"), ("cap_seconds", "60")], "cap_count", "Expected an integer from 1 to"),
    ([("cap_count", "2"), ("cap_seconds", "0")], "cap_seconds", "Expected an integer from 1 to"),
    ([("holdout", "1")], "holdout", "A holdout of 1 leaves no device."),
    ([("holdout", "half")], "holdout", "Expected a share from 0 to 1, such as 0.25."),
    ([("throttle", "many")], "throttle", "Expected an integer from 1 to"),
    // What a reader of JSON that goes on after mistakes would take for 1, 86 and 0.
    ([("throttle", "1,000")], "throttle", "Expected an integer from 1 to"),
    ([("cap_count", "2"), ("cap_seconds", "86,400")], "cap_seconds", "Expected an integer from 1 to"),
    ([("holdout", "0,1")], "holdout", "Expected a share from 0 to 1, such as 0.25."),
  ]

  /// As the API words it, beside the field that has to change, and tied to it for those who hear the page.
  @Test(arguments: refusals.indices)
  func whatTheAPIRefusesOfACampaignIsSaidBesideItsField(_ index: Int) throws {
    let (fields, field, words) = Self.refusals[index]
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get("/push")
    browser.post(
      "/push",
      [
        ("topic", "com.example.app"), ("environment", "production"), ("payload", #"{"aps":{"alert":"Hi"}}"#),
        ("everybody", "yes"), ("do", "estimate"),
      ] + fields)
    let page = browser.page
    #expect(page.contains(" aria-invalid=\"true\" aria-describedby=\"e-\(field) h-\(field)\">"), "\(page)")
    let parts = page.split(separator: "<span class=\"bad\" id=\"e-\(field)\">")
    let said = parts.count == 2 ? parts[1].prefix { $0 != "<" } : ""
    #expect(said.contains(words), "\(said)")
    #expect(page.split(separator: "aria-invalid").count == 2, "one field is refused")
    for (name, value) in fields { #expect(page.contains("name=\"\(name)\" value=\"\(value)\"")) }
  }

  /// Two conditions that contradict each other are both called by their labels.
  @Test func aContradictionNamesBothFields() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get("/push")
    browser.post(
      "/push",
      [
        ("topic", "com.example.app"), ("environment", "production"), ("payload", #"{"aps":{"alert":"Hi"}}"#),
        ("from_version", "3"), ("below_version", "2"), ("do", "estimate"),
      ])
    #expect(browser.page.contains("“Below version” has to be later than “From version”."), "\(browser.page)")
  }

  /// The conditions that the API has, by the words of a person.
  static let conditions: [(fields: [(String, String)], devices: Int)] = [
    ([("tag", "beta")], 2), ([("tag", " beta , paid,two words")], 1),
    ([("tag", "other , \"vip,gold\" ")], 1), ([("any_tags", "\"vip,gold\",paid")], 2),
    ([("tag", "vip,gold")], 0),
    ([("tag", "\"a \"\"b\"\"\"")], 1), ([("tag", "\"5")], 1), ([("any_tags", "paid,free")], 2),
    ([("without_tags", "paid, free")], 1), ([("locale", "de, fr-CA")], 2),
    ([("time_zones", "Europe/Vienna")], 1),
    ([("from_version", "2.0")], 2), ([("below_version", "3.0")], 2),
    ([("from_version", "2.0"), ("below_version", "3.0")], 1), ([("seen_within_s", "86400")], 3),
    ([("not_seen_for_s", "86400")], 0),
  ]

  @Test(arguments: conditions.indices) func anAudienceIsWhatThePersonFilledIn(_ index: Int) throws {
    let (fields, devices) = Self.conditions[index]
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(
      folder,
      [
        #""tags":["beta","paid","two words"],"locale":"de-AT","time_zone":"Europe/Vienna","app_version":"1.0""#,
        #""tags":["beta","free"],"locale":"fr-CA","time_zone":"Europe/Berlin","app_version":"2.0""#,
        #""tags":["other","vip,gold","a \"b\"","\"5"],"locale":"fr-FR","time_zone":"Asia/Tokyo","app_version":"3.0""#,
      ])
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    let form = [
      ("topic", "com.example.app"), ("environment", "production"), ("payload", #"{"aps":{"alert":"Hi"}}"#),
    ]
    browser.get("/push")
    browser.post("/push", form + [("do", "estimate")] + fields)
    #expect(browser.page.contains("It would go to \(devices.counted("device"))"), "\(browser.page)")
    if devices == 0 { return }
    // The page with the question says to whom.
    browser.post("/push", form + [("do", "start")] + fields)
    let shown = fields.map { $0.1.replacing("\"", with: "&quot;") }
    #expect(shown.allSatisfy { browser.page.contains("</dt><dd>\($0)</dd>") }, "\(browser.page)")
  }

  @Test func aConditionThatIsNoNumberIsRefusedBesideItsField() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    for field in ["seen_within_s", "not_seen_for_s"] {
      browser.get("/push")
      browser.post(
        "/push",
        [
          ("topic", "com.example.app"), ("environment", "production"),
          ("payload", #"{"aps":{"alert":"Hi"}}"#), (field, "a week"), ("do", "estimate"),
        ])
      #expect(browser.page.contains("aria-describedby=\"e-\(field) h-\(field)\">"), "\(browser.page)")
    }
  }

  @Test func aCampaignIsMadeWithItsStartQuietHoursCapAndHoldout() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get("/push")
    browser.post(
      "/push",
      [
        ("topic", "com.example.app"), ("environment", "production"), ("payload", #"{"aps":{"alert":"Hi"}}"#),
        ("everybody", "yes"), ("starts_at", "2026-12-24T09:00:00+01:00"), ("repeat", "FREQ=DAILY;COUNT=2"),
        ("quiet_from", "22:00"), ("quiet_to", "08:00"), ("cap_count", "2"), ("cap_seconds", "86400"),
        ("holdout", "0.1"), ("do", "start"),
      ])
    #expect(browser.page.contains("<dt>Starts at</dt><dd>2026-12-24T09:00:00+01:00</dd>"), "\(browser.page)")
    #expect(browser.page.contains("<dt>Quiet from</dt><dd>22:00</dd><dt>Quiet to</dt><dd>08:00</dd>"))
    let hidden = browser.page.matches(of: #/<input type="hidden" name="([a-z_]+)" value="([^"]*)">/#).map {
      (String($0.1), String($0.2).replacing("&quot;", with: "\""))
    }
    browser.post("/push", hidden.filter { $0.0 != "form" } + [("do", "start")])
    #expect(browser.status == 303, "\(browser.page)")
    browser.get(browser.fields["Location"] ?? "")
    for words in [
      "FREQ=DAILY;COUNT=2, occurrence 1", "22:00 to 08:00", "2 to a person in 86400 s",
      "<dt>Holdout</dt><dd>0.1</dd>",
    ] {
      #expect(browser.page.contains(words), "\(words): \(browser.page)")
    }
  }

  /// No name of the API's, and nothing is sent that no button says.
  @Test(arguments: answers.indices)
  func aFormIsAnsweredInItsOwnWords(_ index: Int) throws {
    let (fields, answer) = Self.answers[index]
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get("/push")
    let filled = [
      ("topic", "com.example.app"), ("environment", "production"), ("payload", #"{"aps":{"alert":"Hi"}}"#),
    ].filter { name, _ in !fields.contains { $0.0 == name } }
    browser.post("/push", filled + fields)
    #expect(browser.status == 200 && browser.page.contains(answer), "\(browser.page)")
  }

  @Test(arguments: [
    ("/deliveries?token=zz", "“Token” is neither"), ("/deliveries?topic=%3Cb%3E", "“App” is not a bundle"),
    ("/devices/zz", "This is not a whole device token"),
  ])
  func aSearchIsAnsweredInItsOwnWords(path: String, answer: String) throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get(path)
    #expect(browser.page.contains(answer), "\(browser.page)")
  }

  @Test func thePushPageIsNotFilledIn() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get("/push")
    #expect(browser.page.contains("></textarea>"))
  }

  /// A server that restarts ends its sessions, and whoever wrote a campaign then logs in and goes back to the form.
  @Test func aFormOfAnotherSessionComesBackFilledIn() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    let fields = [
      ("topic", "com.example.app"), ("environment", "production"),
      ("payload", #"{"aps":{"alert":"<b>Hi"}}"#), ("alias", "ann"), ("name", "Spring"),
    ]
    browser.get("/push")
    browser.post("/push", fields + [("do", "send")], form: .some("0123456789abcdef0123456789abcdef"))
    #expect(browser.status == 403)
    #expect(browser.page.contains("nothing was done. Here is what you wrote"))
    #expect(browser.page.contains("&lt;b&gt;Hi"))
    #expect(browser.page.contains(#"value="Spring""#) && browser.page.contains(#"value="ann""#))
    let sent = try registry.askAndWait { store throws(RegistryError) in
      try store.messages(.notification, topics: nil, limit: 9).count
    }
    #expect(sent == 0)
    browser.post("/push", fields + [("do", "check")])
    #expect(browser.status == 200 && browser.page.contains("No problems found in the payload."))
  }

  /// Whoever sends it before the new login gets it back with the login's session.
  @Test func aFormThatIsSentWithoutASessionComesBackAfterTheLogin() throws {
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    let fields = [
      ("topic", "com.example.app"), ("payload", #"{"aps":{"alert":"<b>Hi"}}"#), ("name", "Spring"),
    ]
    browser.get("/push")
    browser.fixture.advance(seconds: 1_900)
    browser.post("/push", fields + [("do", "start")])
    #expect(browser.status == 403 && browser.page.contains("Your session has ended, and nothing was done."))
    #expect(browser.page.contains(#"name="name" value="Spring""#) && browser.page.contains("&lt;b&gt;Hi"))
    // From another site, and from who has never been here, nothing is read.
    browser.post("/push", fields, origin: "https://evil.example")
    #expect(browser.status == 403 && !browser.page.contains("Spring"))
    let stranger = Browser(browser.fixture)
    stranger.post("/push", fields)
    #expect(stranger.status == 403 && !stranger.page.contains("Spring"))
    browser.logIn()
    // The button of the page in the first window.
    browser.post("/push", fields + [("do", "check")], form: .some(nil))
    #expect(browser.status == 403 && browser.page.contains("Here is what you wrote"))
    browser.post("/push", fields + [("do", "check")])
    #expect(browser.status == 200 && browser.page.contains("No problems found in the payload."))
  }

  @Test func aFleetThatIsSentWithoutASessionComesBackAfterTheLogin() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/forecast")
    browser.fixture.advance(seconds: 1_900)
    browser.post("/forecast", [("fleet", "devices = <5")])
    #expect(browser.status == 403 && browser.page.contains(#"name="fleet" value="devices = &lt;5""#))
    #expect(browser.page.contains(#"action="/forecast""#))
    browser.logIn()
    browser.post("/forecast", [("fleet", "devices = <5")], form: .some(nil))
    #expect(browser.page.contains("devices = &lt;5</textarea>"))
  }

  /// The first click asks with the count, and only the second one sends; each form can be sent once.
  @Test(arguments: ["start", "send"])
  func aPushToManyTakesASecondClick(action: String) throws {
    let isCampaign = action == "start"
    let audience = isCampaign ? ("everybody", "yes") : ("alias", "ann")
    let folder = try ScratchFolder()
    let (registry, api) = try Self.registry(folder)
    defer { registry.stop() }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    func count() throws -> Int {
      try registry.askAndWait { store throws(RegistryError) in
        try store.messages(isCampaign ? .campaign : .notification, topics: nil, limit: 9).count
      }
    }
    let fields = [
      ("topic", "com.example.app"), ("environment", "production"),
      ("payload", #"{"aps":{"alert":"<b>\"Hi\""}}"#), audience, ("do", action),
    ]
    browser.get("/push")
    browser.post("/push", fields)
    #expect(browser.page.contains("Push to 3 devices?"), "\(browser.page)")
    #expect(browser.page.contains("value=\"\(action)\">Push to 3 devices</button>"))
    #expect(browser.page.contains(#"name="confirm" value="3""#))
    #expect(browser.page.contains(#"name="payload" value="{&quot;aps&quot;"#), "\(browser.page)")
    #expect(browser.page.contains("value=\"check\">Back to the form</button>"))
    #expect(try count() == 0)
    let form = browser.form
    browser.post("/push", fields + [("confirm", "3")])
    #expect(browser.status == 303, "\(browser.page)")
    #expect(try count() == 1)
    browser.post("/push", fields + [("confirm", "3")], form: form)
    #expect(browser.status == 403)
    #expect(try count() == 1)
  }

  @Test func aCDNThatDoesNotAnswerIsNoCDNWithoutAFile() {
    let fixture = ConsoleFixture()
    fixture.state.withLock {
      $0.copy = ConsoleCopy(
        name: "the stand-in for Apple's CDN", url: "https://cdn/", words: "It answers: 503.", file: nil,
        isUnknown: true)
    }
    let browser = Self.loggedIn(fixture)
    browser.get("/sites/example.com/cdn")
    #expect(browser.page.contains("<h1>What the stand-in for Apple&#39;s CDN has for example.com</h1>"))
    #expect(browser.page.contains("So it is unknown whether it has a file."))
    #expect(!browser.page.contains("It has no file"))
  }

  @Test func cellsSayTheirColumnForNarrowScreens() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/sites")
    #expect(browser.page.contains("<td data-label=\"State\"><span class=\"good\">live</span></td>"))
    #expect(browser.page.contains("<td data-label=\"Errors\" class=\"count\">0</td>"))
    browser.get("/health")
    #expect(browser.page.contains("<th scope=\"row\">Hosts that are served</th><td data-label=\"Now\">"))
  }

  @Test func rollsBackAndLeavesTheLineInTheLogToTheServer() {
    let fixture = ConsoleFixture()
    let browser = Self.loggedIn(fixture)
    browser.get("/sites/example.com")
    browser.post("/sites/example.com/rollback", [("number", "1")])
    #expect(browser.status == 303)
    #expect(fixture.state.withLock { $0.rolledBack } == ["example.com 1"])
    #expect(!fixture.log.contains { $0.hasPrefix("audit: ") })
    browser.get(browser.fields["Location"] ?? "")
    #expect(browser.page.contains("Publication 1 is back."))
  }

  /// Devices that ask the host itself or install right after have the file first, and within a week all of them.
  @Test func saysWhenSimulatedDevicesHaveTheNewFile() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/cohort?host=example.com")
    #expect(browser.page.contains("serves publication 2 since"))
    #expect(browser.page.contains("iOS 26.0, app installed right after"))
    #expect(browser.page.contains("iOS 13.3, app installed 13 days before"))
    #expect(browser.page.split(separator: "<td data-label=\"Device\">").count == 22)
    #expect(!browser.page.contains("later than 8 days"))
  }

  @Test(arguments: ["b%C3%BCcher.example", "B%C3%9CCHER.example", "XN--bcher-kva.example"])
  func saysSoOfAHostAsPeopleWriteIt(name: String) {
    let fixture = ConsoleFixture()
    fixture.state.withLock { $0.sites.hosts = [ConsoleFixture.host("xn--bcher-kva.example")] }
    let browser = Self.loggedIn(fixture)
    browser.get("/cohort?host=\(name)")
    #expect(browser.status == 200, "\(name)")
    #expect(browser.page.contains("<h1>Who has the files of xn--bcher-kva.example</h1>"), "\(name)")
  }

  /// Without a host, or with one that is not served, the page asks for one and names those that are.
  @Test func asksWhoseFilesDevicesHave() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/cohort")
    #expect(browser.status == 200)
    #expect(browser.page.contains("<h1>Who has a host's files</h1>"))
    #expect(browser.page.contains("<a href=\"/cohort?host=example.com\">example.com</a>"))
    browser.get("/cohort?host=other.example")
    #expect(browser.status == 404)
    #expect(browser.page.contains("This server serves no association file for other.example."))
    #expect(browser.page.contains("value=\"other.example\""))
    #expect(browser.page.contains("<a href=\"/cohort?host=example.com\">example.com</a>"))
  }

  @Test func explainsALinkByReleaseAndWay() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/links?url=https%3A%2F%2Fexample.com%2Fbuy%2F1")
    #expect(browser.page.contains("Messages, iOS 26.0: opens ABCDE12345.com.example.app"))
    #expect(browser.page.contains("aria-label=\"browser: Typed in Safari, iOS 17.4\""))
    browser.get("/links?url=https%3A%2F%2Fexample.com%2Fbuy%2F1&os=ios%3A17.4&from=typed")
    #expect(browser.page.contains("Typed in Safari, iOS 17.4: opens the browser"))
    browser.get("/links?url=https%3A%2F%2Fexample.com%2Fsell")
    #expect(browser.page.contains("What to change so that the app opens"))
    browser.get("/links?url=https%3A%2F%2Fother.example%2F")
    #expect(browser.page.contains("This server serves no files for other.example"))
    browser.get("/links?url=nothing")
    #expect(browser.page.contains("Write the whole URL"))
  }

  @Test func forecastsAFleet() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/forecast")
    browser.post("/forecast", [("fleet", "{devices: 1000, days: 2}")])
    #expect(browser.page.contains("requests a second</h2>"))
    #expect(browser.page.contains("No remedy helps"))
    browser.post(
      "/forecast",
      [("fleet", "{devices: 10000000, days: 2, routes: {below_ios_14: 1}}")])
    #expect(browser.page.contains("The peak with each remedy"))
    browser.post("/forecast", [("fleet", "{divices: 1}")])
    #expect(browser.page.contains("The fleet has errors"))
  }

  @Test func healthShowsWhatMatters() {
    let browser = Self.loggedIn(ConsoleFixture())
    browser.get("/health")
    #expect(browser.page.contains("Hosts that are served"))
    #expect(browser.page.contains("host=example.com"))
  }

  private static let numbers = (1...13).map { "\($0)" }
  private static let samples: [(values: [String], shown: [String], rest: String?)] = [
    (["0"], ["0"], nil), (["0", "0"], ["0"], nil), (["0", "7"], ["7"], nil),
    (Array(numbers.prefix(12)), Array(numbers.prefix(12)), nil),
    (numbers, Array(numbers.prefix(12)), "and 1 more"),
  ]

  /// A lone sample is shown whatever it is; of several, those that are not zero, and no more than twelve.
  @Test(arguments: samples)
  func healthShowsSamplesThatTellSomething(_ values: [String], _ shown: [String], _ rest: String?) {
    let fixture = ConsoleFixture()
    let lines = values.enumerated().map {
      "linkspan_requests_total{host=\"h\($0.offset).example\"} \($0.element)\n"
    }
    fixture.state.withLock { $0.metrics = lines.joined() }
    let browser = Self.loggedIn(fixture)
    browser.get("/health")
    let row =
      browser.page.split(separator: "<tr data-key=\"linkspan_requests_total\">").last?.prefix { $0 != "\n" }
      ?? ""
    let cell = row.split(separator: "</tr>").first ?? ""
    #expect(cell.matches(of: /class="number">([^<]*)</).map { String($0.output.1) } == shown, "\(cell)")
    #expect(cell.contains("more</div>") == (rest != nil) && cell.contains(rest ?? ""))
  }

  @Test func withoutARegistryThePagesSaySo() {
    let browser = Self.loggedIn(ConsoleFixture())
    for path in ["/devices", "/push", "/deliveries"] {
      browser.get(path)
      #expect(browser.page.contains("This server has no device registry"), "\(path)")
    }
  }

  @Test func findsAndErasesDevices() async throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let time = WallTime("2026-09-14T08:00:00Z")!
    let api = RegistryAPI(registry, now: { time })
    let token = String(repeating: "ab", count: 32)
    var attributes = DeviceAttributes()
    attributes.alias = "<b>ada</b>"
    let key = DeviceKey(
      token: try DeviceToken(token), topic: PushTopic("com.example.app")!, environment: .production)
    let registration = DeviceRegistration(key: key, attributes: attributes, given: [.alias], time: time)
    _ = try await withCheckedThrowingContinuation { continuation in
      registry.register(registration, actor: "test") { continuation.resume(with: $0) }
    }
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    browser.get("/devices?token=\(token.uppercased())")
    #expect(browser.page.contains("&lt;b&gt;ada&lt;/b&gt;"))
    #expect(!browser.page.contains("<b>ada"))
    browser.get("/devices/\(token)")
    #expect(browser.page.contains("com.example.app"))
    browser.get("/devices/\(token)?topic=com.example.other&environment=production")
    #expect(browser.page.contains("No such device is registered."))
    browser.get("/erase")
    browser.post("/erase", [("alias", "<b>ada</b>"), ("again", "other")])
    #expect(browser.page.contains("The two aliases differ."))
    browser.post("/erase", [("alias", "<b>ada</b>"), ("again", "<b>ada</b>")])
    let location = try #require(browser.fields["Location"])
    browser.get(location)
    #expect(browser.page.contains("Erased 1 device, cancelled 0 deliveries, redacted 0 messages."))
    browser.get(location)
    #expect(!browser.page.contains("Erased 1 device"), "it is said once")
    let log = try api.auditLog(limit: 5)
    #expect(log.first?.actor == "console:ada")
    #expect(log.first?.action == "alias.erase")
    browser.get("/devices?token=\(token)")
    #expect(browser.page.contains("No such device is registered."))
  }
  /// A token that is registered twice is two devices; the address says which one is deleted.
  @Test func deletesTheDeviceThatWasChosen() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let api = RegistryAPI(registry, now: { WallTime("2026-09-14T08:00:00Z")! })
    let token = String(repeating: "ab", count: 32)
    let browser = Self.loggedIn(ConsoleFixture(registry: api))
    for environment in ["production", "sandbox"] {
      let body = Array("{\"topic\":\"com.example.app\",\"environment\":\"\(environment)\"}".utf8)
      let request = HTTPRequest(
        method: "PUT", authority: "console", target: "/v1/devices/\(token)", body: body)
      #expect(api.answerAndWait(request, as: "test")?.status == 201)
    }
    browser.get("/devices?token=\(token)")
    let query = "?topic=com.example.app&amp;environment="
    for environment in ["production", "sandbox"] {
      #expect(browser.page.contains("href=\"/devices/\(token)\(query)\(environment)\""))
    }
    let path = "/devices/\(token)/delete?topic=com.example.app&environment=production"
    browser.get(path)
    #expect(browser.page.contains("<p>com.example.app, production</p>"))
    browser.post(path, [])
    browser.get(try #require(browser.fields["Location"]))
    #expect(browser.page.contains("The audit log names it by its number: 1."))
    browser.get("/devices/\(token)")
    #expect(browser.page.contains("<dd>sandbox</dd>"))
    browser.get(path)
    browser.post(path, [])
    #expect(browser.page.contains("No such device is registered."))
    let log = try api.auditLog(limit: 1)
    #expect(log.first?.subject == "1" && log.first?.affected == 1)
  }
}
